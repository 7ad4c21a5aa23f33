/** Spans of which the log says that messages are missing: none of them is written as if it were whole. */
import { describe, expect, it } from 'vitest';
import { entriesOf, messagesOf, read } from '../span-samples.ts';

type Attributes = Readonly<Record<string, string>>;
const attributesOf = (list: string, ...at: readonly number[]): Attributes =>
  Object.assign(
    {},
    ...at.map((i) => ({ [`${list}.${i}.role`]: 'user', [`${list}.${i}.content`]: `question ${i}` })),
  );
const inference = (...at: readonly number[]): Attributes => ({
  'openinference.span.kind': 'LLM',
  ...Object.fromEntries(
    Object.entries(attributesOf('llm.input_messages', ...at)).map(([key, value]) => [
      key.replace(/(\d)\./, '$1.message.'),
      value,
    ]),
  ),
  'llm.output_messages.0.message.role': 'assistant',
  'llm.output_messages.0.message.content': 'b',
});
const openLlmetry = (...at: readonly number[]): Attributes => ({
  'llm.request.type': 'chat',
  ...attributesOf('gen_ai.prompt', ...at),
  'gen_ai.completion.0.role': 'assistant',
  'gen_ai.completion.0.content': 'b',
});
const span = (attributes: Attributes, more: object = {}) =>
  read([JSON.stringify({ traceId: 't', spanId: 's', attributes, ...more })]);

describe.each([
  ['OpenInference', inference],
  ['OpenLLMetry', openLlmetry],
])('messages of %s', (_name, attributes) => {
  it('are read if their indexes have no gap', () => {
    expect(
      entriesOf(span(attributes(0, 1), { droppedAttributesCount: 0 })).map((one) => messagesOf(one).length),
    ).toEqual([3]);
  });

  it.each([[[1]], [[0, 2]], [[2, 3]]])('are refused if only %j are there', (at) => {
    expect(span(attributes(...at))).toMatchObject([
      { kind: 'rejection', reason: 'unknown-content', detail: expect.stringContaining('gap') },
    ]);
  });

  it('are refused if the SDK dropped attributes', () => {
    expect(span(attributes(0, 1), { droppedAttributesCount: 4 })).toMatchObject([
      {
        kind: 'rejection',
        reason: 'unknown-content',
        detail: expect.stringContaining('dropped attributes of the span (4)'),
      },
    ]);
  });
});

it('parts of a message are refused if their indexes have a gap', () => {
  const parts = 'llm.input_messages.0.message.contents';
  const attributes = {
    ...inference(),
    'llm.input_messages.0.message.role': 'user',
    [`${parts}.1.message_content.type`]: 'text',
    [`${parts}.1.message_content.text`]: 'the end',
  };
  expect(span(attributes)).toMatchObject([{ kind: 'rejection', reason: 'unknown-content' }]);
});

describe('calls of the OpenAI Agents SDK, which counts those of all messages together', () => {
  const call = (message: number, at: number): Attributes => {
    const list = `llm.input_messages.${message}.message`;
    return {
      [`${list}.role`]: 'assistant',
      [`${list}.tool_calls.${at}.tool_call.id`]: `c${at}`,
      [`${list}.tool_calls.${at}.tool_call.function.name`]: `f${at}`,
      [`${list}.tool_calls.${at}.tool_call.function.arguments`]: '{}',
    };
  };
  const result = (message: number, id: string): Attributes => ({
    [`llm.input_messages.${message}.message.role`]: 'tool',
    [`llm.input_messages.${message}.message.tool_call_id`]: id,
    [`llm.input_messages.${message}.message.content`]: `result ${id}`,
  });
  const traced = (first: number, second: number, third: number): Attributes => ({
    ...inference(0),
    ...call(1, first),
    ...result(2, `c${first}`),
    ...call(3, second),
    ...call(3, third),
    ...result(4, `c${second}`),
    ...result(5, `c${third}`),
  });

  it('are read', () => {
    const [entry] = entriesOf(span(traced(0, 1, 2)));
    const calls = entry && messagesOf(entry).flatMap(({ tool_calls: own = [] }) => own as { id: string }[]);
    expect(calls?.map(({ id }) => id)).toEqual(['c0', 'c1', 'c2']);
  });

  it.each([
    [0, 2, 3],
    [0, 1, 3],
    [1, 2, 3],
  ])('are refused if one is missing: only %i, %i and %i are there', (first, second, third) => {
    expect(span(traced(first, second, third))).toMatchObject([
      { kind: 'rejection', reason: 'unknown-content' },
    ]);
  });
});

it('messages as events are refused if the SDK dropped events', () => {
  const events = [
    { name: 'gen_ai.user.message', attributes: { content: 'a' } },
    { name: 'gen_ai.choice', attributes: { message: '{"content":"b"}' } },
  ];
  const attributes = { 'gen_ai.operation.name': 'chat' };
  expect(entriesOf(span(attributes, { events }))).toHaveLength(1);
  expect(span(attributes, { events, droppedEventsCount: 1 })).toMatchObject([
    { kind: 'rejection', reason: 'unknown-content' },
  ]);
});

it('a text completion has its answer in the choices', () => {
  const attributes = {
    'openinference.span.kind': 'LLM',
    'llm.prompts.0.prompt.text': 'a',
    'llm.choices.0.completion.text': 'b',
  };
  expect(entriesOf(span(attributes)).map((one) => messagesOf(one))).toEqual([
    [
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
    ],
  ]);
});

it('several prompts are not one conversation', () => {
  const prompts = { 'llm.prompts.0.prompt.text': 'a', 'llm.prompts.1.prompt.text': 'x' };
  const attributes = { 'openinference.span.kind': 'LLM', ...prompts, 'llm.choices.0.completion.text': 'b' };
  expect(span(attributes)).toMatchObject([{ kind: 'rejection', reason: 'unknown-content' }]);
});

it('a list of answers with a question in it is refused', () => {
  const said = (role: string, content: string) => ({ role, parts: [{ type: 'text', content }] });
  const attributes = {
    'gen_ai.operation.name': 'chat',
    'gen_ai.input.messages': JSON.stringify([said('user', 'a')]),
    'gen_ai.output.messages': JSON.stringify([
      said('assistant', 'b'),
      said('user', 'c'),
      said('assistant', 'd'),
    ]),
  };
  expect(span(attributes)).toMatchObject([{ kind: 'rejection', reason: 'unknown-speaker' }]);
});

it('an object in a list of answers is not another choice if it is of no known form, but carries content', () => {
  const text = (content: string) => ({ role: 'assistant', parts: [{ type: 'text', content }] });
  const call = (...answers: readonly object[]) =>
    span({
      'gen_ai.operation.name': 'chat',
      'gen_ai.input.messages': JSON.stringify([{ role: 'user', parts: [{ type: 'text', content: 'a' }] }]),
      'gen_ai.output.messages': JSON.stringify(answers),
    });
  expect(entriesOf(call(text('b'), text('c'))).map((one) => messagesOf(one).length)).toEqual([2]);
  for (const answers of [
    [text('b'), { odd: text('c') }],
    [{ odd: text('c') }, text('b')],
  ])
    expect(call(...answers)).toMatchObject([{ kind: 'rejection', reason: 'unknown-content' }]);
});
