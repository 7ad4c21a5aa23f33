/** Spans in which a speaker, a text or a call has a form that no convention explains: each rejects its call. */
import { describe, expect, it, test } from 'vitest';
import { entriesOf, messagesOf, read } from './span-samples.ts';

const json = JSON.stringify;
const text = (content: unknown) => ({ type: 'text', content });
const asked = { role: 'user', parts: [text('a')] };
const said = { role: 'assistant', parts: [text('b')] };
const genAi = (input: unknown, output: unknown, more: object = {}) => ({
  attributes: {
    'gen_ai.operation.name': 'chat',
    'gen_ai.input.messages': json(input),
    'gen_ai.output.messages': json(output),
    ...more,
  },
});
const inference = (more: object) => ({
  attributes: {
    'openinference.span.kind': 'LLM',
    'llm.input_messages.0.message.role': 'user',
    'llm.input_messages.0.message.content': 'a',
    'llm.output_messages.0.message.role': 'assistant',
    'llm.output_messages.0.message.content': 'b',
    ...more,
  },
});
const openLlmetry = (more: object) => ({
  attributes: {
    'llm.request.type': 'chat',
    'gen_ai.prompt.0.role': 'user',
    'gen_ai.prompt.0.content': 'a',
    'gen_ai.completion.0.role': 'assistant',
    'gen_ai.completion.0.content': 'b',
    ...more,
  },
});
const aiSdk = (more: object) => ({
  attributes: {
    'ai.operationId': 'ai.generateText.doGenerate',
    'ai.prompt.messages': json([{ role: 'user', content: 'a' }]),
    'ai.response.text': 'b',
    ...more,
  },
});
const events = (...list: readonly (readonly [name: string, attributes: object])[]) => ({
  attributes: { 'gen_ai.operation.name': 'chat' },
  events: list.map(([name, attributes]) => ({ name, attributes })),
});
const asking = { role: 'user', content: 'a' };
const saying = { role: 'assistant', content: 'b' };
const nested = (llm: object) => ({ attributes: { 'openinference.span.kind': 'LLM', llm } });
const objectOfAiSdk = (more: object) =>
  aiSdk({ 'ai.operationId': 'ai.generateObject.doGenerate', 'ai.response.text': undefined, ...more });
const result = (part: object) =>
  aiSdk({
    'ai.prompt.messages': json([
      ...[
        asking,
        { role: 'assistant', content: [{ type: 'tool-call', toolCallId: 'c', toolName: 'f', input: {} }] },
      ],
      { role: 'tool', content: [{ type: 'tool-result', toolCallId: 'c', toolName: 'f', ...part }] },
    ]),
  });
const call = { 'llm.output_messages.0.message.tool_calls.0.tool_call.function.name': 'f' };
const callOfOpenLlmetry = {
  'gen_ai.completion.0.content': undefined,
  'gen_ai.completion.0.tool_calls.0.name': 'f',
  'gen_ai.completion.0.tool_calls.0.arguments': '{}',
};
const completion = ['gen_ai.content.completion', { 'gen_ai.completion': 'b' }] as const;
const details = (known: object, words: object) =>
  ['gen_ai.client.inference.operation.details', { ...known, words: json(words) }] as const;
const question = ['gen_ai.user.message', { content: 'a' }] as const;
const choice = ['gen_ai.choice', { message: json({ content: 'b' }) }] as const;
const readOne = (span: object) => read([json({ traceId: 't', spanId: 's', ...span })]);

