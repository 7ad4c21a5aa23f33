/** Answers in traces: several items or several choices, and the forms in which clients log calls, results and reasoning. */
import { describe, expect, it } from 'vitest';
import { detectDialect } from '../../../transforms/stages/choose-dialect.ts';
import { asBuffer, text } from '../bytes.ts';
import { entriesOf, messagesOf, read, rulesOf } from './span-samples.ts';

const user = { role: 'user', content: 'q' };
const call = (id: string, args: string, name = 'f') => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});

const only = (object: object) => {
  const entries = entriesOf(read([JSON.stringify(object)]));
  expect(entries).toHaveLength(1);
  const [entry] = entries;
  return { messages: entry && messagesOf(entry), rules: entry && rulesOf(entry) };
};
const observation = (input: unknown, output: unknown) => ({
  traceId: 't',
  type: 'GENERATION',
  input,
  output,
});
const answerOf = (output: unknown) => {
  const { messages, rules } = only(observation([user], output));
  return { answers: messages?.slice(1), rules };
};

it.each(['null', 'None'])('has no messages of OpenTelemetry that are written as %s', (nothing) => {
  const said = (role: string, content: string) =>
    JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.system_instructions': nothing,
    'gen_ai.input.messages': said('user', 'q'),
    'gen_ai.output.messages': said('assistant', 'a'),
  };
  const span = (more: object) => ({
    traceId: 't',
    spanId: 's',
    name: 'c',
    attributes: { ...attributes, ...more },
  });
  const answer = { role: 'assistant', content: 'a' };
  expect(only(span({})).messages).toEqual([user, answer]);
  expect(only(span({ 'gen_ai.input.messages': nothing })).messages).toEqual([answer]);
});

it('keeps the calls that Pydantic AI says ran on the server, and their results, at their places', () => {
  const search = { type: 'tool_call', id: 's', name: 'web_search', builtin: true, arguments: { q: 'bees' } };
  const found = { type: 'tool_call_response', id: 's', name: 'web_search', builtin: true, result: [7] };
  const own = { type: 'tool_call', id: 'c', name: 'f', arguments: {} };
  const parts = [search, found, { type: 'text', content: 'a' }, own];
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: 'q' }] }]),
    'gen_ai.output.messages': JSON.stringify([{ role: 'assistant', parts }]),
  };
  const { messages, rules } = only({ traceId: 't', spanId: 's', name: 'c', attributes });
  const content = [search, found, { type: 'text', text: 'a' }];
  expect(messages).toEqual([user, { role: 'assistant', content, tool_calls: [call('c', '{}')] }]);
  expect(rules).toEqual(['block-kept', 'block-kept']);
});

it('reads calls of the server in OpenInference from the bodies: its attributes have only their type', () => {
  const asked = { role: 'user', content: 'q' };
  const search = { type: 'web_search_call', id: 'w', status: 'completed', action: { query: 'bees' } };
  const said = {
    type: 'message',
    id: 'm',
    role: 'assistant',
    content: [{ type: 'output_text', text: 'a', annotations: [] }],
  };
  const logged = (prefix: string) => ({
    [`${prefix}.message.role`]: 'assistant',
    [`${prefix}.message.tool_calls.0.tool_call.id`]: 'w',
    [`${prefix}.message.tool_calls.0.tool_call.function.name`]: 'web_search_call',
  });
  const attributes = (input: object[], output: object[]) => ({
    'openinference.span.kind': 'LLM',
    'input.value': JSON.stringify({ model: 'm', input, tools: [{ type: 'web_search' }] }),
    'output.value': JSON.stringify({ object: 'response', status: 'completed', output }),
    'llm.input_messages.0.message.role': 'user',
    'llm.input_messages.0.message.content': 'q',
    'llm.tools.0.tool.json_schema': '{"type":"web_search","filters":null}',
  });
  const answer = { role: 'assistant', content: [search, { type: 'text', text: 'a' }] };
  const first = {
    ...attributes([asked], [{ ...search, sources: null }, said]),
    ...logged('llm.output_messages.0'),
  };
  const answered = only({ context: { trace_id: 't', span_id: 's' }, name: 'c', attributes: first });
  expect(answered).toEqual({ messages: [user, answer], rules: ['server-tool'] });
  const bye = { ...said, id: 'n', content: [{ type: 'output_text', text: 'b', annotations: [] }] };
  const second = {
    ...attributes([asked, search, said, { role: 'user', content: 'r' }], [bye]),
    ...logged('llm.input_messages.1'),
    'llm.output_messages.0.message.role': 'assistant',
    'llm.output_messages.0.message.content': 'b',
  };
  const next = read([
    JSON.stringify({ context: { trace_id: 't', span_id: 's' }, name: 'c', attributes: second }),
  ]);
  const [entry] = entriesOf(next);
  expect(entry && messagesOf(entry)).toEqual([
    user,
    answer,
    { role: 'user', content: 'r' },
    { role: 'assistant', content: 'b' },
  ]);
  expect(entry?.tools.map(({ bytes }) => text(bytes))).toEqual(['{"type":"web_search","filters":null}']);
});

