/** Traces in the words of single clients and platforms: exports of Langfuse, LangChain's streamed calls, Logfire, the Agent Development Kit. */
import { describe, expect, it, test } from 'vitest';
import { detectDialect } from '../../../transforms/stages/choose-dialect.ts';
import { asBuffer, text } from '../bytes.ts';
import { entriesOf, messagesOf, read, rulesOf } from './span-samples.ts';

const question = { role: 'user', content: 'a' };
const call = (args: string) => ({ id: 'c', type: 'function', function: { name: 'f', arguments: args } });
const answer = { role: 'assistant', content: null, tool_calls: [call('{"x": 1}')] };
const conversations = (...objects: object[]) =>
  entriesOf(read(objects.map((one) => JSON.stringify(one)))).map((entry) => messagesOf(entry));
const metaOf = (name: 'usage' | 'cost' | 'model' | 'parent', ...objects: object[]) =>
  entriesOf(read(objects.map((one) => JSON.stringify(one)))).map(({ meta }) => {
    const json = meta?.get(name);
    return json === undefined ? undefined : JSON.parse(text(json));
  });
const dialectOf = (object: object) => detectDialect(asBuffer(JSON.stringify(object)))?.name;

describe('an answer of LangChain', () => {
  const run = (outputs: object) => ({
    run_type: 'llm',
    trace_id: 't',
    id: 'r',
    inputs: { messages: [question] },
    outputs,
  });
  const chunk = (input: unknown, more: object, calls: object[]) => ({
    lc: 1,
    type: 'constructor',
    id: ['langchain', 'schema', 'messages', 'AIMessageChunk'],
    kwargs: {
      content: [
        { type: 'text', text: 'b' },
        { type: 'tool_use', id: 'c', name: 'f', input, ...more },
      ],
      tool_calls: calls,
    },
  });
  const expected = (args: string) => [
    [question, { role: 'assistant', content: 'b', tool_calls: [call(args)] }],
  ];

  it('has the arguments of a streamed call beside an empty input', () => {
    const listed = [{ name: 'f', args: { x: 1 }, id: 'c', type: 'tool_call' }];
    expect(conversations(run({ output: chunk({}, {}, listed) }))).toEqual(expected('{"x":1}'));
    expect(conversations(run({ output: chunk('', {}, listed) }))).toEqual(expected('{"x":1}'));
    expect(conversations(run({ output: chunk({}, { partial_json: '{"x": 1}' }, []) }))).toEqual(
      expected('{"x": 1}'),
    );
  });

  it('keeps the input of a call that has one', () => {
    const listed = [{ name: 'f', args: { x: 2 }, id: 'c', type: 'tool_call' }];
    expect(conversations(run({ output: chunk({ x: 1 }, { partial_json: 'y' }, listed) }))).toEqual(
      expected('{"x":1}'),
    );
    expect(conversations(run({ output: chunk({}, {}, []) }))).toEqual(expected('{}'));
  });

  it('may be a text without a message', () => {
    const generations = [[{ text: 'b', generation_info: null, type: 'Generation' }]];
    expect(conversations(run({ generations }))).toEqual([[question, { role: 'assistant', content: 'b' }]]);
  });
});

