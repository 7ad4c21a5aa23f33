/** Answers in streams of the three APIs: the same whatever the pieces, the framing and the place; a cut loses only the missing part. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import anthropic from '../../../transforms/dialects/anthropic.ts';
import exchange from '../../../transforms/dialects/exchange.ts';
import { PairReader } from '../../../transforms/dialects/pairs/pair-reader.ts';
import responses from '../../../transforms/dialects/responses.ts';
import streams from '../../../transforms/dialects/streams.ts';
import type { Entry, StreamElement } from '../../../transforms/model/element.ts';
import { placesOf } from '../../../transforms/model/entry-log.ts';
import { LONG } from '../../support/long.ts';
import { asBuffer, text } from '../bytes.ts';
import { lineOf } from '../log-lines.ts';
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

/** The text of a reply. */
function replyIn(entry: Entry | undefined): object | undefined {
  if (entry?.reply === undefined) return undefined;
  const {
    content,
    reasoning_content: thought = '',
    tool_calls: calls = [],
  } = JSON.parse(text(entry.reply.bytes));
  const callList = calls.map((call: { id: string; function: object }) => ({ id: call.id, ...call.function }));
  return { text: content ?? '', thought, calls: callList };
}

function expected({ text: content, thought, calls }: StreamedSample): object | undefined {
  return content === '' && thought === '' && calls.length === 0
    ? undefined
    : { text: content, thought, calls };
}

/** Reads a dump line by line, as the framer cuts it. */
function dumped(dump: string, options = {}): readonly StreamElement[] {
  const reader = streams.create(undefined, options);
  const elements: StreamElement[] = [];
  let offset = 0;
  for (const [i, line] of dump.split('\n').entries()) {
    const json = line.replace(/\r$/, '');
    if (json !== '') elements.push(...reader.read(lineOf(json, asBuffer, i + 1, offset)));
    offset += Buffer.byteLength(line) + 1;
  }
  return [...elements, ...(reader.end?.() ?? [])];
}

const entriesOf = (elements: readonly StreamElement[]): readonly Entry[] =>
  elements.filter((element): element is Entry => element.kind === 'entry');

const pairs = new PairReader(
  'exchange',
  new Map([exchange, anthropic, responses].map((one) => [one.name, one.create()])),
);

function paired(response: unknown): Entry | undefined {
  const json = JSON.stringify({
    ...{ timestamp: '2026-01-13T22:14:03Z', session_id: 's' },
    ...{ request: { messages: [{ role: 'user', content: 'hi' }] }, response },
  });
  pairs.forget();
  return entriesOf([...pairs.read(lineOf(json))])[0];
}

const rulesOf = (entry: Entry | undefined): readonly string[] =>
  [...(entry?.messages ?? []), ...(entry?.reply === undefined ? [] : [entry.reply])].flatMap(
    ({ notes = [] }) => notes.map(({ rule }) => rule),
  );

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
      { numRuns: LONG ? 1000 : 50 },
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