describe('a trace of Strands', () => {
  const source = { bytes: '<replaced>' };
  const answer = { role: 'assistant', content: 'a', reasoning_content: 'hm' };
  const asked = [{ type: 'text', text: 'q' }, { image: { format: 'png', source } }];
  const details = (attributes: object) => ({
    name: 'gen_ai.client.inference.operation.details',
    attributes,
  });
  const said = (role: string, ...parts: object[]) => JSON.stringify([{ role, parts }]);
  const question = said(
    'user',
    { type: 'text', content: 'q' },
    { type: 'image', content: { format: 'png', source } },
    { type: 'cachePoint', content: { type: 'default' } },
  );

  it('has parts of Converse under the names of their members', () => {
    const thought = { type: 'reasoningContent', content: { reasoningText: { text: 'hm' } } };
    const attributes = {
      'gen_ai.operation.name': 'chat',
      'gen_ai.input.messages': question,
      'gen_ai.output.messages': said('assistant', thought, { type: 'text', content: 'a' }),
    };
    const { messages, rules } = only({ traceId: 't', spanId: 's', name: 'chat', attributes });
    expect(messages).toEqual([{ role: 'user', content: asked }, answer]);
    expect(rules).toEqual(['block-kept']);
  });

  it('has messages with images as JSON texts in its events', () => {
    const json = (...parts: object[]) => JSON.stringify(parts);
    const events = [
      {
        name: 'gen_ai.user.message',
        attributes: { content: json({ text: 'q' }, { image: { format: 'png', source } }) },
      },
      {
        name: 'gen_ai.choice',
        attributes: { message: json({ reasoningContent: { reasoningText: { text: 'hm' } } }, { text: 'a' }) },
      },
    ];
    const attributes = { 'gen_ai.operation.name': 'chat' };
    const { messages } = only({ traceId: 't', spanId: 's', name: 'chat', attributes, events });
    expect(messages).toEqual([{ role: 'user', content: asked }, answer]);
  });

  it('has spans of its loop, which are left out with the messages of their calls', () => {
    const result = { type: 'tool_call_response', id: 'c', response: [{ text: '7' }] };
    const events = [
      details({ 'gen_ai.input.messages': question }),
      details({ 'gen_ai.input.messages': said('user', result) }),
    ];
    const attributes = { 'gen_ai.operation.name': 'execute_event_loop_cycle' };
    const loop = { traceId: 't', spanId: 's', name: 'execute_event_loop_cycle', attributes, events };
    expect(read([JSON.stringify(loop)])).toMatchObject([{ fate: 'dropped:no-model-span' }]);
  });
});

it('reports another answer beside the message or the text of an answer', () => {
  const said = { role: 'assistant', content: 'a b' };
  for (const output of [
    { message: said, text: 'a\nb' },
    { choices: [{ message: said }], output: 'a b ' },
  ])
    expect(answerOf(output)).toEqual({ answers: [said], rules: [] });
  for (const output of [
    { ...said, text: 'c' },
    { completion: 'c', message: said },
    { choices: [{ message: said }], output: 'c' },
  ])
    expect(answerOf(output)).toEqual({ answers: [said], rules: ['other-choices'] });
});

it('reports a second content of a message that says something else', () => {
  const rules = (content: string, parts: unknown, key = 'parts') =>
    only(observation([{ role: 'user', content, [key]: parts }], 'a')).rules;
  const text = [{ type: 'text', text: 'q' }];
  expect(rules('q ', text)).toEqual([]);
  expect(rules('', text)).toEqual([]);
  expect(rules('q', [{ type: 'reasoning', text: 'r' }])).toEqual([]);
  expect(rules('p', text)).toEqual(['unread-text']);
  expect(rules('p', [{ type: 'text', content: 'q' }], 'contents')).toEqual(['unread-text']);
});

