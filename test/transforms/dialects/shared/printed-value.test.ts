import { describe, expect, it, test } from 'vitest';
import {
  isPrintedAnswer,
  isPrintedMessages,
  isPrintedStream,
  printedForm,
} from '../../../../transforms/dialects/shared/printed-value.ts';
import { JsonView } from '../../../../transforms/json/json-view.ts';
import { encode } from '../../../../transforms/json/utf8.ts';

const stringOf = (text: string): JsonView => new JsonView(encode(JSON.stringify(text)));
const formOf = (text: string) => printedForm(stringOf(text));

describe('an answer that a program printed', () => {
  test.each([
    "ModelResponse(id='r1', choices=[Choices(message=Message(content='Two boats.', role='assistant'))])",
    "ChatCompletion(id='r1', choices=[Choice(message=ChatCompletionMessage(content=\"It's low.\"))])",
    "openai.types.ChatCompletion(id='r1', choices=[])",
    "Message(id='r1', content=[TextBlock(citations=None, text='Two boats.', type='text')], usage=In: 3; Out: 2)",
    "[TextBlock(text='Two\\'s enough.', type='text'), ToolUseBlock(id='c', input={}, name='f', type='tool_use')]",
    "(AIMessage(content='Two boats.'), None)",
    "[[ChatGeneration(text='Two boats.')]]",
    "content='Two boats.' additional_kwargs={} response_metadata={'n': 1} id='run-1'",
    "generations=[[ChatGeneration(text='a', message=AIMessage(content='a'))]] llm_output={} type='LLMResult'",
    "candidates=[Candidate(content=Content(parts=[Part(text='a')]), finish_reason=<FinishReason.STOP: 'STOP'>)] create_time=None",
    "model='m' created_at='2026' done=True message=Message(role='assistant', content='a')",
    'response:\nGenerateContentResponse(\n    done=True,\n    result=protos.GenerateContentResponse({}),\n)',
    "{'choices': [{'message': {'role': 'assistant', 'content': 'Two boats.'}}]}",
    '{"choices"=>[{"message"=>{"role"=>"assistant", "content"=>"Two boats."}}]}',
    '{ choices: [ { index: 0, message: [Object] } ] }',
    "ChatCompletion{id=r1, choices=[Choice{message=ChatCompletionMessage{content=Don't go, role=assistant}}]}",
    "{'id': 'r1', 'role': 'assistant', 'content': [{'type': 'text', 'text': 'a'}]}",
    "{'output': [{'type': 'message', 'content': []}], 'status': 'completed'}",
    "{'message': {'role': 'assistant', 'content': 'a'}, 'done': True}",
    "[{'type': 'text', 'text': 'Two boats.'}]",
    "ModelResponse(id='r1', choices=[Choices(message=Message(content='Two bo",
    "{'choices': [{'message': {'role': 'assistant', 'content': 'Two",
    '<openai.Stream object at 0x7f3a>',
    '<async_generator object AsyncStream.__stream__ at 0x10f>',
    '[object Object]',
  ])('%s', (text) => {
    expect(formOf(text)).toBe('answer');
  });
});

describe('a text of a model', () => {
  test.each([
    'Two boats.',
    'print(x)',
    'f(a=1, b=[2])',
    "Message(content='a') is how Python shows it.",
    'Message me (content=boats) tomorrow',
    'Choice (b=2)',
    '[1] Two boats, says the log.',
    'role: assistant, content: two',
    "The role='assistant' has content='a'",
    "content='a'",
    "x = {'choices': [{'message': 1}]}",
    "def f(): return {'choices': [{'message': 1}]}",
    '<b>Two boats.</b>',
    '[object]',
    '{"choices":[{"message":{"content":"a"}}]}',
    '[{"type":"text","text":"a"}]',
    '',
  ])('%s', (text) => {
    expect(formOf(text)).toBeUndefined();
  });
});

it('is another value if its members are not those of an answer', () => {
  const values = ["{'a': 1}", "['a', 'b']", "{'choices': ['a', 'b']}", "{'role': 'user', 'content': 'a'}"];
  expect(values.map(formOf)).toEqual(values.map(() => 'value'));
  expect(["{'a': ", '[1', "{'a': 1} it is"].map(formOf)).toEqual([undefined, undefined, undefined]);
});

it('is a list of messages of any speakers', () => {
  const printed = [
    "[{'role': 'system', 'content': 'a'}, {'role': 'user', 'content': 'b'}]",
    "[HumanMessage(content='a', additional_kwargs={})]",
    "[Content(parts=[Part(text='a')], role='user')]",
  ];
  for (const text of printed) expect(isPrintedMessages(stringOf(text))).toBe(true);
  for (const text of ["['a']", "{'role': 'user', 'content': 'a'}", 'a', '[1] a', "[{'a': 1}]"])
    expect(isPrintedMessages(stringOf(text))).toBe(false);
});

it('is a list of messages if it is the beginning of one as JSON', () => {
  const request = { model: 'm', messages: [{ role: 'user', content: 'a' }] };
  const texts = [
    '[{"role": "system", "content": "a"}, {"role": "us',
    '[{"role":"user","parts":[{"type":"text","content":"a',
    '[{"role":"user","content":"a...[truncated]',
    '{"role":"user","content":"a',
    '[{"type":"text","text":"a',
    JSON.stringify(request).slice(0, -6),
  ];
  for (const text of texts) expect(isPrintedMessages(stringOf(text))).toBe(true);
  const others = [
    '[{"a": 1}, {"b"',
    '{"type":"object","properties":{',
    '[1, 2',
    '{"role":"user"} is a message',
  ];
  for (const text of [...others, JSON.stringify(request), '{"input":"a'])
    expect(isPrintedMessages(stringOf(text))).toBe(false);
});

it('is cut if it is JSON without its end', () => {
  const converse = '{"output": {"message": {"role": "assistant", "content": [{"text": "Two';
  expect(formOf(converse)).toBe('cut');
  const text = '{"choices": [{"message": {"role": "assistant", "content": "Two';
  expect(formOf(text)).toBe('cut');
  expect(isPrintedAnswer(stringOf(text))).toBe(true);
});

it.each([
  ['events', true, 'data: {"id":"r","choices":[]}\n\ndata: {"choices":[{"delta":{}}]}\n\ndata: [DONE]\n\n'],
  ['names and comments', true, ': ping\r\n\r\nevent: d\r\nid: 1\r\ndata: {"type":"d","delta":{}}\r\n\r\n'],
  ['a cut event', true, 'data: {"choices":[{"index":0,"del'],
  ['events of no API', false, 'data: {"a":1}\n\ndata: {"a":2}'],
  ['events after words', false, 'A server sends this:\n\ndata: {"choices":[]}\n\n'],
  ['events before words', false, 'data: {"choices":[]}\n\nThat is one event.'],
  ['text as data', false, 'data: Two boats.\nid: 1'],
])('knows an answer that is a stream as text: %s', (_, isStream, text) => {
  expect(isPrintedStream(stringOf(text))).toBe(isStream);
});

it('reads a text of any nesting in linear time', () => {
  for (const piece of ['[', '(', '{a=', "'", '"', '\\', 'a ', '=', "[{'x':'y'},", '<a at '])
    for (const start of ['', 'ModelResponse(a='])
      expect(formOf(`${start}${piece.repeat(20_000)}`)).not.toBe('cut');
});
