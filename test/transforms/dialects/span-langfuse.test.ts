/** Observations of Langfuse: exported, sent to its ingestion API, and as spans. */
import { describe, expect, it } from 'vitest';
import { detectDialect } from '../../../transforms/stages/choose-dialect.ts';
import { asBuffer, text } from '../bytes.ts';
import { entriesOf, messagesOf, read } from './span-samples.ts';

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

describe('an observation in an export of Langfuse', () => {
  const row = {
    id: 'g',
    trace_id: 't',
    type: 'GENERATION',
    parent_observation_id: 'p',
    start_time: '2026-01-01 00:00:01.000',
    input: JSON.stringify([question]),
    output: JSON.stringify(answer),
    provided_model_name: 'm',
    model_parameters: '{}',
    usage_details: { input: 3 },
    cost_details: { total: 0.5 },
  };

  it('has the names of its columns', () => {
    expect(dialectOf(row)).toBe('spans');
    expect(conversations(row)).toEqual([[question, answer]]);
    expect(metaOf('model', row)).toEqual(['m']);
    expect(metaOf('usage', row)).toEqual([{ input: 3 }]);
    expect(metaOf('cost', row)).toEqual([0.5]);
    expect(metaOf('parent', row)).toEqual(['p']);
  });

  describe('of Koog, whose calls are the content of messages,', () => {
    const callOf = (id: string, args: string | object) => ({
      ...{ id, type: 'function' },
      function: { name: 'f', arguments: args },
    });
    const calling = (role: string, content: unknown) => ({ role, content });

    it.each([
      ['a text', JSON.stringify([callOf('c', '{"x": 1}')])],
      ['decoded', [callOf('c', { x: 1 })]],
    ])('has them if they are %s', (_how, content) => {
      const input = [question, calling('tool', content), { role: 'tool', content: 'r' }];
      const [messages = []] = conversations({ ...row, input, output: [calling('assistant', 'b')] });
      expect(messages).toMatchObject([
        question,
        { role: 'assistant', tool_calls: [{ id: 'c', function: { name: 'f' } }] },
        { role: 'tool', tool_call_id: 'c', content: 'r' },
        { role: 'assistant', content: 'b' },
      ]);
      expect(JSON.parse(messages[1].tool_calls[0].function.arguments)).toEqual({ x: 1 });
    });

    it('has all calls of one answer', () => {
      const output = ['c', 'd'].map((id) => calling('assistant', JSON.stringify([callOf(id, '{}')])));
      expect(conversations({ ...row, output })).toEqual([
        [question, { role: 'assistant', tool_calls: [callOf('c', '{}'), callOf('d', '{}')] }],
      ]);
    });
  });

  it('has its system text in the attributes of the span that it was made of', () => {
    const parts = [
      { type: 'text', content: 'Be brief.' },
      { type: 'text', content: 'Be kind.' },
    ];
    const attributes = { 'gen_ai.system_instructions': JSON.stringify(parts) };
    const system = { role: 'system', content: 'Be brief.\nBe kind.' };
    const withInput = (...input: object[]) => ({
      ...row,
      input: JSON.stringify(input),
      metadata: JSON.stringify({ attributes }),
    });
    expect(conversations(withInput(question))).toEqual([[system, question, answer]]);
    expect(conversations(withInput(system, question))).toEqual([[system, question, answer]]);
    const other = JSON.stringify(withInput({ role: 'system', content: 'Be funny.' }, question));
    expect(read([other])).toMatchObject([{ kind: 'rejection', reason: 'unknown-content' }]);
  });
});