describe('chat chunks', () => {
  const chunk = (choice: object, more: object = {}): object => ({
    choices: [{ index: 0, ...choice }],
    ...more,
  });
  const reply = (...events: readonly object[]) => {
    const entry = paired(events);
    return { entry, message: entry?.reply && JSON.parse(text(entry.reply.bytes)) };
  };

  test('separate calls without an index by id, then by position', () => {
    const call = (id: string | undefined, args: string) => ({
      ...(id && { id }),
      function: { name: 'f', arguments: args },
    });
    const delta = (...tool_calls: readonly object[]) => chunk({ delta: { tool_calls } });
    const { message } = reply(
      delta(call('a', '{')),
      delta(call('b', '[')),
      delta(call('a', '}'), call('b', ']')),
    );
    expect(
      message.tool_calls.map((one: { function: { arguments: string } }) => one.function.arguments),
    ).toEqual(['{}', '[]']);
    const plain = reply(delta(call(undefined, '1'), call(undefined, '2')), delta(call(undefined, '3')));
    expect(
      plain.message.tool_calls.map((one: { function: { arguments: string } }) => one.function.arguments),
    ).toEqual(['13', '2']);
  });

  test('hold two calls under one index if the second has another id and a name, and the first is complete', () => {
    const call = (id: string) =>
      chunk({ delta: { tool_calls: [{ index: 0, id, function: { name: 'f', arguments: '{}' } }] } });
    expect(reply(call('a'), call('b')).message.tool_calls).toMatchObject([{ id: 'a' }, { id: 'b' }]);
  });

  const calling = (...tool_calls: readonly object[]) => chunk({ delta: { tool_calls } });
  const fn = (name: string | undefined, args: string) => ({
    function: { ...(name !== undefined && { name }), arguments: args },
  });
  const callsIn = (...events: readonly object[]) =>
    reply(...events).message.tool_calls.map(
      ({ id, function: { name, arguments: args } }: { id?: string; function: Record<string, string> }) =>
        `${id ?? ''} ${name} ${args}`,
    );

  test.each([
    [
      'the last call at their place, if they have neither an index nor an id',
      [
        calling({ id: 'a', ...fn('f', '') }),
        calling(fn(undefined, '{}')),
        calling({ id: 'b', ...fn('g', '') }),
      ],
      calling(fn(undefined, '{"x":1}')),
      ['a f {}', 'b g {"x":1}'],
    ],
    [
      'each call at its place in a list',
      [calling({ id: 'a', ...fn('f', '{') }, { id: 'b', ...fn('g', '[') })],
      calling(fn(undefined, '}'), fn(undefined, ']')),
      ['a f {}', 'b g []'],
    ],
    [
      'the next call after one without an id that is complete',
      [calling(fn('f', '{"x":1}'))],
      calling(fn('f', '{"x":2}')),
      [' f {"x":1}', ' f {"x":2}'],
    ],
    [
      'the next call under the same index, if the name is another one',
      [calling({ index: 0, ...fn('f', '{}') })],
      calling({ index: 0, ...fn('g', '{}') }),
      [' f {}', ' g {}'],
    ],
    [
      'a call of another id and name, if the one before has no arguments',
      [calling({ index: 0, id: 'a', ...fn('f', '') })],
      calling({ index: 0, id: 'b', ...fn('g', '{}') }),
      ['a f ', 'b g {}'],
    ],
    [
      'the same call, if every piece has a new id',
      [calling({ id: 'a', ...fn('f', '{') })],
      calling({ id: 'z', ...fn(undefined, '}') }),
      ['a f {}'],
    ],
    [
      'the same call, if every piece repeats its name',
      [calling({ index: 0, id: 'a', ...fn('f', '{}') })],
      calling({ index: 0, ...fn('f', '') }),
      ['a f {}'],
    ],
  ])('belong to %s', (_name, events, last, expected) => {
    expect(callsIn(...events, last)).toEqual(expected);
  });

  test('join contents in lists and texts, thoughts and sound', () => {
    const thinking = (part: string) => [{ type: 'thinking', thinking: [{ type: 'text', text: part }] }];
    const deltas = [
      { content: thinking('a') },
      { content: thinking('b') },
      { content: 'c' },
      { content: [{ type: 'text', text: 'd' }] },
      { thinking_blocks: [{ type: 'thinking', thinking: 't', signature: null }] },
      { thinking_blocks: [{ type: 'thinking', thinking: 'u', signature: 's' }] },
      { thinking_blocks: [{ type: 'thinking', thinking: 'v' }] },
      { audio: { id: 'i', transcript: 'x' } },
      { audio: { transcript: 'y', data: 'AA' } },
      { audio: { data: 'BB', expires_at: 5 } },
    ];
    expect(reply(...deltas.map((delta) => chunk({ delta }))).message).toEqual({
      role: 'assistant',
      content: [...thinking('ab'), { type: 'text', text: 'cd' }],
      audio: { id: 'i', transcript: 'xy', data: 'AABB', expires_at: 5 },
      thinking_blocks: [
        { type: 'thinking', thinking: 'tu', signature: 's' },
        { type: 'thinking', thinking: 'v' },
      ],
    });
  });

  test('keep a summary and its encrypted form apart although they have the same index', () => {
    const details = [
      { index: 0, type: 'reasoning.summary', summary: 'a' },
      { index: 0, type: 'reasoning.summary', summary: 'b' },
      { index: 0, type: 'reasoning.encrypted', data: 'x' },
    ];
    const events = details.map((one) => chunk({ delta: { reasoning_details: [one] } }));
    expect(reply(...events).message.reasoning_details).toEqual([
      { index: 0, type: 'reasoning.summary', summary: 'ab' },
      { index: 0, type: 'reasoning.encrypted', data: 'x' },
    ]);
  });

  test('count reasoning under two names once, and its details by index', () => {
    const delta = (reasoning: string) =>
      chunk({
        delta: {
          reasoning,
          reasoning_content: reasoning,
          reasoning_details: [{ index: 0, type: 'reasoning.text', text: reasoning }],
        },
      });
    const { message } = reply(
      delta('a'),
      delta('b'),
      chunk({ delta: { content: 'c' }, finish_reason: 'stop' }),
    );
    expect(message).toEqual({
      ...{ role: 'assistant', content: 'c', reasoning_content: 'ab' },
      reasoning_details: [{ index: 0, type: 'reasoning.text', text: 'ab' }],
    });
  });

  test.each([
    ['length', 'reply-cut'],
    ['content_filter', 'reply-filtered'],
    ['error', 'response-error'],
  ])('read finish_reason %s as %s', (finish_reason, rule) => {
    expect(rulesOf(reply(chunk({ delta: { content: 'a' }, finish_reason })).entry)).toEqual([rule]);
  });

  test('may hold an error instead of an answer or after half of one', () => {
    const error = { error: { message: 'overloaded' } };
    expect(paired([chunk({ delta: { role: 'assistant' } }), error])?.reply).toBeUndefined();
    const { entry, message } = reply(chunk({ delta: { content: 'half' } }), error);
    expect(message.content).toBe('half');
    expect(rulesOf(entry)).toEqual(['response-error', 'stream-cut', 'response-error'].slice(1));
  });

  test('have other choices left out and reported', () => {
    const other = { choices: [{ index: 1, delta: { content: 'b' }, finish_reason: 'stop' }] };
    const { entry, message } = reply(chunk({ delta: { content: 'a' }, finish_reason: 'stop' }), other);
    expect(message.content).toBe('a');
    expect(rulesOf(entry)).toEqual(['other-choices']);
  });
});