describe('a speaker that is not known', () => {
  const spans: readonly (readonly [string, object])[] = [
    ['in gen_ai.input.messages', genAi([{ ...asked, role: 'warden' }], [said])],
    ['in gen_ai.output.messages', genAi([asked], [{ ...said, role: 'warden' }])],
    ['that asks, in gen_ai.output.messages', genAi([asked], [{ ...said, role: 'user' }])],
    ['in OpenInference', inference({ 'llm.input_messages.0.message.role': 'warden' })],
    ['of an answer in OpenInference', inference({ 'llm.output_messages.0.message.role': 'user' })],
    [
      'without a role among several in OpenInference',
      inference({ 'llm.input_messages.1.message.content': 'c' }),
    ],
    ['in OpenLLMetry', openLlmetry({ 'gen_ai.prompt.0.role': 'warden' })],
    ['of an answer in OpenLLMetry', openLlmetry({ 'gen_ai.completion.0.role': 'user' })],
    ['without a role among several in OpenLLMetry', openLlmetry({ 'gen_ai.prompt.1.content': 'c' })],
    ['in events', events(['gen_ai.user.message', { role: 'warden', content: 'a' }], choice)],
    ['of a choice', events(question, ['gen_ai.choice', { message: json({ role: 'user', content: 'b' }) }])],
    ['in the AI SDK', aiSdk({ 'ai.prompt.messages': json([{ role: 'warden', content: 'a' }]) })],
  ];

  test.each(spans)('%s', (_, span) => {
    expect(readOne(span)).toMatchObject([{ kind: 'rejection', reason: 'unknown-speaker' }]);
  });
});

describe('a content that is not known', () => {
  const strange = [{ type: 'painting', words: 'a' }];
  const spans: readonly (readonly [string, object])[] = [
    ['as a part', genAi([{ role: 'user', parts: strange }], [said])],
    ['as the text of a part', genAi([{ role: 'user', parts: [text({ a: 1 })] }], [said])],
    ['under another name', genAi([{ role: 'user', pieces: [text('a')] }], [said])],
    ['of an answer under another name', genAi([asked], [{ role: 'assistant', pieces: [text('b')] }])],
    ['as an object in place of the answer', genAi([asked], { words: 'b' })],
    ['as a system text', genAi([asked], [said], { 'gen_ai.system_instructions': json(strange) })],
    ['in OpenInference', inference({ 'llm.output_messages.0.message.content': { words: 'b' } })],
    ['in the input of OpenInference', inference({ 'llm.input_messages.0.message.content': { words: 'a' } })],
    ['in OpenLLMetry', openLlmetry({ 'gen_ai.prompt.0.content': json(strange) })],
    ['in an event', events(['gen_ai.user.message', { content: { words: 'a' } }], choice)],
    ['under another name in an event', events(['gen_ai.user.message', { words: 'a' }], choice)],
    ['of a choice under another name', events(question, ['gen_ai.choice', { answer: 'b' }])],
    ['in an event of another name', events(['gen_ai.warden.message', { content: 'a' }], choice)],
    ['in an answer of another name', events(question, ['gen_ai.answer', { content: 'b' }])],
    ['as the text of the AI SDK', aiSdk({ 'ai.response.text': { words: 'b' } })],
    [
      'as calls of the AI SDK',
      aiSdk({ 'ai.response.text': '', 'ai.response.toolCalls': json([{ run: 'f' }]) }),
    ],
    ['as a list in place of a text of the AI SDK', aiSdk({ 'ai.response.text': ['b'] })],
    ['as an object of the AI SDK that is not a text', objectOfAiSdk({ 'ai.response.object': { a: 1 } })],
    ['as an object of the AI SDK under another name', objectOfAiSdk({ words: json({ a: 1 }) })],
    ['as an object in place of the request', genAi({ words: 'a' }, [said])],
    ['as arguments under another name in OpenInference', inference({ ...call, words: '{"a":1}' })],
    [
      'in llm of OpenInference',
      nested({ input_messages: [{ message: asking }], spoken: [{ message: saying }] }),
    ],
    ['under another name in OpenLLMetry', openLlmetry({ ...callOfOpenLlmetry, words: 'Let me look.' })],
    ['in an event of no convention', events(question, ['warden', { content: 'c' }], choice)],
    ['of a prompt in an event of no convention', events(['warden', { 'gen_ai.prompt': 'a' }], completion)],
    ['as the whole body of an event', events(question, ['gen_ai.choice', { 'gen_ai.event.content': ['b'] }])],
    ['beside the details in an event', events(details({ 'gen_ai.output.messages': json([said]) }, [asked]))],
    ['as a result of the AI SDK without its output', result({ words: 'r' })],
    ['as the text of a result of the AI SDK', result({ output: { type: 'text', value: { words: 'r' } } })],
    ['as a text without its value in the AI SDK', result({ output: { type: 'text', words: 'r' } })],
    ['as an object of calls', aiSdk({ 'ai.response.text': '', 'ai.response.toolCalls': json({ run: 'f' }) })],
  ];

  test.each(spans)('%s', (_, span) => {
    expect(readOne(span)).toMatchObject([{ kind: 'rejection', reason: 'unknown-content' }]);
  });
});

