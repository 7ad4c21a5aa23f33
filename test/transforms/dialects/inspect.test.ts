/** Evaluation logs of Inspect: samples after the head, texts stored as attachments, scores. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import calls from '../../../transforms/dialects/calls.ts';
import inspect from '../../../transforms/dialects/inspect.ts';
import { decode } from '../../../transforms/json/utf8.ts';
import type { Entry, StreamElement } from '../../../transforms/model/element.ts';
import { asBuffer, text } from '../bytes.ts';
import { lineOf } from '../log-lines.ts';
import { type Turn, turns } from './agent-logs.ts';

const HEAD = { version: 2, status: 'success', eval: { run_id: 'R', model: 'm' }, plan: {} };
const HASH = '0123456789abcdef0123456789abcdef';

/** Reads the head and then the samples, as the framer emits them. */
function read(samples: readonly (object | string)[], keepSealed = false): readonly StreamElement[] {
  const reader = inspect.create(undefined, { keepSealed });
  const lines = [
    JSON.stringify(HEAD),
    ...samples.map((one) => (typeof one === 'string' ? one : JSON.stringify(one))),
  ];
  const elements = lines.flatMap((json, i) => [...reader.read(lineOf(json, asBuffer, i + 1, i * 100_000))]);
  return [...elements, ...(reader.end?.() ?? [])];
}

const entriesOf = (elements: readonly StreamElement[]): readonly Entry[] =>
  elements.filter((element): element is Entry => element.kind === 'entry');
const messagesOf = ({ messages, reply }: Entry) =>
  (reply === undefined ? messages : [...messages, reply]).map(({ bytes }) => JSON.parse(text(bytes)));
const only = (sample: object, keepSealed = false): Entry =>
  entriesOf(read([{ id: 1, epoch: 1, ...sample }], keepSealed))[0] as Entry;
const rulesOf = ({ messages, reply }: Entry): readonly string[] =>
  [...messages, ...(reply === undefined ? [] : [reply])].flatMap(({ notes = [] }) =>
    notes.map(({ rule }) => rule),
  );
const user = { role: 'user', content: 'a' };
const answer = { role: 'assistant', content: 'b' };

it('knows a sample alone, whose answer is written once', () => {
  const output = { choices: [{ message: answer, stop_reason: 'stop' }] };
  const sample = { id: 1, epoch: 1, input: 'a', target: 'b', messages: [user, answer], output };
  const first = new Map(Object.entries(sample).map(([key, value]) => [key, asBuffer(JSON.stringify(value))]));
  expect(inspect.detect(first)).toBe(true);
  expect(calls.detect(first)).toBe(false);
  const reader = inspect.create();
  const [entry] = entriesOf([...reader.read(lineOf(JSON.stringify(sample)))]);
  expect(messagesOf(entry as Entry)).toEqual([user, answer]);
  first.delete('epoch');
  expect(inspect.detect(first)).toBe(false);
});

it('reports further answers that the output has beside the messages', () => {
  const choices = [answer, answer].map((message) => ({ message, stop_reason: 'stop' }));
  const rules = (output: object) => rulesOf(only({ messages: [user, answer], output }));
  expect(rules({ choices })).toEqual(['other-choices']);
  expect(rules({ choices: choices.slice(1) })).toEqual([]);
});

it('reports an answer that only the output has', () => {
  const outputOf = (message: object) => ({ choices: [{ message, stop_reason: 'stop' }] });
  const rules = (messages: readonly object[], message: object) =>
    rulesOf(only({ messages, output: outputOf(message) }));
  const parts = [
    { type: 'reasoning', reasoning: 't' },
    { type: 'text', text: 'b' },
  ];
  expect(rules([user, { ...answer, content: parts }], answer)).toEqual([]);
  expect(rules([user, answer, user], answer)).toEqual([]);
  expect(rules([user, answer], { ...answer, content: 'c' })).toEqual(['other-choices']);
  expect(rules([user], answer)).toEqual(['unread-text']);
  expect(rules([user], { ...answer, content: '' })).toEqual([]);
  const call = { id: 'c', function: 'f', arguments: {}, type: 'function' };
  expect(rules([user], { ...answer, content: '', tool_calls: [call] })).toEqual(['unread-text']);
});

