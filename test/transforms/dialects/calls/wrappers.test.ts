/** Calls inside the objects that LiteLLM, OpenHands and Bedrock log around them. */
import { describe, expect, it, test } from 'vitest';
import { text } from '../../bytes.ts';
import {
  completion,
  conversations,
  dialectOf,
  entriesOf,
  messagesOf,
  metaOf,
  question,
  read,
  reply,
} from '../call-logs.ts';

describe('a payload of LiteLLM', () => {
  const payload = (more: object) => ({
    ...{ call_type: 'acompletion', startTime: 1_767_225_600.5, trace_id: 't', status: 'success' },
    ...{ messages: [question], response: completion, ...more },
  });

  describe('of the Responses API', () => {
    const items = [
      { role: 'user', content: 'a' },
      { type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' },
      { type: 'function_call_output', call_id: 'c', output: 'r' },
    ];
    const output = [{ type: 'message', role: 'assistant', content: [{ type: 'output_text', text: 'b' }] }];
    const response = { id: 'r1', object: 'response', status: 'completed', output };
    const logged = (messages: unknown, more: object = {}) =>
      payload({ call_type: 'aresponses', messages, response, ...more });

    it('has its items as messages', () => {
      const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } };
      expect(conversations(logged(items))).toEqual([
        [
          question,
          { role: 'assistant', tool_calls: [call] },
          { role: 'tool', tool_call_id: 'c', content: 'r' },
          reply,
        ],
      ]);
      for (const messages of ['a', { input: 'a' }, [question]])
        expect(conversations(logged(messages))).toEqual([[question, reply]]);
    });

    it('has its instructions and the response before it among the parameters', () => {
      const more = {
        model_parameters: { instructions: 's', previous_response_id: 'r1' },
        response: { ...response, id: 'r2' },
      };
      expect(conversations(logged('a'), logged('a', more))).toEqual([
        [question, reply],
        [{ role: 'system', content: 's' }, question, reply, question, reply],
      ]);
    });

    it('may have its request only as the client sent it', () => {
      const row = {
        ...{
          call_type: 'aresponses',
          startTime: '2026-01-01T00:00:00Z',
          messages: '{}',
          response: JSON.stringify(response),
        },
        proxy_server_request: JSON.stringify({ input: 'a', instructions: 's' }),
      };
      for (const messages of ['{}', '[]', []])
        expect(conversations({ ...row, messages })).toEqual([
          [{ role: 'system', content: 's' }, question, reply],
        ]);
    });
  });

  it('has its system text and tools among the parameters, or in the request as the client sent it', () => {
    const system = [{ type: 'text', text: 's' }];
    const tools = [{ name: 'f', input_schema: { type: 'object', properties: {} } }];
    const whole = [[{ role: 'system', content: 's' }, question, reply]];
    for (const place of ['model_parameters', 'optional_params', 'proxy_server_request']) {
      const beside = { [place]: { system, tools, messages: [question] } };
      for (const more of [beside, { ...beside, system: null }]) {
        const [entry] = entriesOf(read([payload({ call_type: 'anthropic_messages', ...more })]));
        expect(entry && messagesOf(entry)).toEqual(whole[0]);
        expect(entry?.tools.map(({ name }) => name)).toEqual(['f']);
      }
      const messages = [{ role: 'system', content: 's' }, question];
      expect(conversations(payload({ messages, ...beside }))).toEqual(whole);
    }
  });

  it('is an error if its status says so', () => {
    const [entry] = entriesOf(read([payload({ status: 'failure', response: null, error_str: 'x' })]));
    expect(entry?.messages.flatMap(({ notes = [] }) => notes.map(({ rule }) => rule))).toEqual([
      'response-error',
    ]);
  });

  it('of the Gemini API has its contents as messages', () => {
    const logged = payload({
      call_type: 'agenerate_content',
      messages: [{ role: 'user', parts: [{ text: 'a' }] }],
      response: { candidates: [{ content: { role: 'model', parts: [{ text: 'b' }] } }] },
    });
    expect(conversations(logged)).toEqual([[question, reply]]);
  });

  it('may be inside the object that a callback gets', () => {
    for (const logged of [
      { kwargs: { standard_logging_object: payload({}), messages: [] }, response_obj: completion },
      { event: 'success', standard_logging_object: payload({}) },
    ]) {
      expect(dialectOf(logged)).toBe('calls');
      expect(conversations(logged)).toEqual([[question, reply]]);
    }
  });

  test.each([
    ['as text', { messages: 'redacted-by-litellm', response: 'redacted-by-litellm' }],
    ['message by message', { messages: [{ role: 'user', content: 'redacted-by-litellm' }] }],
  ])('whose texts were left out %s is rejected', (_what, more) => {
    expect(read([payload(more)])).toMatchObject([{ reason: 'bad-messages' }]);
    expect(
      conversations(payload({ messages: [{ role: 'user', content: 'see redacted-by-litellm' }] })),
    ).toHaveLength(1);
  });

  test.each(['aembedding', 'amoderation', 'image_generation', 'arerank', 'atranscription', 'call_mcp_tool'])(
    'of %s is not a call of a model that answers',
    (call_type) => {
      const logged = payload({ call_type, messages: null, input: ['a'], response: { data: [] } });
      expect(dialectOf(logged)).toBe('calls');
      expect(read([logged])).toMatchObject([{ fate: 'dropped:no-completion' }]);
    },
  );
});