describe('a batch of the ingestion API of Langfuse', () => {
  const event = (type: string, body: object) => ({ id: `e-${type}`, type, timestamp: '', body });
  const created = event('generation-create', { id: 'g', traceId: 't', input: [question], output: null });
  const updated = event('generation-update', { id: 'g', traceId: 't', output: answer, usage: { input: 2 } });
  const batch = [event('trace-create', { id: 't', sessionId: 's' }), created, updated];

  it('has one call for an observation that is created and updated', () => {
    expect(dialectOf({ batch })).toBe('spans');
    const [entry, ...others] = entriesOf(read([JSON.stringify({ batch })]));
    expect(others).toEqual([]);
    expect(entry && messagesOf(entry)).toEqual([question, answer]);
    expect(entry?.sessionId).toBe('s');
    expect(metaOf('usage', { batch })).toEqual([{ input: 2 }]);
  });

  const inLines = (...events: readonly object[]) => read(events.map((one) => JSON.stringify(one)));
  const joined = (...events: readonly object[]) => entriesOf(inLines(...events)).map(messagesOf);
  const isRefused = (...events: readonly object[]) =>
    inLines(...events).map((one) => (one.kind === 'entry' ? one.refused?.reason : one.kind));

  it('joins an observation with its updates in later lines', () => {
    const ended = event('generation-update', { id: 'g', endTime: '2026-02-03T10:00:09Z' });
    expect(joined({ batch: [created] }, { batch: [updated, ended] })).toEqual([[question, answer]]);
    expect(joined(created, ended, updated)).toEqual([[question, answer]]);
    expect(joined({ batch: [updated] }, { batch: [created] })).toEqual([[question, answer]]);
    expect(joined(created)).toEqual([[question]]);
    const [entry] = entriesOf(inLines(created, updated, { batch: [batch[0]] }));
    expect(entry?.sessionId).toBe('s');
    expect(inLines(created, updated)[0]).toMatchObject({ fate: 'dropped:joined-run' });
  });

  it('is refused if the input is missing, and if messages come after the end', () => {
    expect(isRefused(updated)).toEqual(['context-missing']);
    const body = { id: 'g', input: [question], output: answer, endTime: '2026-02-03T10:00:09Z' };
    const whole = event('generation-create', body);
    expect(joined(whole)).toEqual([[question, answer]]);
    expect(isRefused(whole, updated)).toEqual(['rejection', undefined]);
    const model = event('generation-update', { id: 'g', model: 'm' });
    expect(joined(whole, model)).toEqual([[question, answer]]);
  });

  it('rejects an event of an unknown type that carries content', () => {
    expect(isRefused({ batch: [created, event('spy', { id: 'h', input: [question] })] })).toContain(
      'rejection',
    );
    expect(isRefused({ batch: [event('spy-create', { id: 'h', input: [question] })] })).toEqual([
      'rejection',
    ]);
    expect(joined({ batch: [created, event('sdk-log', { log: 'a message' })] })).toHaveLength(1);
  });

  it('takes the type of an observation from its body', () => {
    const body = { id: 'g', traceId: 't', type: 'GENERATION', input: [question], output: answer };
    expect(conversations({ batch: [event('observation-create', body)] })).toEqual([[question, answer]]);
    expect(
      read([JSON.stringify({ batch: [event('span-create', { id: 's', traceId: 't' })] })]),
    ).toMatchObject([{ fate: 'dropped:no-model-span' }]);
  });
});

it('a span of Langfuse has its tokens and its cost as JSON', () => {
  const span = {
    traceId: 't',
    attributes: {
      'langfuse.observation.type': 'generation',
      'langfuse.observation.input': JSON.stringify([question]),
      'langfuse.observation.output': 'b',
      'langfuse.observation.usage_details': '{"input":3}',
      'langfuse.observation.cost_details': '{"input":0.25,"total":0.5}',
    },
  };
  expect(conversations(span)).toEqual([[question, { role: 'assistant', content: 'b' }]]);
  expect(metaOf('usage', span)).toEqual([{ input: 3 }]);
  expect(metaOf('cost', span)).toEqual([0.5]);
});

describe('a call of Weave or Opik', () => {
  it('may have an answer that is a word for nothing, which only Langfuse writes in place of one', () => {
    const span = { trace_id: 't', type: 'llm', input: { messages: [question] }, output: 'None' };
    expect(conversations(span)).toEqual([[question, { role: 'assistant', content: 'None' }]]);
  });

  it('is read from the playground of Weave', () => {
    const op_name = 'weave:///e/p/op/weave.completions_create:a';
    const output = { choices: [{ message: { role: 'assistant', content: 'b' } }] };
    expect(conversations({ op_name, trace_id: 't', inputs: { messages: [question] }, output })).toEqual([
      [question, { role: 'assistant', content: 'b' }],
    ]);
  });

  it.each([
    ['Converse', 'toolConfig', { toolSpec: { name: 'f', inputSchema: { json: {} } } }],
    ['Gemini', 'config', { functionDeclarations: [{ name: 'f', parameters: {} }] }],
  ])('may have the tools where %s has them', (_api, member, tool) => {
    const input = { messages: [question], [member]: { tools: [tool] } };
    const [entry] = entriesOf(read([JSON.stringify({ trace_id: 't', type: 'llm', input, output: 'b' })]));
    expect(entry?.tools.map(({ bytes }) => JSON.parse(text(bytes)))).toEqual([{ name: 'f', parameters: {} }]);
  });
});
