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

it('the events of a call may have others about it beside them', () => {
  const score = ['gen_ai.evaluation.result', { 'gen_ai.evaluation.explanation': 'a text' }] as const;
  expect(entriesOf(readOne(events(question, choice, score)))).toHaveLength(1);
});