describe('events of the Responses API', () => {
  const read = (...events: readonly object[]) => replyIn(paired(events));
  const created = { type: 'response.created', response: { id: 'r', output: [] } };

  test('may lack their index', () => {
    const item = {
      type: 'message',
      id: 'm',
      role: 'assistant',
      content: [{ type: 'output_text', text: 'ab' }],
    };
    const deltas = ['a', 'b'].map((delta) => ({ type: 'response.output_text.delta', delta }));
    const call = { type: 'function_call', id: 'c', call_id: 'c', name: 'f', arguments: '{}' };
    const done = [item, call].map((one) => ({ type: 'response.output_item.done', item: one }));
    expect(read(created, ...deltas)).toMatchObject({ text: 'ab' });
    expect(read(created, ...deltas, ...done)).toMatchObject({ text: 'ab', calls: [{ id: 'c' }] });
  });

  test('may have their texts whole, without pieces', () => {
    const text = { type: 'response.output_text.done', output_index: 0, content_index: 0, text: 'a' };
    const args = { type: 'response.function_call_arguments.done', output_index: 1, arguments: '{}' };
    expect(read(created, text, args)).toMatchObject({ text: 'a', calls: [{ arguments: '{}' }] });
  });
});

describe('dumps', () => {
  it.each([
    ['keepalive', []],
    ['ping', []],
    ['response.new_kind', ['unknown-event']],
    ['new_kind', ['unknown-event']],
  ])('may have events of the type %s', (type, rules) => {
    for (const make of [
      chatStream,
      anthropicStream,
      (one: RandomAnswer) => responsesStream(one, true, true),
    ]) {
      const { events } = make({ thinks: false, words: 1, calls: 0, cuts: [9] });
      const [first, ...others] = events;
      const elements = dumped(
        [first, { type }, ...others].map((one) => `data: ${JSON.stringify(one)}\n\n`).join(''),
      );
      expect(elements.map(({ kind }) => kind)).toEqual(['entry']);
      expect(rulesOf(entriesOf(elements)[0]).filter((rule) => rule !== 'stream-cut')).toEqual(rules);
    }
  });

  const chat = (id: string, content: string, finish: string | null = null, role?: string) =>
    JSON.stringify({
      id,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta: { role, content }, finish_reason: finish }],
    });
  const texts = (dump: string, options = {}) =>
    entriesOf(dumped(dump, options)).map((entry) => (replyIn(entry) as { text: string } | undefined)?.text);

  test('hold several answers, separated by their end markers or ids', () => {
    const marked = `data: ${chat('', 'a', 'stop')}\n\ndata: [DONE]\n\n: again\n\ndata: ${chat('', 'b', 'stop')}\n\n`;
    expect(texts(marked)).toEqual(['a', 'b']);
    expect(
      texts(
        [chat('1', 'a', null, 'assistant'), chat('2', 'b', null, 'assistant'), chat('2', 'c')].join('\n'),
      ),
    ).toEqual(['a', 'bc']);
  });

  test('may have events with several data lines', () => {
    expect(texts(`data: {"choices":\ndata: [{"delta":{"content":"a"}}]}\n\n`)).toEqual(['a']);
  });

  test('may begin in the middle of an answer of the Messages API', () => {
    const events = [
      {
        type: 'content_block_start',
        index: 1,
        content_block: { type: 'tool_use', id: 'c', name: 'f', input: {} },
      },
      {
        type: 'content_block_delta',
        index: 1,
        delta: { type: 'input_json_delta', partial_json: '{"x": 1}' },
      },
      { type: 'message_stop' },
    ];
    const [entry] = entriesOf(dumped(events.map((one) => JSON.stringify(one)).join('\n')));
    expect(JSON.parse(text(entry?.reply?.bytes as Uint8Array))).toEqual({
      role: 'assistant',
      tool_calls: [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{"x": 1}' } }],
    });
  });

  test('may end with an error after a response that failed', () => {
    const failed = { id: 'r', status: 'failed', error: { code: 'x' }, output: [] };
    const events = [
      { type: 'response.failed', response: failed },
      { type: 'error', code: 'x' },
      { type: 'response.created', response: { id: 's', output: [] } },
      { type: 'response.output_text.delta', output_index: 0, content_index: 0, delta: 'a' },
    ];
    const entries = entriesOf(dumped(events.map((one) => `data: ${JSON.stringify(one)}\n\n`).join('')));
    expect(entries.map(({ lines }) => lines?.count)).toEqual([2, 2]);
    expect(replyIn(entries[1])).toMatchObject({ text: 'a' });
  });

  test('have the model, the tokens and the reason of the end of each answer', () => {
    const head = { id: '1', object: 'chat.completion.chunk', model: 'm' };
    const chunks = [
      {
        ...head,
        choices: [{ index: 0, delta: { role: 'assistant', content: 'a' }, finish_reason: 'error' }],
      },
      { ...head, choices: [], usage: { total_tokens: 3 }, error: { message: 'x' } },
    ];
    const [entry] = entriesOf(dumped(chunks.map((one) => JSON.stringify(one)).join('\n')));
    const meta = [...(entry?.meta ?? [])].map(([name, json]) => [name, JSON.parse(text(json))]);
    expect(Object.fromEntries(meta)).toEqual({ model: 'm', usage: { total_tokens: 3 }, finish: 'error' });
    expect(rulesOf(entry)).toEqual(['response-error']);
  });

  test('have lines that are not events rejected one by one', () => {
    const elements = dumped(
      `data: ${chat('', 'a')}\nnonsense\ndata: {"x":1}\n\n{"y":2}\ndata: ${chat('', 'b')}`,
    );
    const reasons = elements.flatMap((one) => (one.kind === 'rejection' ? [one.reason] : []));
    expect(reasons).toEqual(['bad-stream', 'bad-stream', 'bad-stream']);
    expect(replyIn(entriesOf(elements)[0])).toMatchObject({ text: 'ab' });
  });

  test('have a fate for each line when they hold only comments', () => {
    expect(dumped(': a\n\n: b\n')).toMatchObject([
      { fate: 'dropped:client-event' },
      { fate: 'dropped:client-event' },
    ]);
  });

  test('may have any number of comments before an event', () => {
    const elements = dumped(`${': ping\n'.repeat(200_000)}data: ${chat('', 'a')}`);
    expect(texts(`data: ${chat('', 'a')}`)).toEqual(['a']);
    expect(entriesOf(elements)[0]?.lines?.count).toBe(200_001);
  });

  test('begin with the supplied user turn', () => {
    const [entry] = entriesOf(dumped(`data: ${chat('', 'a')}`, { userTurn: 'hi' }));
    expect(entry?.messages.map(({ bytes }) => text(bytes))).toEqual(['{"role":"user","content":"hi"}']);
  });

  test('have an answer that is too long rejected with all its lines', () => {
    const lines = Array.from({ length: 40 }, () => chat('', 'abc'));
    const [entry, ...others] = dumped(lines.join('\n'), { maxConversation: 1000 });
    expect(others).toEqual([]);
    expect(entry).toMatchObject({ refused: { reason: 'conversation-too-long' }, lines: { count: 40 } });
  });
});