it('reports an answer that only an event or the text of the output has', () => {
  const rules = (sample: object) => rulesOf(only({ input: 'a', ...sample }));
  const called = (message: object) => ({ event: 'model', output: { choices: [{ message }] } });
  const empty = { choices: [], completion: '' };
  expect(rules({ messages: [], output: empty, events: [{ event: 'info' }] })).toEqual([]);
  expect(rules({ messages: [], output: empty, events: [called(answer)] })).toEqual(['unread-text']);
  expect(rules({ output: empty, transcript: { events: [called(answer)] } })).toEqual(['unread-text']);
  expect(rules({ messages: [user], events: [called(answer)] })).toEqual(['unread-text']);
  expect(rules({ messages: [user], events: [called({ ...answer, content: '' })] })).toEqual([]);
  expect(rules({ messages: [user, answer, user], events: [called(answer)] })).toEqual([]);
  expect(rules({ messages: [], output: { choices: [], completion: 'b' } })).toEqual(['unread-text']);
  expect(rules({ messages: [], output: { choices: [{ message: answer }], completion: 'b' } })).toEqual([]);
});

describe('a sample', () => {
  it('that is logged again is read once, and another one with its id is rejected', () => {
    const sample = { id: 1, epoch: 1, messages: [user, answer] };
    const other = { ...sample, messages: [user, { ...answer, content: 'c' }] };
    const kinds = read([sample, sample, other]).map((one) => (one.kind === 'fate' ? one.fate : one.kind));
    expect(kinds).toEqual(['dropped:document-head', 'entry', 'dropped:copied-line', 'rejection']);
    expect(entriesOf(read([sample, { ...other, epoch: 2 }]))).toHaveLength(2);
    expect(
      entriesOf(
        read([
          { ...sample, uuid: 'u' },
          { ...other, uuid: 'v' },
        ]),
      ),
    ).toHaveLength(2);
    const { epoch: _epoch, ...bare } = sample;
    expect(entriesOf(read([bare, bare]))).toHaveLength(2);
  });

  it('has an id of run, sample and epoch', () => {
    const messages = [user, answer];
    const elements = read([
      { id: 7, epoch: 1, messages },
      { id: 'x', epoch: 2, messages },
      { id: 'y', messages },
    ]);
    expect(elements[0]).toMatchObject({ kind: 'fate', fate: 'dropped:document-head' });
    expect(entriesOf(elements).map(({ sessionId }) => sessionId)).toEqual(['R/7/1', 'R/x/2', 'R/y']);
  });

  it('may be in the same object as the head', () => {
    const json = JSON.stringify({ ...HEAD, samples: [{ id: 1, epoch: 1, messages: [user, answer] }] });
    const elements = [...inspect.create().read(lineOf(json))];
    expect(elements.map(({ kind }) => kind)).toEqual(['repair', 'fate', 'entry']);
  });

  it('without messages consists of its input and output', () => {
    const output = { choices: [{ message: answer, stop_reason: 'content_filter' }] };
    const entry = only({ input: 'a', messages: [], output });
    expect([messagesOf(entry), rulesOf(entry)]).toEqual([[user, answer], ['reply-filtered']]);
    expect(messagesOf(only({ input: [user], messages: null, output }))).toEqual([user, answer]);
  });

  it.each([
    ['an id', { id: null, messages: [user] }, 'bad-event'],
    ['any message', { messages: [], output: { choices: [] } }, 'bad-messages'],
  ])('without %s is rejected', (_what, sample, reason) => {
    expect(read([{ id: 1, ...sample }])[1]).toMatchObject({ kind: 'rejection', reason });
  });

  it('whose output has an error is reported, and is no answer if it is that error', () => {
    const sample = (error: string | null) =>
      only({
        messages: [user, answer],
        output: { choices: [{ message: answer, stop_reason: 'stop' }], error },
      });
    expect([messagesOf(sample(null)), rulesOf(sample(null))]).toEqual([[user, answer], []]);
    expect([messagesOf(sample('late')), rulesOf(sample('late'))]).toEqual([
      [user, answer],
      ['response-error'],
    ]);
    expect([messagesOf(sample('b')), rulesOf(sample('b'))]).toEqual([[user], ['response-error']]);
  });

  it.each([
    ['length', 'reply-cut', 'max_tokens'],
    ['length', 'reply-cut', 'model_length'],
    ['filter', 'reply-filtered', 'content_filter'],
  ])('that ended by the %s has the finding %s', (_what, rule, stop_reason) => {
    const output = { choices: [{ message: answer, stop_reason }] };
    expect(rulesOf(only({ messages: [user, answer], output }))).toEqual([rule]);
  });

  it('has the tools of its first model call', () => {
    const tool = { name: 'f', description: 'd', parameters: { type: 'object' } };
    const events = [{ event: 'state' }, { event: 'model', tools: [] }, { event: 'model', tools: [tool] }];
    const { tools } = only({ messages: [user], events });
    expect(tools.map(({ bytes, name }) => [name, JSON.parse(text(bytes))])).toEqual([['f', tool]]);
  });

  it('has its score, its model and its tokens as meta', () => {
    const metaOf = (sample: object) =>
      Object.fromEntries(
        [...(only({ messages: [user], ...sample }).meta ?? [])].map(([name, json]) => [name, decode(json)]),
      );
    expect(metaOf({ scores: { a: { value: 'C' } } })).toEqual({
      source_id: '"R"',
      harness: '"inspect"',
      model: '"m"',
      reward: '"C"',
    });
    const scores = { a: { value: 'I' }, b: { value: { x: 1 } } };
    expect(metaOf({ scores, model_usage: { m: { input_tokens: 3 } } })).toMatchObject({
      reward: '{"a":"I","b":{"x":1}}',
      usage: '{"m":{"input_tokens":3}}',
    });
  });
});