const reasons = (object: object) =>
  read([JSON.stringify(object)]).map((one) => ('reason' in one ? one.reason : one.kind));

it('rejects messages that another list of the request has, and several prompts', () => {
  const other = { role: 'user', content: 'x' };
  const rules = (request: object) => only(observation(request, 'a')).rules;
  expect(rules({ messages: [user], input: [user], prompt: 'p' })).toEqual([]);
  expect(reasons(observation({ messages: [user], input: [other] }, 'a'))).toEqual(['unknown-content']);
  expect(reasons(observation({ input: 'q', history: [other] }, 'a'))).toEqual(['unknown-content']);
  expect(only(observation({ prompts: ['q'] }, 'a')).messages?.[0]).toMatchObject({ role: 'user' });
  expect(read([JSON.stringify(observation({ prompts: ['q', 'x'] }, 'a'))])).toMatchObject([
    { kind: 'rejection', reason: 'unknown-content' },
  ]);
  expect(reasons(observation([[user], [other]], 'a'))).toEqual(['unknown-content']);
  expect(reasons(observation({ messages: [[user], [other]] }, [['a'], ['b']]))).toEqual(['unknown-content']);
});

describe('messages of a second convention', () => {
  const own = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.input.messages': [{ role: 'user', parts: [{ type: 'text', content: 'q' }] }],
    'gen_ai.output.messages': [{ role: 'assistant', parts: [{ type: 'text', content: 'a' }] }],
  };
  const indexed = (asked: string, answered: string) => ({
    'llm.input_messages.0.message.role': 'user',
    'llm.input_messages.0.message.content': asked,
    'llm.output_messages.0.message.role': 'assistant',
    'llm.output_messages.0.message.content': answered,
  });
  const prompts = (asked: string, answered: string) => ({
    'gen_ai.prompt.0.role': 'user',
    'gen_ai.prompt.0.content': asked,
    'gen_ai.completion.0.role': 'assistant',
    'gen_ai.completion.0.content': answered,
  });
  const span = (more: object, events: readonly object[] = []) => ({
    attributes: { ...own, ...more },
    events,
  });

  it.each([
    ['OpenInference', indexed],
    ['OpenLLMetry', prompts],
  ])('are rejected if they say something else: %s', (_name, listed) => {
    expect(only(span(listed('q', 'a'))).rules).toEqual([]);
    expect(only(span(listed(' q', 'a\n'))).rules).toEqual([]);
    expect(reasons(span(listed('x', 'a')))).toEqual(['unknown-content']);
    expect(reasons(span(listed('q', 'x')))).toEqual(['unknown-content']);
  });

  it('are rejected in the events of the span too', () => {
    const event = (content: string) => ({ name: 'gen_ai.user.message', attributes: { content } });
    expect(only(span({}, [event('q')])).rules).toEqual([]);
    expect(reasons(span({}, [event('x')]))).toEqual(['unknown-content']);
  });
});

describe('several messages of the model in gen_ai.output.messages', () => {
  const message = (...parts: object[]) => ({ role: 'assistant', parts, finish_reason: 'stop' });
  const say = (content: string) => ({ type: 'text', content });
  const calling = (id: string) => ({ type: 'tool_call', id, name: 'f', arguments: {} });
  const span = (output: object[], more: object = {}) =>
    only({
      attributes: {
        'gen_ai.operation.name': 'chat',
        'gen_ai.input.messages': [{ role: 'user', parts: [say('q')] }],
        'gen_ai.output.messages': JSON.stringify(output),
        ...more,
      },
    });

  it('are the items of one answer if one of them is not a text', () => {
    const thought = message({ type: 'reasoning', content: 'hm' });
    const { messages, rules } = span([
      thought,
      message(say('a')),
      message(calling('c')),
      message(calling('d')),
    ]);
    expect(messages).toEqual([
      user,
      {
        role: 'assistant',
        content: 'a',
        reasoning_content: 'hm',
        tool_calls: [call('c', '{}'), call('d', '{}')],
      },
    ]);
    expect(rules).toEqual([]);
  });

  it('are items if they are of the Responses API, and its finish reason counts', () => {
    const more = { 'openai.api.type': 'responses', 'gen_ai.response.finish_reasons': ['length'] };
    const { messages, rules } = span([message(say('a')), message(say('b'))], more);
    expect(messages).toEqual([user, { role: 'assistant', content: 'a\nb' }]);
    expect(rules).toEqual(['reply-cut']);
  });

  it('are choices if all are texts, or if several were requested', () => {
    expect(span([message(say('a')), message(say('b'))])).toEqual({
      messages: [user, { role: 'assistant', content: 'a' }],
      rules: ['other-choices'],
    });
    const more = { 'gen_ai.request.choice.count': 2 };
    expect(span([message(calling('c')), message(calling('d'))], more)).toEqual({
      messages: [user, { role: 'assistant', tool_calls: [call('c', '{}')] }],
      rules: ['other-choices'],
    });
  });
});