test.each(['data: see below', ': not a stream', 'event: party', 'data: {"a":1}'])(
  'a completion that only looks like a stream is text: %s',
  (completion) => {
    const json = `{"request":{"messages":[]},"session_id":"s","response":${JSON.stringify(completion)}}`;
    const [entry] = entriesOf(responses.create().readApart?.(lineOf(json)) ?? []);
    expect(JSON.parse(text(entry?.reply?.bytes as Uint8Array)).content).toBe(completion);
  },
);

describe('interleaved chunks of several streams', () => {
  const saying = (id: string, text: string): readonly string[] => [
    `{"id":"${id}","object":"chat.completion.chunk","choices":[{"index":0,"delta":{"role":"assistant","content":""}}]}`,
    ...[...text].map(
      (letter) =>
        `{"id":"${id}","choices":[{"index":0,"delta":{"content":"${letter}"},"finish_reason":null}]}`,
    ),
    `{"id":"${id}","choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}`,
  ];
  const textsAndLines = (
    elements: readonly StreamElement[],
  ): readonly (readonly [string | undefined, number])[] =>
    elements
      .filter((one): one is Entry => one.kind === 'entry')
      .map((one) => [
        one.reply && JSON.parse(text(one.reply.bytes)).content,
        [...placesOf(one.lines as never)].length,
      ]);

  test('are separated by their ids in any order', () => {
    const texts = fc.array(fc.stringMatching(/^[a-z]{1,6}$/), { minLength: 1, maxLength: 6 });
    const order = fc.array(fc.nat({ max: 5 }), { minLength: 60, maxLength: 60 });
    fc.assert(
      fc.property(texts, order, fc.boolean(), (all, picks, isSse) => {
        const queues = all.map((letters, i) => [...saying(`id-${i}`, letters)]);
        const begun: number[] = [];
        const lines: string[] = [];
        const take = (i: number): void => {
          const line = queues[i]?.shift();
          if (line === undefined) return;
          if (!begun.includes(i)) begun.push(i);
          lines.push(isSse ? `data: ${line}` : line);
        };
        for (const pick of picks) take(pick % queues.length);
        for (const [i, queue] of queues.entries()) while (queue.length > 0) take(i);
        expect(textsAndLines(dumped(lines.join('\n')))).toEqual(
          begun.map((i) => [all[i], (all[i] as string).length + 2]),
        );
      }),
      { numRuns: 60 },
    );
  });

  test('are held up to a limit, beyond which the oldest stream is cut', () => {
    const cut = saying('cut', 'ab').slice(0, 2);
    const others = Array.from({ length: 70 }, (_, i) => saying(`id-${i}`, 'x').slice(0, 2));
    const found = textsAndLines(dumped([...cut, ...others.flat(), ...saying('last', 'y')].join('\n')));
    expect([found.length, found[0], found.at(-1)]).toEqual([72, ['a', 2], ['y', 3]]);
  });
});
