/** Which objects are calls of a gateway, and which belong to other dialects. */
import { expect, it } from 'vitest';
import { detectDialect } from '../../../transforms/stages/choose-dialect.ts';
import { asBuffer } from '../bytes.ts';

const dialectOf = (object: object): string | undefined =>
  detectDialect(asBuffer(JSON.stringify(object)))?.name;

const request = { messages: [{ role: 'user', content: 'a' }] };
const response = { choices: [{ message: { role: 'assistant', content: 'b' } }] };
const message = { type: 'message', role: 'assistant', content: [{ type: 'text', text: 'b' }] };

it.each([
  ['a request and a response', { request, response }],
  ['both logged as text', { request: JSON.stringify(request), response: JSON.stringify(response) }],
  ['the bodies of both', { request: { body: request }, response: { body: response } }],
  ['both with a time', { timestamp: '2026-01-01T00:00:00Z', request, response }],
  ['a list of messages as input, and an output', { input: request.messages, output: 'b' }],
  ['a response beside its input', { object: 'response', input: request.messages, output: [] }],
  ['messages beside a chunk of a stream', { ...request, choices: [{ delta: { content: 'b' } }] }],
  [
    'requests of HTTP with a host and a path',
    {
      request: { method: 'POST', host: 'x', path: '/v1/chat/completions', content: JSON.stringify(request) },
      response: { status_code: 200, content: JSON.stringify(response) },
    },
  ],
])('%s without a session are a call', (_what, object) => {
  expect(dialectOf(object)).toBe('calls');
});

it.each([
  ['exchange', 'a session id', { session_id: 's', request, response }],
  [undefined, 'a time and no response', { timestamp: '2026-01-01T00:00:00Z', request }],
  ['exchange', 'no response', { request }],
  ['anthropic', 'an answer of the Messages API', { request, response: message }],
  ['responses', 'items', { request: { input: 'a' }, response: { output: [] } }],
  [undefined, 'no messages', { request: { text: 'a' }, response }],
  ['responses', 'a response without its input', { object: 'response', input: [], output: [] }],
])('%s: a pair with %s', (name, _what, object) => {
  expect(dialectOf(object)).toBe(name);
});

it.each([
  ['calls', 'InvokeModel', { messages: [] }],
  ['calls', 'InvokeModelWithResponseStream', { messages: [] }],
  [undefined, 'InvokeModel', { prompt: 'a' }],
  ['calls', 'Converse', { messages: [] }],
  ['calls', 'ConverseStream', { messages: [] }],
])('%s: an invocation of Bedrock by %s of %o', (name, operation, inputBodyJson) => {
  const log = {
    schemaType: 'ModelInvocationLog',
    operation,
    modelId: 'm',
    output: { outputBodyJson: message },
  };
  expect(dialectOf({ ...log, input: { inputBodyJson } })).toBe(name);
});