describe('an answer of the Responses API', () => {
  const reasoning = { id: 'rs', type: 'reasoning', summary: [{ type: 'summary_text', text: 'hm' }] };
  const functionCall = { id: 'fc', type: 'function_call', call_id: 'c', name: 'f', arguments: '{}' };
  const said = (text: string) => ({
    type: 'message',
    role: 'assistant',
    content: [{ type: 'output_text', text }],
  });

  it('may be the list of its items', () => {
    expect(answerOf([reasoning, said('a'), functionCall])).toEqual({
      answers: [{ role: 'assistant', content: 'a', reasoning_content: 'hm', tool_calls: [call('c', '{}')] }],
      rules: ['reasoning-summary'],
    });
    expect(answerOf([said('a'), said('b')]).answers).toEqual([{ role: 'assistant', content: 'a\nb' }]);
  });

  it('may have calls of built-in tools that the client carries out, and free-form calls', () => {
    const shell = {
      id: 'ls',
      type: 'local_shell_call',
      call_id: 's',
      action: { type: 'exec', command: ['ls'] },
    };
    const custom = { id: 'ct', type: 'custom_tool_call', call_id: 'd', name: 'patch', input: 'a "b"' };
    const { answers, rules } = answerOf([shell, custom]);
    expect(answers).toEqual([
      {
        role: 'assistant',
        tool_calls: [
          call('s', '{"type":"exec","command":["ls"]}', 'local_shell'),
          call('d', '{"input":"a \\"b\\""}', 'patch'),
        ],
      },
    ]);
    expect(rules).toEqual(['free-form-call']);
  });

  it('gets results by the ids of their calls, not by their own', () => {
    const result = { id: 'fco', type: 'function_call_output', call_id: 'c', output: 'r' };
    expect(only(observation({ input: [user, functionCall, result] }, 'b')).messages).toEqual([
      user,
      { role: 'assistant', tool_calls: [call('c', '{}')] },
      { role: 'tool', tool_call_id: 'c', content: 'r' },
      { role: 'assistant', content: 'b' },
    ]);
  });

  it('is one answer in the content of a message of LangChain, which has its calls twice', () => {
    const content = [reasoning, { type: 'text', text: 'a' }, functionCall];
    const tool_calls = [{ name: 'f', args: {}, id: 'c', type: 'tool_call' }];
    expect(answerOf({ type: 'ai', content, tool_calls, invalid_tool_calls: [] })).toEqual({
      answers: [{ role: 'assistant', content: 'a', reasoning_content: 'hm', tool_calls: [call('c', '{}')] }],
      rules: ['reasoning-summary'],
    });
  });
});

describe('a message of LangChain', () => {
  it('keeps calls whose arguments are not valid JSON', () => {
    const invalid_tool_calls = [{ name: 'f', args: '{"a":', id: 'c', type: 'invalid_tool_call' }];
    const valid = [{ name: 'f', args: {}, id: 'b' }];
    expect(answerOf({ type: 'ai', content: '', tool_calls: valid, invalid_tool_calls }).answers).toEqual([
      { role: 'assistant', tool_calls: [call('b', '{}'), call('c', '{"a":')] },
    ]);
  });

  it('may be a result that is marked as an error', () => {
    const calls = [{ name: 'f', args: {}, id: 'c' }];
    const result = { type: 'tool', content: 'r', tool_call_id: 'c', status: 'error' };
    const { messages, rules } = only(
      observation([{ type: 'ai', content: '', tool_calls: calls }, result], 'b'),
    );
    expect(messages?.[1]).toEqual({ role: 'tool', tool_call_id: 'c', content: 'r' });
    expect(rules).toEqual(['result-is-error']);
  });
});

