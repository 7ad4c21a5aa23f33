/** Batches: each request is joined with its answer, whichever comes first, and each line has one fate. */
import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import batches from '../../../transforms/dialects/batches.ts';
import type { ReadElement, ReadingOptions } from '../../../transforms/dialects/dialect.ts';
import type { Entry } from '../../../transforms/model/element.ts';
import { placesOf } from '../../../transforms/model/entry-log.ts';
import { text } from '../bytes.ts';
import { readLog } from '../log-lines.ts';

function read(lines: readonly string[], options: ReadingOptions = {}): readonly ReadElement[] {
  return readLog(batches.create(undefined, options), lines);
}

const messages = (content: string) => [{ role: 'user', content }];
const requestOf = (id: number, isOpenAi: boolean): string =>
  JSON.stringify({ custom_id: `${id}`, [isOpenAi ? 'body' : 'params']: { messages: messages(`q${id}`) } });
const answerOf = (id: number, isOpenAi: boolean): string => {
  const message = { role: 'assistant', content: `a${id}` };
  const body = { choices: [{ message, finish_reason: 'stop' }] };
  const content = [{ type: 'text', text: `a${id}` }];
  const result = { type: 'succeeded', message: { type: 'message', role: 'assistant', content } };
  return JSON.stringify({
    custom_id: `${id}`,
    ...(isOpenAi ? { response: { body }, error: null } : { result }),
  });
};
const textOf = ({ messages: list, reply }: Entry): string =>
  [...list, ...(reply === undefined ? [] : [reply])]
    .map(({ bytes }) => JSON.parse(text(bytes)).content)
    .join(' ');
const entriesOf = (elements: readonly ReadElement[]): readonly Entry[] =>
  elements.filter((element): element is Entry => element.kind === 'entry' && element.refused === undefined);
const linesOf = (elements: readonly ReadElement[]): readonly number[] =>
  elements
    .flatMap((one) =>
      one.kind === 'entry' && one.lines !== undefined ? [...placesOf(one.lines)] : [one.origin],
    )
    .map(({ line }) => line)
    .sort((a, b) => a - b);

const logs = fc
  .array(fc.record({ isOpenAi: fc.boolean(), has: fc.constantFrom('both', 'request', 'answer') }), {
    maxLength: 6,
  })
  .chain((calls) => {
    const lines = calls.flatMap(({ isOpenAi, has }, id) => [
      ...(has === 'answer' ? [] : [requestOf(id, isOpenAi)]),
      ...(has === 'request' ? [] : [answerOf(id, isOpenAi)]),
    ]);
    return fc.record({
      calls: fc.constant(calls),
      lines: fc.shuffledSubarray(lines, { minLength: lines.length, maxLength: lines.length }),
    });
  });