describe('an attachment', () => {
  const attachments = { [HASH]: 'two\nlines, a "quote" and \u00e9' };

  it('is inserted in contents and arguments, alone or inside a longer text', () => {
    const call = { id: 'c', function: 'f', arguments: { t: `attachment://${HASH}` } };
    const messages = [
      { role: 'user', content: `see attachment://${HASH}!` },
      { role: 'assistant', content: '', tool_calls: [call] },
    ];
    const [first, second] = messagesOf(only({ messages, attachments }));
    expect(first.content).toBe(`see ${attachments[HASH]}!`);
    expect(JSON.parse(second.tool_calls[0].function.arguments)).toEqual({ t: attachments[HASH] });
  });

  it.each([
    ['a hash that the log does not hold', [{ role: 'user', content: `attachment://${'e'.repeat(32)}` }]],
    ['a message that is a reference', [user, 3]],
  ])('is reported when it is missing: %s', (_what, messages) => {
    const entry = only({ messages, attachments });
    expect(rulesOf(entry)).toEqual(['attachment-missing']);
  });

  it('is not a message whose role has another name: its words would be missing', () => {
    const [rejected] = read([{ id: 1, epoch: 1, messages: [{ turn: 'user', content: 'a' }, answer] }]).slice(
      1,
    );
    expect(rejected).toMatchObject({ kind: 'rejection', reason: 'unknown-content' });
  });

  it('is not every text with such an address', () => {
    expect(rulesOf(only({ messages: [{ role: 'user', content: 'attachment://notes.txt' }] }))).toEqual([]);
  });
});

describe('a result', () => {
  it('has the error as its text if its content is empty', () => {
    const error = { type: 'timeout', message: 'Timed out.' };
    const call = { role: 'assistant', content: '', tool_calls: [{ id: 'c', function: 'f', arguments: {} }] };
    const result = (content: string) => ({ role: 'tool', tool_call_id: 'c', function: 'f', content, error });
    expect(messagesOf(only({ messages: [call, result('')] }))[1].content).toBe('Timed out.');
    const entry = only({ messages: [call, result('partly')] });
    expect([messagesOf(entry)[1].content, rulesOf(entry)]).toEqual(['partly', ['result-is-error']]);
  });
});