describe('a span', () => {
  const span = (attributes: object, more: object = {}) => ({
    traceId: 't',
    spanId: 's',
    attributes,
    ...more,
  });
  const reply = { role: 'assistant', content: 'b' };

  it('of Logfire has the bodies of the request and the response', () => {
    const request_data = JSON.stringify({ model: 'm', messages: [question] });
    const whole = { request_data, response_data: JSON.stringify({ message: reply, usage: {} }) };
    expect(conversations(span(whole))).toEqual([[question, reply]]);
    const streamed = { request_data, response_data: { combined_chunk_content: 'b', chunk_count: 2 } };
    expect(conversations(span(streamed))).toEqual([[question, reply]]);
    const other = span({ request_data: { url: 'x' }, 'gen_ai.system': 'y' });
    expect(read([JSON.stringify(other)])).toMatchObject([{ fate: 'dropped:no-model-span' }]);
  });

  it('of the Agent Development Kit has the request and the response of Gemini', () => {
    const request = {
      config: {
        system_instruction: 's',
        tools: [{ function_declarations: [{ name: 'f', parameters: { type: 'object' } }] }],
      },
      contents: [{ role: 'user', parts: [{ text: 'a' }] }],
    };
    const response = { content: { role: 'model', parts: [{ text: 'b' }] } };
    const attributes = {
      'gcp.vertex.agent.session_id': 'session',
      'gcp.vertex.agent.llm_request': JSON.stringify(request),
      'gcp.vertex.agent.llm_response': JSON.stringify(response),
    };
    const [entry] = entriesOf(read([JSON.stringify(span(attributes))]));
    expect(entry && messagesOf(entry)).toEqual([{ role: 'system', content: 's' }, question, reply]);
    expect(entry?.tools.map(({ name }) => name)).toEqual(['f']);
    expect(entry?.sessionId).toBe('session');
    const hidden = { 'gcp.vertex.agent.llm_request': '{}', 'gcp.vertex.agent.llm_response': '{}' };
    expect(read([JSON.stringify(span({ ...hidden, 'gen_ai.system': 'x' }))])).toMatchObject([
      { fate: 'dropped:no-model-span' },
    ]);
  });

  test.each([
    ['spans', { spanId: 's' }, { spanId: 's' }, { input: 3 }],
    ['spans in a context', { context: { span_id: 's' } }, { context: { span_id: 's' } }, { input: 3 }],
    ['other spans', { spanId: 's' }, { spanId: 'r' }, { input: 6 }],
    ['spans without an id', { spanId: null }, { spanId: null }, { input: 6 }],
  ])('counts the tokens of %s that are exported twice', (_what, first, second, usage) => {
    const attributes = {
      'langfuse.observation.input': [question],
      'langfuse.observation.output': reply,
      'langfuse.observation.usage_details': { input: 3 },
    };
    expect(metaOf('usage', span(attributes, first), span(attributes, second))).toEqual([usage]);
  });
});

describe('a trace of MLflow', () => {
  it('has its values as JSON: texts with quotes, models and tokens', () => {
    const span = (inputs: object, outputs: unknown) => ({
      context: { trace_id: 't' },
      attributes: {
        'mlflow.spanType': '"LLM"',
        'mlflow.spanInputs': JSON.stringify(inputs),
        'mlflow.spanOutputs': JSON.stringify(outputs),
        'mlflow.chat.tokenUsage': '{"input_tokens":3}',
      },
    });
    const object = span({ prompt: 'a', model: 'm' }, 'b');
    expect(conversations(object)).toEqual([[question, { role: 'assistant', content: 'b' }]]);
    expect(metaOf('model', object)).toEqual(['m']);
    expect(metaOf('usage', object)).toEqual([{ input_tokens: 3 }]);
  });
});

describe('messages in events of a span', () => {
  const field = (key: string, value: unknown) => ({ key, type: 'string', value });
  const said = { role: 'assistant', content: 'b' };
  const choice = { index: 0, message: JSON.stringify(said) };
  const event = (name: string, attributes: object) => ({ name, attributes });
  const chat = { 'gen_ai.operation.name': 'chat' };

  it('may be the logs of Jaeger', () => {
    const log = (name: string, ...fields: object[]) => ({ fields: [field('event', name), ...fields] });
    const logs = [
      log('gen_ai.user.message', field('content', 'a')),
      log('gen_ai.choice', field('message', choice.message)),
    ];
    const span = { traceID: 't', tags: [field('gen_ai.operation.name', 'chat')], logs };
    expect(conversations({ data: [{ traceID: 't', spans: [span] }] })).toEqual([[question, said]]);
  });

  it('may be nested values of OTLP', () => {
    const text = (key: string, stringValue: string) => ({ key, value: { stringValue } });
    const values = [text('role', 'assistant'), text('content', 'b')];
    const attributes = [{ key: 'message', value: { kvlistValue: { values } } }];
    const events = [
      { name: 'gen_ai.user.message', attributes: [text('content', 'a')] },
      { name: 'gen_ai.choice', attributes },
    ];
    expect(conversations({ traceId: 't', attributes: chat, events })).toEqual([[question, said]]);
  });

  it('may have further choices, which are left out and reported', () => {
    const other = event('gen_ai.choice', { ...choice, index: 1 });
    const events = [event('gen_ai.user.message', { content: 'a' }), event('gen_ai.choice', choice), other];
    const [entry] = entriesOf(read([JSON.stringify({ traceId: 't', attributes: chat, events })]));
    expect(entry && messagesOf(entry)).toEqual([question, said]);
    expect(entry && rulesOf(entry)).toEqual(['other-choices']);
  });

  it('may be in the one that has all details, beside a session and a model of the span', () => {
    const details = {
      'gen_ai.input.messages': JSON.stringify([question]),
      'gen_ai.output.messages': JSON.stringify([said]),
    };
    const own = { ...chat, 'gen_ai.conversation.id': 's', 'gen_ai.response.model': 'm' };
    const events = [event('gen_ai.client.inference.operation.details', details)];
    const span = { traceId: 't', attributes: own, events };
    expect(conversations(span)).toEqual([[question, said]]);
    expect(metaOf('model', span)).toEqual(['m']);
    expect(entriesOf(read([JSON.stringify(span)]))[0]?.sessionId).toBe('s');
  });
});