describe('an answer with members that most answers lack', () => {
  it('keeps a refusal and speech', () => {
    const refusal = { role: 'assistant', content: null, refusal: 'no', annotations: [], audio: null };
    expect(answerOf(refusal).answers).toEqual([
      { role: 'assistant', content: [{ type: 'refusal', refusal: 'no' }] },
    ]);
    const audio = { id: 'x', transcript: 'a' };
    expect(answerOf({ ...refusal, refusal: null, audio })).toEqual({
      answers: [{ role: 'assistant', content: [{ type: 'audio', audio }] }],
      rules: ['block-kept'],
    });
  });

  it('keeps reasoning in blocks, and what is a second time in parts only once', () => {
    const thinking_blocks = [{ type: 'thinking', thinking: 'hm', signature: 's' }];
    const thought = { role: 'assistant', content: 'a', reasoning_content: 'hm' };
    expect(answerOf({ role: 'assistant', content: 'a', thinking_blocks }).answers).toEqual([thought]);
    expect(answerOf({ ...thought, thinking_blocks }).answers).toEqual([thought]);
    const reasoning_details = [{ type: 'reasoning.text', text: 'hm', index: 0 }];
    expect(answerOf({ role: 'assistant', content: 'a', reasoning_details }).answers).toEqual([thought]);
    expect(
      answerOf({ role: 'assistant', content: '', parts: [{ type: 'text', text: 'a' }] }).answers,
    ).toEqual([{ role: 'assistant', content: 'a' }]);
  });
});

describe('the first form of calls in the chat completions API', () => {
  it('has a result under the name of its function', () => {
    const old = { role: 'assistant', content: null, function_call: { name: 'f', arguments: '{}' } };
    const result = { role: 'function', name: 'f', content: 'r' };
    expect(only(observation([user, old, result], 'b')).messages?.slice(1, 3)).toEqual([
      { role: 'assistant', tool_calls: [call('call_1', '{}')] },
      { role: 'tool', tool_call_id: 'call_1', content: 'r' },
    ]);
  });
});

describe('images of many clients', () => {
  it.each([
    ['LangChain', { type: 'image', source_type: 'base64', data: 'AA', mime_type: 'image/png' }],
    ['LangChain since version 1', { type: 'image', base64: 'AA', mime_type: 'image/png' }],
    ['Pydantic AI', { type: 'binary', media_type: 'image/png', content: 'AA' }],
    ['the AI SDK', { type: 'file', data: 'AA', mediaType: 'image/png' }],
    ['the Responses API', { type: 'input_image', image_url: 'data:image/png;base64,AA' }],
    ['an address', { type: 'image-url', url: 'data:image/png;base64,AA' }],
  ])('are read: %s', (_client, part) => {
    const { messages, rules } = only(observation([{ role: 'user', content: [part] }], 'b'));
    const image_url = { url: 'data:image/png;base64,AA' };
    expect(messages?.[0]).toEqual({ role: 'user', content: [{ type: 'image_url', image_url }] });
    expect(rules).toEqual([]);
  });
});

describe('images beside the content', () => {
  const imageAt = (url: string): object => ({ type: 'image_url', image_url: { url } });
  const text = { type: 'text', text: 'Look.' };

  it.each([
    ['data', 'iVBORw0KGgoAAAA=', 'data:image/png;base64,iVBORw0KGgoAAAA='],
    ['data of another type', '/9j/4AAQ', 'data:image/jpeg;base64,/9j/4AAQ'],
    ['an address', 'https://host/a.png', 'https://host/a.png'],
  ])('are parts, as Ollama has them: %s', (_what, image, url) => {
    const { messages, rules } = only(observation([{ role: 'user', content: 'Look.', images: [image] }], 'b'));
    expect(messages?.[0]).toEqual({ role: 'user', content: [text, imageAt(url)] });
    expect(rules).toEqual([]);
  });

  it('are parts of an answer, as OpenRouter has them, and kept if their type is not known', () => {
    const drawn = {
      role: 'assistant',
      content: 'Look.',
      images: [{ ...imageAt('data:image/png;base64,AA'), index: 0 }],
    };
    expect(only(observation([user], drawn)).messages?.[1]).toMatchObject({
      role: 'assistant',
      content: [text, imageAt('data:image/png;base64,AA')],
    });
    const odd = only(observation([{ role: 'user', content: 'Look.', images: ['AAAA'] }], 'b'));
    expect(odd.messages?.[0]).toMatchObject({ content: [text, { type: 'image', image: 'AAAA' }] });
    expect(odd.rules).toEqual(['block-kept']);
    const none = only(observation([{ role: 'user', content: 'Look.', images: [] }], 'b'));
    expect(none.messages?.[0]).toEqual({ role: 'user', content: 'Look.' });
  });
});

