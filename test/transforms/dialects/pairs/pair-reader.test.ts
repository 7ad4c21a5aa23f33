/** Pairs of several APIs in one file: the API is told for each pair. */
import { expect, test } from 'vitest';
import anthropic from '../../../../transforms/dialects/anthropic.ts';
import calls from '../../../../transforms/dialects/calls.ts';
import type { DialectReader } from '../../../../transforms/dialects/dialect.ts';
import exchange from '../../../../transforms/dialects/exchange.ts';
import { PairReader } from '../../../../transforms/dialects/pairs/pair-reader.ts';
import responses from '../../../../transforms/dialects/responses.ts';
import { encode } from '../../../../transforms/json/utf8.ts';
import { detectDialect } from '../../../../transforms/stages/choose-dialect.ts';
import { text } from '../../bytes.ts';
import { readLog } from '../../log-lines.ts';

const readers = () => new Map([exchange, anthropic, responses].map((one) => [one.name, one.create()]));

/** Contents of each conversation, or why there is none. */
const read = (reader: DialectReader, pairs: readonly object[]) =>
  readLog(
    reader,
    pairs.map((one) => JSON.stringify(one)),
  ).map((one) => {
    if (one.kind !== 'entry') return one.kind === 'rejection' ? one.reason : one.kind;
    const { messages, reply } = one;
    return [...messages, ...(reply === undefined ? [] : [reply])]
      .map(({ bytes }) => JSON.parse(text(bytes)).content)
      .join(' ');
  });

const messages = (content: string) => [{ role: 'user', content }];
const completion = (content: string) => ({ choices: [{ message: { role: 'assistant', content } }] });
const items = (content: string) => ({
  ...{ object: 'response', id: `r-${content}` },
  output: [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: content }] }],
});
const blocks = (content: string) => ({ type: 'message', content: [{ type: 'text', text: content }] });

test('in a file of the Messages API, chats need neither a time nor a session', () => {
  const pairs = [
    { request: { system: 's', messages: messages('a') }, response: blocks('b') },
    { request: { messages: messages('c') }, response: completion('d') },
    { request: { input: 'e' }, response: items('f') },
    { request: { system: 's', messages: messages('g') }, response: blocks('h') },
  ];
  expect(read(new PairReader('anthropic', readers()), pairs).sort()).toEqual([
    'c d',
    'e f',
    's a b',
    's g h',
  ]);
});

test.each([
  ['an error', { error: { message: 'x' } }],
  ['nothing', null],
])(
  'a request of another API than the pair before is read in its own, if its answer is %s',
  (_name, response) => {
    const place = (i: number) => ({ session_id: `s${i}`, timestamp: 1_700_000_000 + i });
    const chat = {
      messages: [{ role: 'system', content: 't' }, ...messages('c')],
      tools: [{ type: 'function', function: { name: 'f' } }],
    };
    const pairs = [
      { ...place(1), request: { system: 's', messages: messages('a') }, response: blocks('b') },
      { ...place(2), request: chat, response },
      { ...place(3), request: { messages: messages('d') }, response: completion('e') },
      { ...place(4), request: { system: 's', messages: messages('f') }, response },
    ];
    const reader = new PairReader('anthropic', readers());
    expect(read(reader, pairs).sort()).toEqual(['d e', 's a b', 's f', 't c']);
  },
);

test('a chat whose request is logged with its body follows one without it', () => {
  const place = (i: number) => ({ session_id: `s${i}`, timestamp: 1_700_000_000 + i });
  const pairs = [
    { ...place(1), request: { messages: messages('a') }, response: completion('b') },
    { ...place(2), request: { body: { messages: messages('c') } }, response: completion('d') },
  ];
  expect(read(new PairReader('exchange', readers()), pairs)).toEqual(['a b', 'c d']);
});

test.each([
  ['a prompt', { prompt: 'a' }, { choices: [{ text: 'b' }] }],
  [
    'a response of HTTP with its body under another name',
    { messages: messages('a') },
    { status: 200, data: completion('b') },
  ],
])('a pair may have %s', (_name, request, response) => {
  const pair = { session_id: 's', timestamp: 1_700_000_000, request, response };
  expect(read(new PairReader('exchange', readers()), [pair])).toEqual(['a b']);
});