it.each(['narrator', 'human', 'tool'])(
  'an answer of LangChain of the type %s is not from the model',
  (type) => {
    const outputs = (message: object) => ({ generations: [[{ text: 'b', message }]] });
    const run = { run_type: 'llm', trace_id: 't', id: 'r', inputs: { messages: [question] } };
    const reasons = (message: object) =>
      read([JSON.stringify({ ...run, outputs: outputs(message) })]).map(
        (one) => 'reason' in one && one.reason,
      );
    expect(reasons({ type, content: 'b' })).toEqual(['unknown-speaker']);
    expect(reasons({ role: type, content: 'b' })).toEqual(['unknown-speaker']);
    expect(reasons({ type: 'ai', content: 'b' })).toEqual([false]);
  },
);

it('a call of a platform with a system text in its parameters that is not in its messages is rejected', () => {
  const reasons = (messages: readonly object[]) => {
    const input = { messages };
    const ids = { id: 'o', traceId: 't', type: 'GENERATION' };
    const observation = { ...ids, input, output: 'b', modelParameters: { system: 'Be brief' } };
    const extra = { invocation_params: { system: 'Be brief' } };
    const run = { run_type: 'llm', trace_id: 't', id: 'r', inputs: input, outputs: { output: 'b' }, extra };
    return [observation, run].map((one) => read([JSON.stringify(one)]).map(({ kind }) => kind));
  };
  expect(reasons([question])).toEqual([['rejection'], ['rejection']]);
  expect(reasons([{ role: 'system', content: 'Be brief' }, question])).toEqual([['entry'], ['entry']]);
});

it('an observation has the tags of its trace', () => {
  const one = { traceId: 't', type: 'GENERATION', input: [question], output: 'b' };
  const [entry] = entriesOf(read([JSON.stringify({ id: 't', tags: ['x'], observations: [one] })]));
  expect(text(entry?.meta?.get('tags') as Uint8Array)).toBe('["x"]');
});

it('a run of LangSmith has the tokens of the message of LangChain, and its cost as a text', () => {
  const message = { kwargs: { content: 'b', usage_metadata: { input_tokens: 3 } }, id: ['AIMessage'] };
  const run = {
    ...{ run_type: 'llm', trace_id: 't', id: 'r', total_cost: '0.0050', inputs: { messages: [question] } },
    outputs: { generations: [[{ text: 'b', message }]] },
  };
  expect(conversations(run)).toEqual([[question, { role: 'assistant', content: 'b' }]]);
  expect(metaOf('usage', run)).toEqual([{ input_tokens: 3 }]);
  expect(metaOf('cost', run)).toEqual([0.005]);
});

it('a body of OTLP may have the names of its protocol buffers', () => {
  const text = (key: string, string_value: string) => ({ key, value: { string_value } });
  const said = { role: 'assistant', content: 'b' };
  const attributes = [
    text('gen_ai.operation.name', 'chat'),
    text('gen_ai.input.messages', JSON.stringify([question])),
    text('gen_ai.output.messages', JSON.stringify([said])),
    { key: 'gen_ai.usage.input_tokens', value: { int_value: '3' } },
  ];
  const span = { trace_id: 't', span_id: 's', start_time_unix_nano: '1768384801000000000', attributes };
  const body = { resource_spans: [{ scope_spans: [{ spans: [span] }] }] };
  expect(dialectOf(body)).toBe('spans');
  expect(conversations(body)).toEqual([[question, said]]);
  expect(metaOf('usage', body)).toEqual([{ input_tokens: 3 }]);
});