describe('batches', () => {
  it('reject a line with two requests or two answers', () => {
    const [request, answer] = [JSON.parse(requestOf(1, true)), JSON.parse(answerOf(1, true))];
    for (const line of [
      { ...request, params: { messages: messages('other') } },
      { ...answer, result: JSON.parse(answerOf(2, false)).result },
    ])
      expect(read([JSON.stringify(line)])).toMatchObject([{ kind: 'rejection', reason: 'unknown-content' }]);
    const lines = [
      { ...request, params: null },
      { ...answer, result: null },
    ].map((one) => JSON.stringify(one));
    expect(entriesOf(read(lines)).map(textOf)).toEqual(['q1 a1']);
  });

  it('join requests with answers in any order and give each line one fate', () => {
    fc.assert(
      fc.property(logs, ({ calls, lines }) => {
        const elements = read(lines);
        const joined = calls.flatMap(({ has }, id) => (has === 'both' ? [`q${id} a${id}`] : []));
        expect(entriesOf(elements).map(textOf).sort()).toEqual(joined.sort());
        expect(linesOf(elements)).toEqual(lines.map((_, i) => i + 1));
        const count = (kind: string): number => calls.filter(({ has }) => has === kind).length;
        const fates = elements.filter((one) => one.kind === 'fate' && one.fate === 'dropped:no-completion');
        expect(fates).toHaveLength(count('request'));
        const refused = elements.filter(
          (one) => one.kind === 'entry' && one.refused?.reason === 'context-missing',
        );
        expect(refused).toHaveLength(count('answer'));
      }),
    );
  });

  it('may be truncated after any byte', () => {
    const whole = [requestOf(1, true), answerOf(1, true), answerOf(2, false), requestOf(2, false)].join('\n');
    for (let end = 0; end <= whole.length; end++) {
      const lines = whole
        .slice(0, end)
        .split('\n')
        .filter((line) => line !== '');
      const elements = read(lines);
      expect(linesOf(elements)).toEqual(lines.map((_, i) => i + 1));
      for (const entry of entriesOf(elements)) expect(['q1 a1', 'q2 a2']).toContain(textOf(entry));
    }
  });

  test('a second request with the same id replaces the first', () => {
    const elements = read([requestOf(1, true), requestOf(1, true), answerOf(1, true)]);
    expect(elements).toMatchObject([
      { fate: 'dropped:no-completion', origin: { line: 1 } },
      { kind: 'entry', origin: { line: 2 } },
    ]);
  });

  test('which of two requests with one id is answered is not guessed', () => {
    const other = JSON.stringify({ custom_id: '1', body: { messages: messages('another') } });
    for (const twice of [
      [requestOf(1, true), other],
      [requestOf(1, true), other, other],
    ]) {
      const elements = read([...twice, answerOf(1, true)]);
      expect(entriesOf(elements)).toEqual([]);
      expect(elements.at(-2)).toMatchObject({
        refused: { reason: 'context-missing' },
        origin: { line: twice.length + 1 },
      });
      expect(linesOf(elements)).toEqual([...twice, ''].map((_, i) => i + 1));
    }
    const answers = [answerOf(1, true), answerOf(1, true).replace('a1', 'b1')];
    expect(read([...answers, requestOf(1, true)])).toMatchObject([
      { refused: { reason: 'context-missing' }, origin: { line: 1 } },
      { refused: { reason: 'context-missing' }, origin: { line: 2 } },
      { fate: 'dropped:no-completion', origin: { line: 3 } },
    ]);
    const apart = read([requestOf(1, true), answerOf(1, true), other, answerOf(1, true)]);
    expect(entriesOf(apart).map(textOf)).toEqual(['q1 a1', 'another a1']);
  });

  test('requests that wait too long are dropped, the oldest first', () => {
    const lines = [requestOf(1, true), requestOf(2, true), answerOf(2, true), answerOf(1, true)];
    expect(read(lines, { maxConversation: 100 })).toMatchObject([
      { fate: 'dropped:no-completion', origin: { line: 1 } },
      { kind: 'entry', sessionId: '2' },
      { kind: 'entry', refused: { reason: 'context-missing' }, origin: { line: 4 } },
    ]);
  });

  test.each([
    ['{"custom_id":"1"}', 'bad-event'],
    ['{"body":{"messages":[]}}', 'bad-event'],
    ['{"custom_id":"1","body":{}', 'invalid-json'],
  ])('%s is rejected', (line, reason) => {
    expect(read([line])).toMatchObject([{ kind: 'rejection', reason }]);
  });

  test.each([
    ['expired', { result: { type: 'expired' } }],
    ['canceled', { result: { type: 'canceled' } }],
    ['a list of embeddings', { response: { body: { object: 'list', data: [{ embedding: [1] }] } } }],
    ['a moderation', { response: { body: { id: 'modr-1', results: [{ flagged: false }] } } }],
  ])('a request whose result is %s is dropped with it', (_what, more) => {
    const elements = read([requestOf(1, false), JSON.stringify({ custom_id: '1', ...more })]);
    expect(linesOf(elements)).toEqual([1, 2]);
    expect(elements.map((one) => one.kind === 'fate' && one.fate)).toEqual(
      Array(2).fill('dropped:no-completion'),
    );
  });

  test('bodies, responses and results may be JSON as text', () => {
    const asTexts = (line: string): string => {
      const { custom_id, ...parts } = JSON.parse(line);
      const texts = Object.entries(parts).map(([key, value]) => [key, value && JSON.stringify(value)]);
      return JSON.stringify({ custom_id, ...Object.fromEntries(texts) });
    };
    for (const isOpenAi of [true, false]) {
      const lines = [requestOf(1, isOpenAi), answerOf(1, isOpenAi)].map(asTexts);
      expect(entriesOf(read(lines)).map(textOf)).toEqual(['q1 a1']);
    }
  });

  test('an answer with the status of an error is one', () => {
    const response = { status_code: 500, body: { detail: 'x' } };
    const [entry] = entriesOf(read([requestOf(1, true), JSON.stringify({ custom_id: '1', response })]));
    expect(entry?.messages[0]?.notes).toMatchObject([{ rule: 'response-error' }]);
  });

  test('the answer to an unreadable request is dropped', () => {
    const lines = [answerOf(1, true), '{"custom_id":"1","body":{"messages":7}}'];
    expect(read(lines)).toMatchObject([
      { kind: 'rejection', reason: 'bad-messages', origin: { line: 2 } },
      { fate: 'dropped:no-completion', origin: { line: 1 } },
    ]);
  });
});

describe('a batch of Google', () => {
  const answer = { candidates: [{ content: { role: 'model', parts: [{ text: 'a1' }] } }] };
  const request = { contents: [{ role: 'user', parts: [{ text: 'q1' }] }] };

  it('is joined by its key', () => {
    const lines = [
      { key: '1', response: answer },
      { key: '1', request },
    ].map((one) => JSON.stringify(one));
    expect(entriesOf(read(lines)).map(textOf)).toEqual(['q1 a1']);
  });

  it('may have the request beside the answer', () => {
    const response = { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'a1' }] };
    const line = { custom_id: '1', request: { messages: messages('q1') }, response, status: '' };
    const elements = read([JSON.stringify(line)]);
    expect(elements.length).toBe(1);
    expect(entriesOf(elements).map(textOf)).toEqual(['q1 a1']);
  });
});

test('an answer without its request says how to join files of any name', () => {
  const [entry] = read([answerOf(1, true)]);
  expect((entry as Entry).refused?.detail).toContain('--session-by folder');
});