it('keeps redacted reasoning only on request', () => {
  const content = [
    { type: 'reasoning', reasoning: 'c2VhbA', redacted: true },
    { type: 'text', text: 'b' },
  ];
  const sample = { messages: [user, { role: 'assistant', content }] };
  expect([messagesOf(only(sample))[1], [...only(sample).changes]]).toEqual([
    answer,
    [['sealed-reasoning', 1]],
  ]);
  expect(messagesOf(only(sample, true))[1]).toMatchObject({ reasoning_details: [{ data: 'c2VhbA' }] });
});

/** A sample with tokens. */
function sampleOf(conversation: readonly Turn[]): {
  readonly sample: object;
  readonly tokens: readonly string[];
} {
  const tokens: string[] = [];
  const token = (): string => {
    tokens.push(`t${tokens.length}x`);
    return tokens.at(-1) as string;
  };
  const messages = conversation.flatMap(({ rounds }): object[] => [
    { role: 'user', content: token() },
    ...rounds.flatMap(({ calls, reversed, thinks }, r): object[] => {
      const ids = Array.from({ length: calls }, (_, i) => `c${r}-${i}`);
      const toolCalls = ids.map((id) => ({ id, function: 'f', arguments: { t: token() } }));
      const content = thinks ? [{ type: 'reasoning', reasoning: token() }] : '';
      const results = (reversed ? ids.toReversed() : ids).map((id) => ({
        role: 'tool',
        tool_call_id: id,
        function: 'f',
        content: token(),
      }));
      return [{ role: 'assistant', content, tool_calls: toolCalls }, ...results];
    }),
    { role: 'assistant', content: [{ type: 'text', text: token() }] },
  ]);
  return { sample: { id: 1, epoch: 1, messages }, tokens };
}

describe('random samples', () => {
  it('have every text, call and result once', () => {
    fc.assert(
      fc.property(turns, (conversation) => {
        const { sample, tokens } = sampleOf(conversation);
        const written = entriesOf(read([sample]))
          .flatMap(messagesOf)
          .map((one) => JSON.stringify(one))
          .join('\n');
        for (const one of tokens) expect(written.split(one).length - 1, one).toBe(1);
      }),
    );
  });

  it('truncated after any byte are one rejection after the head', () => {
    const json = JSON.stringify(
      sampleOf([{ rounds: [{ calls: 2, reversed: true, thinks: true }], noise: false }]).sample,
    );
    for (let end = 1; end < json.length; end++)
      expect(read([json.slice(0, end)]).map(({ kind }) => kind)).toEqual(['fate', 'rejection']);
  });
});

describe('a part of an answer', () => {
  it('with reasoning that is sealed or empty has its summary', () => {
    const text = { type: 'text', text: 'b' };
    const reasoningIn = (part: object) => {
      const entry = only({ messages: [user, { role: 'assistant', content: [part, text] }] });
      return [messagesOf(entry)[1].reasoning_content, ...rulesOf(entry)];
    };
    const sealed = { type: 'reasoning', reasoning: 'x', summary: 'hm', redacted: true };
    expect(reasoningIn(sealed)).toEqual(['hm', 'reasoning-summary', 'reasoning-sealed']);
    expect(reasoningIn({ type: 'reasoning', reasoning: '', summary: 'hm' })).toEqual([
      'hm',
      'reasoning-summary',
    ]);
    expect(reasoningIn({ type: 'reasoning', reasoning: 'whole', summary: 'hm' })).toEqual(['whole']);
  });

  it('that is a call of the server stays with its result', () => {
    const part = {
      type: 'tool_use',
      tool_type: 'web_search',
      id: 'w',
      name: 's',
      arguments: '{}',
      result: 'r',
    };
    const entry = only({ messages: [user, { role: 'assistant', content: [part] }] });
    expect(messagesOf(entry)[1]).toEqual({ role: 'assistant', content: [part] });
    expect(rulesOf(entry)).toEqual(['block-kept']);
  });
});

it('reads the tools and the score of logs of 2024', () => {
  const events = [{ event: 'model', tools: [{ name: 'f', parameters: { type: 'object' } }] }];
  const entry = only({ messages: [user, answer], transcript: { events }, score: { value: 'C' } });
  expect(entry.tools.map(({ name }) => name)).toEqual(['f']);
  expect(text(entry.meta?.get('reward') as Uint8Array)).toBe('"C"');
});