it('an observation with the messages of its request and its answer is not a call', () => {
  const one = { id: 'o', ...observation({ messages: [user] }, { role: 'assistant', content: 'a' }) };
  expect(detectDialect(asBuffer(JSON.stringify(one)))?.name).toBe('spans');
  const trace = { id: 't', input: { messages: [user] }, output: 'a', observations: [one] };
  expect(detectDialect(asBuffer(JSON.stringify(trace)))?.name).toBe('spans');
});

describe('a request of the Messages API in the attributes of OpenInference', () => {
  const span = (messages: object[], more: object = {}) => {
    const attributes = { 'openinference.span.kind': 'LLM', llm: { input_messages: messages }, ...more };
    return only({ context: { trace_id: 't' }, attributes }).messages;
  };
  const calling = { tool_call: { id: 'c', function: { name: 'f', arguments: '{}' } } };
  const asked = [
    { message: { role: 'user', content: 'q' } },
    { message: { role: 'assistant', tool_calls: [calling] } },
  ];
  const read = [user, { role: 'assistant', tool_calls: [call('c', '{}')] }];
  const result = { role: 'tool', tool_call_id: 'c', content: 'r' };

  it('has a result as the content of a message of the user, before its texts', () => {
    const contents = [{ message_content: { type: 'text', text: 'go on' } }];
    const answer = { message: { role: 'user', tool_call_id: 'c', content: 'r', contents } };
    expect(span([...asked, answer])).toEqual([...read, result, { role: 'user', content: 'go on' }]);
    const parts = [{ type: 'text', text: 'r' }];
    const blocks = { message: { role: 'user', tool_call_id: 'c', content: JSON.stringify(parts) } };
    expect(span([...asked, blocks])).toEqual([...read, { ...result, content: parts }]);
  });

  it('may have a result as a part', () => {
    const part = { type: 'tool_result', tool_use_id: 'c', content: 'r' };
    const answer = { message: { role: 'user', contents: [{ message_content: part }] } };
    expect(span([...asked, answer])).toEqual([...read, result]);
  });

  it('has its system text in the parameters, or in the logged request', () => {
    const system = { role: 'system', content: 's' };
    const parameters = { 'llm.invocation_parameters': '{"system":"s"}' };
    expect(span(asked.slice(0, 1), parameters)).toEqual([system, user]);
    const value = JSON.stringify({ system: [{ type: 'text', text: 's' }], messages: [user] });
    expect(span(asked.slice(0, 1), { 'input.value': value })).toEqual([system, user]);
    const own = { message: { role: 'system', content: 'own' } };
    expect(span([own, ...asked.slice(0, 1)], parameters)).toEqual([{ role: 'system', content: 'own' }, user]);
  });

  it('is read from the logged request if that has results: a message of the attributes has room for one', () => {
    const use = (id: string) => ({ type: 'tool_use', id, name: 'f', input: {} });
    const answered = (id: string) => ({ type: 'tool_result', tool_use_id: id, content: `r${id}` });
    const messages = [
      user,
      { role: 'assistant', content: [use('c'), use('d')] },
      { role: 'user', content: [answered('c'), answered('d')] },
    ];
    const logged = { 'input.value': JSON.stringify({ model: 'm', messages }) };
    const last = { message: { role: 'user', tool_call_id: 'd', content: 'rd' } };
    expect(span([...asked, last], logged)).toEqual([
      user,
      { role: 'assistant', tool_calls: [call('c', '{}'), call('d', '{}')] },
      { role: 'tool', tool_call_id: 'c', content: 'rc' },
      { role: 'tool', tool_call_id: 'd', content: 'rd' },
    ]);
    const asTexts = [user, { role: 'assistant', content: ["ToolUseBlock(id='c')"] }, messages[2]];
    const python = { 'input.value': JSON.stringify({ model: 'm', messages: asTexts }) };
    expect(span([...asked, { message: { ...last.message, tool_call_id: 'c' } }], python)).toEqual([
      ...read,
      { ...result, content: 'rd' },
    ]);
  });
});