it('a list of parts of Converse that OpenLLMetry logs as JSON is read', () => {
  const span = openLlmetry({ 'gen_ai.prompt.0.content': json([{ text: 'a' }]) });
  expect(entriesOf(readOne(span)).map((entry) => messagesOf(entry))).toEqual([
    [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
    ],
  ]);
});

it('a prompt that OpenLLMetry logs is rejected if a template wrote a conversation, unless it is a chat', () => {
  const prompt = { 'gen_ai.prompt.0.content': 'Human: a\n\nAssistant:' };
  const [rejected] = readOne(openLlmetry({ ...prompt, 'llm.request.type': 'completion' }));
  expect(rejected).toMatchObject({ kind: 'rejection', reason: 'unknown-content' });
  expect(entriesOf(readOne(openLlmetry(prompt)))).toHaveLength(1);
});

it('the events of a call may have others about it beside them', () => {
  const score = ['gen_ai.evaluation.result', { 'gen_ai.evaluation.explanation': 'a text' }] as const;
  const failed = ['exception', { 'exception.message': 'a text', 'exception.type': 'E' }] as const;
  const other = ['retry', { delay: 3, reason: 'a text' }] as const;
  expect(entriesOf(readOne(events(question, choice, score, failed, other)))).toHaveLength(1);
});

it('a whole call may have attributes of its program, and a failed one names without words', () => {
  const own = { words: 'Let me look.', settings: json({ a: 1 }) };
  for (const span of [genAi([asked], [said], own), inference(own), aiSdk(own), openLlmetry(own)])
    expect(entriesOf(readOne(span))).toHaveLength(1);
  const failed = { 'ai.response.text': undefined, settings: json({ a: 1 }) };
  expect(entriesOf(readOne(aiSdk(failed)))).toHaveLength(1);
  expect(entriesOf(readOne(inference(call)))).toHaveLength(1);
  expect(entriesOf(readOne(result({ output: { type: 'json', value: { words: 'r' } } })))).toHaveLength(1);
  expect(entriesOf(readOne(openLlmetry(callOfOpenLlmetry)))).toHaveLength(1);
});

describe('a body that has its list under another name', () => {
  const span = { traceId: 't', spanId: 's', ...genAi([asked], [said]) };
  const column = 'attributes.openinference.span.kind';
  const messages = 'attributes.llm.input_messages';
  const bodies: readonly (readonly [string, object])[] = [
    ['of resources', { warden: [{ scopeSpans: [{ spans: [span] }] }] }],
    ['of runs', { post: [], warden: [{ id: 'r', outputs: { text: 'a' } }] }],
    ['of rows in a column', { [column]: { 1: 'CHAIN' }, [messages]: { warden: [{ message: asking }] } }],
  ];

  test.each(bodies)('%s', (_, body) => {
    expect(read([json(body)])).toMatchObject([{ kind: 'rejection', reason: 'unknown-content' }]);
  });
});
