/** Traces whose logger cut a value, or printed it in the form of its language. */
import { describe, expect, it, test } from 'vitest';
import { entriesOf, messagesOf, observation, read, rulesOf } from '../span-samples.ts';

const json = JSON.stringify;
const cut = (value: unknown, end = '') => json(value).slice(0, -8) + end;
const asked = [
  { role: 'system', content: 'Be brief.' },
  { role: 'user', content: 'How deep is it?' },
];
const asked2 = [{ role: 'user', parts: [{ type: 'text', content: 'How deep is it?' }] }];
const said = [{ role: 'assistant', parts: [{ type: 'text', content: 'Two metres.' }] }];
const span = (attributes: object, events: readonly object[] = []) => ({
  ...{ traceId: 't', spanId: 's', attributes, events },
});
const genAi = (more: object) =>
  span({
    'gen_ai.operation.name': 'chat',
    'gen_ai.input.messages': json(asked2),
    'gen_ai.output.messages': json(said),
    ...more,
  });
const aiSdk = (more: object) =>
  span({
    'ai.operationId': 'ai.generateText.doGenerate',
    'ai.prompt.messages': json(asked),
    'ai.response.text': 'Two metres.',
    ...more,
  });
const openLlmetry = (content: string, more: object = {}) =>
  span({
    'llm.request.type': 'chat',
    'gen_ai.prompt.0.role': 'user',
    'gen_ai.prompt.0.content': content,
    'gen_ai.completion.0.role': 'assistant',
    'gen_ai.completion.0.content': 'Two metres.',
    ...more,
  });
const choice = (message: string, content = 'How deep is it?') =>
  span({ 'gen_ai.operation.name': 'chat' }, [
    { name: 'gen_ai.user.message', attributes: { content } },
    { name: 'gen_ai.choice', attributes: { message } },
  ]);
const openInference = (more: object) =>
  span({
    'openinference.span.kind': 'LLM',
    'llm.input_messages.0.message.role': 'user',
    'llm.input_messages.0.message.content': 'How deep is it?',
    'llm.output_messages.0.message.role': 'assistant',
    'llm.output_messages.0.message.content': 'Two metres.',
    ...more,
  });
const calls = [{ toolCallId: 'c', toolName: 'sound', input: '{"pier":4}' }];
const parts = (value: string) => json([{ role: 'user', parts: value }]);
const mlflow = (inputs: string) =>
  span({ 'mlflow.spanType': '"LLM"', 'mlflow.spanInputs': inputs, 'mlflow.spanOutputs': '"Two metres."' });
const contents = [{ role: 'user', parts: [{ text: 'How deep is it?' }] }];

describe('a call is rejected', () => {
  const values: readonly (readonly [string, object])[] = [
    ['whose messages are cut', genAi({ 'gen_ai.input.messages': cut(asked2) })],
    ['whose messages are cut with a mark', genAi({ 'gen_ai.input.messages': cut(asked2, '...[truncated]') })],
    ['whose system text is cut', genAi({ 'gen_ai.system_instructions': '[{"type":"text","content":"Be b' })],
    ['whose parts are a text', genAi({ 'gen_ai.input.messages': parts("[{'type': 'text'}]") })],
    [
      'whose answer has parts that are a text',
      genAi({ 'gen_ai.output.messages': json([{ role: 'assistant', parts: "[TextPart(content='Two')]" }]) }),
    ],
    ['whose messages the AI SDK cut', aiSdk({ 'ai.prompt.messages': cut(asked) })],
    ['whose calls are cut', aiSdk({ 'ai.response.toolCalls': cut(calls) })],
    ['whose calls are printed', aiSdk({ 'ai.response.toolCalls': "[{'toolCallId': 'c'}]" })],
    ['whose choice is cut', choice('{"role":"assistant","content":"Two m')],
    ['whose choice is printed', choice("{'role': 'assistant', 'content': 'Two metres.'}")],
    ['whose parts OpenLLMetry cut', openLlmetry('[{"type":"text","text":"How de')],
    ['whose calls OpenLLMetry cut', openLlmetry('a', { 'gen_ai.completion.0.tool_calls': cut(calls) })],
    ['whose parts in an event are cut', choice(json({ content: 'b' }), '[{"type":"text","text":"How de')],
    ['whose request MLflow cut', mlflow(cut({ messages: asked }))],
    ['whose request the Agent Development Kit cut', adk(cut({ model: 'm', contents }))],
    ['whose request Logfire cut', logfire(cut({ messages: asked }))],
    ['whose messages Langfuse cut', JSON.parse(observation(cut(asked), 'Two metres.'))],
    ['whose messages LangSmith cut', run({ messages: cut(asked) })],
  ];

  test.each(values)('%s', (_, value) => {
    expect(read([json(value)])).toMatchObject([{ kind: 'rejection', reason: 'unknown-content' }]);
  });
});

function adk(request: string): object {
  const answer = { content: { role: 'model', parts: [{ text: 'Two metres.' }] } };
  return span({ 'gcp.vertex.agent.llm_request': request, 'gcp.vertex.agent.llm_response': json(answer) });
}

function logfire(request: string): object {
  return span({
    request_data: request,
    response_data: json({ message: { role: 'assistant', content: 'Two metres.' } }),
  });
}

function run(inputs: object): object {
  const message = { role: 'assistant', content: 'Two metres.' };
  return { id: 'r', trace_id: 'r', run_type: 'llm', inputs, outputs: { choices: [{ message }] } };
}

it('keeps a question that is JSON of another kind, or a text with brackets', () => {
  for (const question of ['[{"depth": 2}, {"depth": 3', '{"depth": [1, 2', '[1] How deep is it?']) {
    const [entry] = entriesOf(read([observation(question, 'Two metres.')]));
    expect(entry && messagesOf(entry)[0]).toEqual({ role: 'user', content: question });
  }
});

describe('definitions of tools', () => {
  const tools = json([{ type: 'function', name: 'sound', description: 'Sounds the depth.' }]);
  const values: readonly (readonly [string, object])[] = [
    ['that are cut', genAi({ 'gen_ai.tool.definitions': tools.slice(0, -9) })],
    ['that are printed', genAi({ 'gen_ai.tool.definitions': "[{'type': 'function', 'name': 'sound'}]" })],
    ['that OpenInference cut', openInference({ 'llm.tools.0.tool.json_schema': '{"type":"function","na' })],
    [
      'that OpenLLMetry cut',
      openLlmetry('How deep is it?', {
        'llm.request.functions.0.name': 'sound',
        'llm.request.functions.0.parameters': '{"type":"object","prop',
      }),
    ],
    ['of which one is cut', aiSdk({ 'ai.prompt.tools': ['{"type":"function","na'] })],
  ];

  test.each(values)('%s are a finding', (_, value) => {
    const [entry] = entriesOf(read([json(value)]));
    expect(entry && rulesOf(entry)).toEqual(['unread-text']);
  });

  it('that are whole are none', () => {
    const [entry] = entriesOf(read([json(genAi({ 'gen_ai.tool.definitions': tools }))]));
    expect(entry && rulesOf(entry)).toEqual([]);
    expect(entry?.tools).toHaveLength(1);
  });
});