describe('calls without a result', () => {
  const calling = { role: 'assistant', content: null, tool_calls: [call('c', '{}'), call('d', '{}')] };
  const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'r' });

  it('are reported before a text of the user, and nothing is added', () => {
    expect(only(observation([user, calling, result('c'), user], 'b')).rules).toEqual(['call-unanswered']);
    expect(only(observation([user, calling, result('c'), result('d'), user], 'b')).rules).toEqual([]);
    expect(only(observation([user, calling, result('c')], 'b')).rules).toEqual([]);
    const parts = [{ type: 'tool_call', id: 'c', name: 'f', arguments: {} }];
    const genAi = [
      { role: 'assistant', parts },
      { role: 'user', parts: [{ type: 'text', content: 'q' }] },
    ];
    expect(only(observation(genAi, 'b')).rules).toEqual(['call-unanswered']);
  });

  it('with the id of an earlier call have the nearest result', () => {
    const again = [calling, result('c'), result('d'), calling, result('d'), result('c'), user];
    expect(only(observation([user, ...again], 'b')).rules).toEqual([]);
    const twice = [calling, calling, result('d'), result('c'), user];
    const { messages } = only(observation([user, ...twice], 'b'));
    expect(messages).toHaveLength(7);
    const entries = entriesOf(read([JSON.stringify(observation([user, ...twice], 'b'))]));
    expect(entries[0]?.messages.map(({ notes = [] }) => notes.length)).toEqual([0, 1, 0, 0, 0, 0]);
  });
});

it('a call of a custom tool has its text as the argument input', () => {
  const custom = { id: 'c', type: 'custom', custom: { name: 'f', input: 'a "b"' } };
  expect(answerOf({ role: 'assistant', content: null, tool_calls: [custom] })).toEqual({
    answers: [{ role: 'assistant', tool_calls: [call('c', '{"input":"a \\"b\\""}')] }],
    rules: ['free-form-call'],
  });
});

describe('the values of a span beside its messages', () => {
  const span = (more: object) => ({
    attributes: {
      'openinference.span.kind': 'LLM',
      'llm.input_messages.0.message.role': 'user',
      'llm.input_messages.0.message.content': 'Where is the mill?',
      'llm.output_messages.0.message.role': 'assistant',
      'llm.output_messages.0.message.content': 'By the river.',
      ...more,
    },
  });
  const question = { role: 'user', content: 'Where is the mill?' };
  const other = { role: 'user', content: 'Who is the miller?' };
  const said = { role: 'assistant', content: 'By the river.' };

  it.each([
    ['the whole request', { messages: [question], model: 'm' }],
    ['the items of one', { input: [{ ...question, type: 'message' }] }],
    ['the messages, with parts', [{ role: 'user', content: [{ type: 'text', text: 'Where is the mill?' }] }]],
    ['the question', 'Where is\nthe mill?'],
    ['a prompt around the question', 'Answer briefly: Where is the mill? Thank you.'],
    ['a name', 'mill-prompt'],
    ['an object of the program', { topic: 'Who is the miller?' }],
  ])('are passed over if the request is %s', (_name, value) => {
    for (const logged of [value, typeof value === 'string' ? value : JSON.stringify(value)])
      expect(only(span({ 'input.value': logged })).messages).toEqual([question, said]);
  });

  it.each([
    ['list of messages', [question, other]],
    ['request', { messages: [other] }],
    ['list of items', { input: [other] }],
    ['text', 'Who is the miller?'],
  ])('are rejected if the request is another %s', (_name, value) => {
    const logged = typeof value === 'string' ? value : JSON.stringify(value);
    expect(reasons(span({ 'input.value': logged }))).toEqual(['unknown-content']);
  });

  it('are other choices if the answer says something else', () => {
    const rules = (value: unknown) =>
      only(span({ 'output.value': typeof value === 'string' ? value : JSON.stringify(value) })).rules;
    for (const value of [
      'By the river.',
      'a: By the river. b',
      said,
      { choices: [{ message: said }] },
      { n: 1 },
    ])
      expect(rules(value)).toEqual([]);
    for (const value of ['On the hill.', { choices: [{ message: { ...said, content: 'On the hill.' } }] }])
      expect(rules(value)).toEqual(['other-choices']);
  });

  it('have their texts in two contents of a message compared', () => {
    const parts = (role: string, text: string) => ({
      [`llm.${role}_messages.0.message.contents.0.message_content.type`]: 'text',
      [`llm.${role}_messages.0.message.contents.0.message_content.text`]: text,
    });
    expect(only(span(parts('input', 'Where is the mill?'))).messages).toEqual([question, said]);
    expect(only(span(parts('output', 'By the river.'))).messages).toEqual([question, said]);
    expect(reasons(span(parts('input', 'Who is the miller?')))).toEqual(['unknown-content']);
    expect(reasons(span(parts('output', 'On the hill.')))).toEqual(['unknown-content']);
  });

  it('are compared if they are bare lists of Langfuse or MLflow', () => {
    for (const key of ['langfuse.observation.input', 'mlflow.spanInputs']) {
      expect(only(span({ [key]: JSON.stringify([question]) })).messages).toEqual([question, said]);
      expect(only(span({ [key]: 'Who is the miller?' })).messages).toEqual([question, said]);
      expect(reasons(span({ [key]: JSON.stringify([other]) }))).toEqual(['unknown-content']);
      expect(reasons(span({ [key]: JSON.stringify({ messages: [other] }) }))).toEqual(['unknown-content']);
    }
  });
});