describe('definitions of tools', () => {
  const parameters = { type: 'object', properties: {} };
  const toolsOf = (object: object) =>
    entriesOf(read([JSON.stringify(object)]))[0]?.tools.map(({ bytes }) => JSON.parse(text(bytes)));

  it('are in the parameters of a request of Pydantic AI', () => {
    const function_tools = [{ name: 'f', parameters_json_schema: parameters }];
    const attributes = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.input.messages': [question],
      model_request_parameters: JSON.stringify({ function_tools }),
    };
    expect(toolsOf({ traceId: 't', attributes })).toEqual([{ name: 'f', parameters }]);
  });

  it('are in the configuration of a request of Gemini', () => {
    const functionDeclarations = [{ name: 'f', parametersJsonSchema: parameters }];
    const input = {
      contents: [{ role: 'user', parts: [{ text: 'a' }] }],
      config: { tools: [{ functionDeclarations }] },
    };
    expect(toolsOf({ traceId: 't', type: 'GENERATION', input, output: 'b' })).toEqual([
      { name: 'f', parameters },
    ]);
  });
});

it('a call without arguments in the attributes of OpenInference has empty ones', () => {
  const at = 'llm.output_messages.0.message';
  const attributes = {
    'openinference.span.kind': 'LLM',
    'llm.input_messages.0.message.role': 'user',
    'llm.input_messages.0.message.content': 'a',
    [`${at}.role`]: 'assistant',
    [`${at}.tool_calls.0.tool_call.id`]: 'c',
    [`${at}.tool_calls.0.tool_call.function.name`]: 'f',
  };
  const { content: _, ...called } = answer;
  expect(conversations({ traceId: 't', spanId: 's', attributes })).toEqual([
    [question, { ...called, tool_calls: [call('{}')] }],
  ]);
});

describe('a span of a platform that says nothing about being a model call', () => {
  const weave = {
    op_name: 'weave:///e/p/op/chat:a',
    trace_id: 't',
    inputs: { messages: [question] },
    output: 'b',
  };
  const opik = { trace_id: 't', input: { messages: [question] }, output: { output: 'b' } };

  it.each([
    ['an operation of the program', weave],
    ['a general span', { ...opik, type: 'general' }],
  ])('counts as unread if it is %s', (_what, span) => {
    expect(read([JSON.stringify(span)])).toMatchObject([
      { fate: 'dropped:no-model-span', unread: Object.keys(span) },
    ]);
  });

  it('is dropped if its type says that it is something else', () => {
    const [fate] = read([JSON.stringify({ ...opik, type: 'tool' })]);
    expect(fate).toMatchObject({ fate: 'dropped:no-model-span' });
    expect(fate).not.toHaveProperty('unread');
  });
});

describe('a single span with its attributes as a list of keys and values', () => {
  const span = (...attributes: readonly (readonly [string, string])[]) => ({
    ...{ traceId: 't', spanId: 's' },
    attributes: attributes.map(([key, stringValue]) => ({ key, value: { stringValue } })),
  });
  const said = (role: string, content: string) =>
    JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);

  it('is read', () => {
    const chat = span(
      ['gen_ai.operation.name', 'chat'],
      ['gen_ai.input.messages', said('user', 'a')],
      ['gen_ai.output.messages', said('assistant', 'b')],
    );
    expect(dialectOf(chat)).toBe('spans');
    expect(dialectOf(span(['http.method', 'GET']))).toBe('spans');
    expect(conversations(chat)).toEqual([[question, { role: 'assistant', content: 'b' }]]);
  });

  it('is not one without a key', () => {
    expect(dialectOf({ traceId: 't', spanId: 's', attributes: [] })).toBeUndefined();
  });
});

it('rejects a message of OpenInference with words in an attribute that is not known', () => {
  const said = (name: string, value: string) => ({
    attributes: {
      'openinference.span.kind': 'LLM',
      ...{ 'llm.input_messages.0.message.role': 'user', 'llm.input_messages.0.message.content': 'a' },
      'llm.output_messages.0.message.role': 'assistant',
      ...{ 'llm.output_messages.0.message.content': 'b', [`llm.output_messages.0.message.${name}`]: value },
    },
  });
  const kindsOf = (object: object) =>
    read([JSON.stringify(object)]).map((one) => ('reason' in one ? one.reason : one.kind));
  expect(kindsOf(said('thoughts', 'The diary will say it.'))).toEqual(['unknown-content']);
  expect(kindsOf(said('thoughts', 'none'))).toEqual(['entry']);
});