test('a file of pairs without sessions may mix all APIs', () => {
  const pairs = [
    { request: { messages: messages('a') }, response: completion('b') },
    { request: { input: 'c' }, response: items('d') },
    { request: { system: 's', messages: messages('e') }, response: blocks('f') },
  ];
  expect(read(calls.create(), pairs).sort()).toEqual(['a b', 'c d', 's e f']);
});

test.each([
  ['no message at all', { message: null }, 'a'],
  ['its message under another name', { message: null, reply: { content: 'b' } }, 'unknown-content'],
  ['words under another name', { message: null, reply: 'It is warm.' }, 'unknown-content'],
])('a choice with %s', (_name, choice, expected) => {
  const pair = {
    ...{ session_id: 's', timestamp: '2026-02-03T10:00:00Z', request: { messages: messages('a') } },
    response: { choices: [{ index: 0, finish_reason: 'stop', ...choice }] },
  };
  expect(read(new PairReader('exchange', readers()), [pair])).toEqual([expected]);
});

test('a choice that is a text', () => {
  const pair = {
    ...{ session_id: 's', timestamp: '2026-02-03T10:00:00Z', request: { messages: messages('a') } },
    response: { choices: ['It is warm.'] },
  };
  expect(read(new PairReader('exchange', readers()), [pair])).toEqual(['unknown-content']);
});

test('a request that is JSON in a string is read, and rejected for what is wrong with its answer', () => {
  const place = (i: number) => ({ session_id: `s${i}`, timestamp: 1_700_000_000 + i });
  const request = JSON.stringify({ messages: messages('a') });
  const pairs = [
    { ...place(1), request, response: JSON.stringify(completion('b')) },
    { ...place(2), request, response: completion('c') },
    { ...place(3), request, response: "ChatCompletion(id='r', choices=[])" },
    { ...place(4), request: { messages: messages('d') }, response: completion('e') },
  ];
  for (const pair of pairs.slice(0, 3))
    expect(detectDialect(encode(JSON.stringify(pair)))?.name).toBe('exchange');
  expect(read(new PairReader('exchange', readers()), pairs)).toEqual([
    'a b',
    'a c',
    'unknown-content',
    'd e',
  ]);
});

test.each([
  ['a text', { output: 'b' }],
  ['the text of a completion', { completion: 'b', response: null }],
  ['choices', { choices: completion('b').choices, response: null }],
])('a pair without a response is rejected if it has %s in its place', (_name, more) => {
  const pair = { timestamp: 1, session_id: 's', request: { messages: messages('a') } };
  expect(read(new PairReader('exchange', readers()), [{ ...pair, ...more }])).toEqual(['unknown-content']);
  expect(read(new PairReader('exchange', readers()), [{ ...pair, output: '', completion: null }])).toEqual([
    'a',
  ]);
});

test('the rejection of a stream as a text says what is wrong with it', () => {
  const chunk = (content: string, finish_reason: string | null) =>
    `data: ${JSON.stringify({ object: 'chat.completion.chunk', choices: [{ index: 0, delta: { content }, finish_reason }] })}\n\n`;
  const pair = {
    ...{ timestamp: 1_700_000_000, session_id: 's', request: { messages: messages('a') } },
    response: [chunk('b', 'stop'), chunk('c', null)].join(''),
  };
  const all = new Map([exchange, anthropic, responses, calls].map((one) => [one.name, one.create()]));
  expect(readLog(new PairReader('exchange', all), [JSON.stringify(pair)])).toMatchObject([
    { kind: 'rejection', reason: 'unknown-content', detail: expect.stringContaining('two answers') },
  ]);
});

test.each([
  ['Ollama', { model: 'm', message: { role: 'assistant', content: 'b' }, done: true }, ['a b']],
  ['Cohere', { id: 'x', message: { role: 'assistant', content: 'b' } }, ['a b']],
  ['an API that is not known', { output: 'It leaves at nine.' }, ['unknown-content']],
  ['a server that failed', { message: 'Too many requests.' }, ['a']],
])('a pair with the answer of %s among chats', (_what, response, expected) => {
  const pair = { timestamp: 1, session_id: 's', request: { messages: messages('a') }, response };
  expect(read(new PairReader('exchange', readers()), [pair])).toEqual(expected);
});