it('reads the answer of the AI SDK under both names, and reports another one', () => {
  const span = (more: object) => ({
    attributes: {
      'ai.operationId': 'ai.generateText.doGenerate',
      'ai.prompt.messages': JSON.stringify([{ role: 'user', content: [{ type: 'text', text: 'q' }] }]),
      ...more,
    },
  });
  const answer = (more: object) => {
    const { messages, rules } = only(span(more));
    return [messages?.at(-1), rules];
  };
  const said = { role: 'assistant', content: 'a b' };
  expect(answer({ 'ai.response.text': 'a b', 'ai.result.text': 'a b' })).toEqual([said, []]);
  expect(answer({ 'ai.response.finishReason': 'stop', 'ai.result.text': 'a b' })).toEqual([said, []]);
  expect(answer({ 'ai.response.text': 'a b', 'ai.result.text': 'c d' })).toEqual([said, ['other-choices']]);
});

it('compares members of an observation that may hold its request or its answer', () => {
  const call = (more: object) => ({ ...observation([{ role: 'user', content: 'a b' }], 'c d'), ...more });
  for (const more of [
    { prompt: 'a b', completion: 'c d' },
    {
      messages: [
        { role: 'user', content: 'a b' },
        { role: 'assistant', content: 'c d' },
      ],
      prompt: 'mill-v2',
    },
  ])
    expect(only(call(more)).rules).toEqual([]);
  for (const more of [{ prompt: 'x y' }, { messages: [{ role: 'user', content: 'x' }] }])
    expect(reasons(call(more))).toEqual(['unknown-content']);
  expect(only(call({ completion: 'x y' })).rules).toEqual(['other-choices']);
  const tracked = {
    ...{ id: 's', type: 'llm', trace_id: 't', start_time: '2026-01-13T22:14:03Z' },
    ...{ input: { messages: [{ role: 'user', content: 'a b' }] }, output: 'c d' },
  };
  expect(only({ ...tracked, messages: [{ role: 'user', content: 'a b' }] }).rules).toEqual([]);
  expect(reasons({ ...tracked, messages: [{ role: 'user', content: 'x' }] })).toEqual(['unknown-content']);
});

it('reads a JSON null as no answer in OpenInference, but not a text', () => {
  const called = (output: object) =>
    only({ attributes: { 'openinference.span.kind': 'LLM', 'input.value': 'q', ...output } });
  const roles = (output: object) => called(output).messages?.map(({ role }: { role: string }) => role);
  expect(roles({ 'output.value': 'null', 'output.mime_type': 'application/json' })).toEqual(['user']);
  expect(roles({ 'output.value': 'null' })).toEqual(['user']);
  expect(roles({ 'output.value': 'null', 'output.mime_type': 'text/plain' })).toEqual(['user', 'assistant']);
});
