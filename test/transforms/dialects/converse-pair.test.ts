/** Pairs whose request has a `system` but whose answer is one of Bedrock's Converse API are not of the Messages API. */
import { expect, it } from 'vitest';
import { encode } from '../../../transforms/json/utf8.ts';
import type { Entry } from '../../../transforms/model/element.ts';
import { detectDialect } from '../../../transforms/stages/choose-dialect.ts';
import { conversations, read } from './call-logs.ts';

const request = { messages: [{ role: 'user', content: [{ text: 'a' }] }], system: [{ text: 'Be brief.' }] };
const message = { role: 'assistant', content: [{ text: 'b' }] };
const dialectOf = (response: object): string | undefined =>
  detectDialect(
    encode(JSON.stringify({ session_id: 's', timestamp: '2026-02-01T10:00:00Z', request, response })),
  )?.name;

it('are read as pairs of any API', () => {
  expect(dialectOf({ output: { message }, stopReason: 'end_turn' })).toBe('exchange');
  expect(dialectOf({ type: 'message', role: 'assistant', content: [{ type: 'text', text: 'b' }] })).toBe(
    'anthropic',
  );
});

it('keep a call that the server ran, and its result, in their place in the answer', () => {
  const ran = { toolUseId: '1', name: 'nova_code_interpreter', input: {}, type: 'server_tool_use' };
  const result = {
    toolUseId: '1',
    content: [{ json: { stdOut: '7' } }],
    type: 'nova_code_interpreter_result',
  };
  const call = { toolUseId: '2', name: 'say', input: { what: 7 }, type: 'tool_use' };
  const answer = (type: string) => ({
    stopReason: 'tool_use',
    output: {
      message: {
        role: 'assistant',
        content: [{ toolUse: ran }, { toolResult: { ...result, type } }, { toolUse: call }],
      },
    },
  });
  const [messages] = conversations({ request, response: answer(result.type) });
  expect(messages).toHaveLength(3);
  expect(messages?.at(-1)).toMatchObject({
    content: [ran, result],
    tool_calls: [{ id: '2', function: { name: 'say', arguments: '{"what":7}' } }],
  });
  expect(read([{ request, response: answer('other_result') }])).toMatchObject([
    { kind: 'rejection', reason: 'unknown-content' },
  ]);
});

it.each([
  ['Converse', { ...request, toolConfig: { tools: [{ systemTool: { name: 'nova_grounding' } }] } }, 1],
  ['Converse, beside a cache point', { ...request, toolConfig: { tools: [{ cachePoint: {} }] } }, 0],
  ['Gemini', { contents: [{ role: 'user', parts: [{ text: 'a' }] }], tools: [{ googleSearch: {} }] }, 1],
])('report tools of the server without a definition: %s', (api, asked, count) => {
  const parts = [{ text: 'b' }];
  const response =
    api === 'Gemini'
      ? { candidates: [{ content: { role: 'model', parts }, finishReason: 'STOP' }] }
      : { output: { message }, stopReason: 'end_turn' };
  const [entry] = read([{ request: asked, response }]);
  const notes = (entry as Entry).messages.flatMap((one) => one.notes ?? []);
  expect((entry as Entry).tools).toEqual([]);
  expect(notes.filter(({ rule }) => rule === 'server-tool')).toHaveLength(count);
});
