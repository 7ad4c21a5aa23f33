/** Answers in streams of the three APIs: the same whatever the pieces, the framing and the place; a cut loses only the missing part. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import anthropic from '../../../transforms/dialects/anthropic.ts';
import exchange from '../../../transforms/dialects/exchange.ts';
import { PairReader } from '../../../transforms/dialects/pairs/pair-reader.ts';
import responses from '../../../transforms/dialects/responses.ts';
import type { Entry } from '../../../transforms/model/element.ts';
import { placesOf } from '../../../transforms/model/entry-log.ts';
import { LONG } from '../../support/long.ts';
import { text } from '../bytes.ts';
import { lineOf } from '../log-lines.ts';
import { dumped, entriesOf, paired, replyIn, rulesOf } from './read-streams.ts';
import {
  answers,
  anthropicStream,
  asText,
  chatStream,
  type RandomAnswer,
  responsesStream,
  type StreamedSample,
} from './streamed-answers.ts';

/** Bytes between two cuts. */
const STEP = LONG ? 1 : 3;

const kinds: readonly (readonly [
  name: string,
  make: (answer: RandomAnswer) => StreamedSample,
  done: boolean,
])[] = [
  ['chat', chatStream, true],
  ['anthropic', anthropicStream, false],
  ['responses', (answer) => responsesStream(answer, true, true), false],
  ['responses from items', (answer) => responsesStream(answer, true, false), false],
  ['responses from deltas', (answer) => responsesStream(answer, false, false), false],
];

function expected({ text: content, thought, calls }: StreamedSample): object | undefined {
  return content === '' && calls.length === 0 ? undefined : { text: content, thought, calls };
}

test.each([
  [{ status: 200, body: { choices: [{ message: { role: 'assistant', content: 'a' } }] } }, 'a', []],
  [{ body: { choices: [{ message: { content: 'a' }, finish_reason: 'length' }] } }, 'a', ['reply-cut']],
  [{ status: 500, body: { error: { message: 'overloaded' } } }, undefined, ['response-error']],
  [{ status: 500, body: { error: 'overloaded' } }, undefined, ['response-error']],
  [{ error: { message: 'overloaded' } }, undefined, ['response-error']],
])(
  'an answer of the chat API, or an error, is read in the body of a pair: %j',
  (response, content, rules) => {
    const entry = paired(response);
    expect(entry?.reply && JSON.parse(text(entry.reply.bytes)).content).toBe(content);
    expect(rulesOf(entry)).toEqual(rules);
  },
);

test('an error among pairs of two APIs is reported once', () => {
  const request = { messages: [{ role: 'user', content: 'hi' }] };
  const readers = new Map([exchange, anthropic, responses].map((one) => [one.name, one.create()]));
  const mixed = new PairReader('anthropic', readers);
  const logged = (response: unknown, id: string) =>
    lineOf(JSON.stringify({ timestamp: 1, session_id: id, request, response }));
  const content = [{ type: 'text', text: 'a' }];
  const lines = [
    logged({ role: 'assistant', content }, 's0'),
    logged({ type: 'error', error: { type: 'overloaded_error' } }, 's1'),
    logged({ choices: [{ message: { role: 'assistant', content: 'a' } }] }, 's2'),
    logged({ error: { message: 'overloaded' } }, 's3'),
  ];
  for (const line of lines) expect([...mixed.read(line)]).toEqual([]);
  expect(entriesOf([...mixed.end()]).map(rulesOf)).toEqual([[], ['response-error'], [], ['response-error']]);
});

describe.each(kinds)('%s', (name, make, done) => {
  const isWhole = name !== 'responses from items' && name !== 'responses from deltas';

  it('yields the same answer in every place and framing', () => {
    fc.assert(
      fc.property(answers, fc.constantFrom('\n', '\r\n'), (answer, lineEnd) => {
        const sample = make(answer);
        const sse = asText(sample.events, lineEnd, done);
        const lines = sample.events.map((event) => JSON.stringify(event)).join('\n');
        const places = [
          ...[paired(sse), paired(sample.events), paired({ body_raw: sse }), paired({ body: sample.events })],
          ...entriesOf(dumped(sse)),
          ...entriesOf(dumped(lines)),
        ];
        expect(places).toHaveLength(6);
        for (const entry of places) {
          expect(replyIn(entry)).toEqual(expected(sample));
          const hasPlace = entry?.reply !== undefined || entry?.messages.length === 1;
          expect(rulesOf(entry).includes('stream-cut')).toBe(hasPlace && !isWhole);
        }
      }),
      { numRuns: LONG ? 1000 : 25 },
    );
  });

  it('yields the text so far and a finding when truncated anywhere', () => {
    const sample = make({ thinks: true, words: 1, calls: 1, cuts: [9] });
    const sse = asText(sample.events, '\n', done);
    for (let end = 0; end < sse.length; end += STEP) {
      const cut = sse.slice(0, end);
      const entry = paired({ body_raw: cut });
      const partial = replyIn(entry) as ReturnType<typeof expected> & { text?: string };
      if (partial !== undefined) expect(sample.text.startsWith(partial.text ?? '')).toBe(true);
      const elements = dumped(cut);
      const lines = cut.split('\n').filter((line) => line !== '').length;
      const places = elements.flatMap((one) =>
        one.kind === 'entry' ? [...placesOf(one.lines as NonNullable<Entry['lines']>)] : [one.origin],
      );
      expect(new Set(places.map(({ offset }) => offset)).size).toBe(places.length);
      expect(places).toHaveLength(lines);
      expect(elements.filter(({ kind }) => kind === 'rejection').length).toBeLessThanOrEqual(1);
    }
  });
});

test.each(['data: see below', ': not a stream', 'event: party', 'data: {"a":1}'])(
  'a completion that only looks like a stream is text: %s',
  (completion) => {
    const json = `{"request":{"messages":[]},"session_id":"s","response":${JSON.stringify(completion)}}`;
    const [entry] = entriesOf([...(responses.create().readApart?.(lineOf(json)) ?? [])]);
    expect(JSON.parse(text(entry?.reply?.bytes as Uint8Array)).content).toBe(completion);
  },
);