test('an LLM log of OpenHands may be for the Responses API', () => {
  const item = { type: 'message', id: 'm', role: 'assistant', content: [{ type: 'output_text', text: 'b' }] };
  const log = {
    ...{ llm_path: 'responses', instructions: 's', kwargs: { include: [] }, timestamp: 1_767_225_600.5 },
    input: [{ type: 'message', role: 'user', content: [{ type: 'input_text', text: 'a' }] }],
    tools: [{ type: 'function', name: 'f', parameters: { type: 'object', properties: {} } }],
    response: { id: 'r', object: 'response', status: 'completed', output: [item] },
  };
  expect(dialectOf(log)).toBe('calls');
  const [entry] = entriesOf(read([log]));
  expect(entry && messagesOf(entry)).toEqual([{ role: 'system', content: 's' }, question, reply]);
  expect(entry?.tools.map(({ name }) => name)).toEqual(['f']);
});

describe('an invocation of Converse', () => {
  const log = (messages: readonly object[], content: readonly object[], stopReason = 'end_turn') => ({
    ...{ schemaType: 'ModelInvocationLog', operation: 'ConverseStream', modelId: 'model' },
    timestamp: '2026-01-01T00:00:00Z',
    input: {
      inputBodyJson: {
        ...{ messages, system: [{ text: 's' }] },
        toolConfig: {
          tools: [{ toolSpec: { name: 'f', description: 'd', inputSchema: { json: { type: 'object' } } } }],
        },
      },
    },
    output: {
      outputBodyJson: {
        output: { message: { role: 'assistant', content } },
        stopReason,
        usage: { outputTokens: 2 },
      },
    },
  });
  const asked = { role: 'user', content: [{ text: 'a' }] };
  const called = [{ text: 'b' }, { toolUse: { toolUseId: 'c', name: 'f', input: { x: 1 } } }];
  const system = { role: 'system', content: 's' };
  const call = { id: 'c', type: 'function', function: { name: 'f', arguments: '{"x":1}' } };

  it('has its system text, its tools and its calls', () => {
    const first = log([asked], called, 'tool_use');
    expect(dialectOf(first)).toBe('calls');
    const [entry] = entriesOf(read([first]));
    expect(entry && messagesOf(entry)).toEqual([system, question, { ...reply, tool_calls: [call] }]);
    expect(JSON.parse(text(entry?.tools[0]?.bytes as Uint8Array))).toEqual({
      ...{ name: 'f', description: 'd', parameters: { type: 'object' } },
    });
    expect([metaOf(entry, 'model'), metaOf(entry, 'finish')]).toEqual(['model', 'tool_use']);
  });

  test.each([
    ['a text', [{ text: 'r' }], 'r'],
    ['a JSON value', [{ json: { r: 1 } }], '{"r":1}'],
    ['a text and a JSON value', [{ text: 'r' }, { json: 1 }], 'r\n1'],
    ['an image without data', [{ image: { format: 'png' } }], '[{"image":{"format":"png"}}]'],
    [
      'a JSON value and an image',
      [{ json: { r: 1 } }, { image: { format: 'png', source: { bytes: 'aGk=' } } }],
      [
        { type: 'text', text: '{"r":1}' },
        { type: 'image_url', image_url: { url: 'data:image/png;base64,aGk=' } },
      ],
    ],
  ])('has the result of a call, %s, as a message of its own', (_what, content, expected) => {
    const answered = {
      role: 'user',
      content: [{ toolResult: { toolUseId: 'c', content, status: 'success' } }],
    };
    const logged = log([asked, { role: 'assistant', content: called }, answered], [{ text: 'b' }]);
    const [conversation] = conversations(log([asked], called), logged);
    expect(conversation?.slice(3)).toEqual([{ role: 'tool', tool_call_id: 'c', content: expected }, reply]);
  });

  it('has images with their data, and keeps other media as they are', () => {
    const image = { image: { format: 'png', source: { bytes: 'aGk=' } } };
    const kept = [
      { image: { format: 'png', source: { s3Location: { uri: 's3://b/k' } } } },
      { document: { format: 'pdf', name: 'n', source: { bytes: 'aGk=' } } },
      { video: { format: 'mp4', source: { bytes: 'aGk=' } } },
    ];
    const answer = [{ citationsContent: { content: [{ text: 'b' }], citations: [] } }];
    const [conversation] = conversations(
      log([{ role: 'user', content: [image, ...kept, { text: 'a' }] }], answer),
    );
    const url = 'data:image/png;base64,aGk=';
    expect(conversation?.slice(1)).toEqual([
      {
        role: 'user',
        content: [{ type: 'image_url', image_url: { url } }, ...kept, { type: 'text', text: 'a' }],
      },
      { role: 'assistant', content: answer },
    ]);
  });

  it('may be written by the models of Amazon without the operation', () => {
    const logged = { ...log([asked], [{ text: 'b' }]), operation: 'InvokeModel' };
    expect(conversations(logged)).toEqual([[system, question, reply]]);
  });

  it('reports an answer that was cut', () => {
    const [entry] = entriesOf(read([log([asked], [{ text: 'b' }], 'max_tokens')]));
    expect(entry?.reply?.notes?.map(({ rule }) => rule)).toEqual(['reply-cut']);
  });
});

describe('a line of Kong', () => {
  const payload = { request: { messages: [question] }, response: completion };
  const other = { ...payload, request: { messages: [{ ...question, content: 'c' }] } };
  const line = (ai: object) => ({ ai, request: { method: 'POST', url: 'http://x/chat' }, response: {} });

  it('may have its payload twice, but not those of two calls', () => {
    expect(conversations(line({ payload, proxy: { payload } }))).toEqual([[question, reply]]);
    const [rejected] = read([line({ proxy: { payload }, prompts: { payload: other } })]);
    expect(rejected).toMatchObject({ reason: 'unknown-content' });
  });
});
