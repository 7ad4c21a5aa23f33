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
])('%s without a session and a time are a call', (_what, object) => {
  expect(dialectOf(object)).toBe('calls');
});

it.each([
  ['exchange', 'a session id', { session_id: 's', request, response }],
  ['exchange', 'a time', { timestamp: '2026-01-01T00:00:00Z', request, response }],
  ['exchange', 'no response', { request }],
  ['anthropic', 'an answer of the Messages API', { request, response: message }],
  ['responses', 'items', { request: { input: 'a' }, response: { output: [] } }],
  [undefined, 'no messages', { request: { text: 'a' }, response }],
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
