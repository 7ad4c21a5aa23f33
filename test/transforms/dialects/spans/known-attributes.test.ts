/** Attributes of model calls that turnmill does not know: words in them are not lost. */
import { describe, expect, it } from 'vitest';
import { entriesOf, only, read, rulesOf } from '../span-samples.ts';

const json = JSON.stringify;
const call = (more: object) =>
  json({
    traceId: 't',
    spanId: 's',
    attributes: {
      'ai.operationId': 'ai.generateText.doGenerate',
      'ai.prompt.messages': json([{ role: 'user', content: 'Is the kiln hot?' }]),
      ...more,
    },
  });
const SAID = 'It is hot by now.';
const openLlmetry = (more: object) =>
  json({
    traceId: 't',
    attributes: {
      'llm.request.type': 'chat',
      'gen_ai.prompt.0.role': 'user',
      'gen_ai.prompt.0.content': 'Is the kiln hot?',
      'gen_ai.completion.0.role': 'assistant',
      ...more,
    },
  });

describe('a call without its answer', () => {
  it.each([
    'ai.response.words',
    'gen_ai.reply',
    'llm.response.words',
    'traceloop.entity.output',
    'langfuse.observation.reply',
    'lk.response.text',
    'my_client.reply',
    'output.words',
    'said',
  ])('is rejected if %s has words', (name) => {
    const [element] = read([call({ [name]: SAID })]);
    expect(element).toMatchObject({ kind: 'rejection', reason: 'unknown-content' });
    expect(element).toHaveProperty('detail', expect.stringContaining(`may hold it: ${name}`));
  });

  it('is rejected if the words are in a list, JSON or a tree', () => {
    for (const value of [
      [{ role: 'assistant', text: 'hot' }],
      json({ words: SAID }),
      { deep: { est: SAID } },
    ])
      expect(read([call({ 'ai.answer': value })])[0]).toMatchObject({ reason: 'unknown-content' });
  });

  it.each([
    ['settings', { 'ai.settings.stop': ['\n\nHuman: x y'], 'gen_ai.request.stop_sequences': ['the end'] }],
    [
      'names and ids',
      { 'gen_ai.agent.name': 'Kiln agent of Ada', 'ai.response.id': 'a b', 'llm.model': 'x y' },
    ],
    ['the program', { 'service.name': 'my kiln', 'http.user_agent': 'a b (c)', 'tag.tags': ['a b'] }],
    ['metadata', { 'ai.telemetry.metadata.note': SAID, 'traceloop.association.properties.x': SAID }],
    [
      'tools',
      { 'ai.prompt.tools': [json({ name: 'f', description: SAID })], 'gen_ai.tool.description': SAID },
    ],
    ['errors', { 'error.message': SAID, 'ai.response.error': SAID, 'exception.message': SAID }],
    ['numbers', { 'gen_ai.usage.output_tokens': 4, 'ai.response.msToFinish': 5.5 }],
    ['the question again', { 'traceloop.entity.data': json({ asked: 'Is the kiln hot?' }) }],
  ])('is read if other attributes have %s', (_what, more) => {
    expect(entriesOf(read([call(more)]))).toHaveLength(1);
  });
});

describe('a call with its answer', () => {
  const answered = { 'ai.response.text': SAID };

  it('has a finding if an attribute of model calls has other words', () => {
    expect(rulesOf(only(call({ ...answered, 'ai.response.thoughts': 'Clay takes long.' })))).toEqual([
      'unread-text',
    ]);
    expect(rulesOf(only(call({ ...answered, 'gen_ai.instructions': 'Be short, please.' })))).toEqual([
      'unread-text',
    ]);
  });

  it('has none if it has the same words, or the attribute is of the program', () => {
    const same = { 'gen_ai.response.words': SAID, 'llm.answer': json({ text: SAID }) };
    expect(rulesOf(only(call({ ...answered, ...same, 'my_client.note': 'Clay takes long.' })))).toEqual([]);
  });
});

describe('a message of OpenLLMetry', () => {
  it.each([
    ['its text under another name', { 'gen_ai.completion.0.words': 'Hot' }],
    [
      'a text beside its calls',
      { 'gen_ai.completion.0.words': SAID, 'gen_ai.completion.0.tool_calls.0.name': 'f' },
    ],
    ['a text beside its own', { 'gen_ai.completion.0.content': 'Hot.', 'gen_ai.prompt.0.more': SAID }],
  ])('is rejected with %s', (_what, more) => {
    expect(read([openLlmetry(more)])[0]).toMatchObject({ kind: 'rejection', reason: 'unknown-content' });
  });

  it('may have what a filter found', () => {
    const found = { 'gen_ai.completion.0.content_filter_results': json({ why: 'nothing found' }) };
    expect(rulesOf(only(openLlmetry({ ...found, 'gen_ai.completion.0.content': 'Hot.' })))).toEqual([]);
  });
});

describe('a span that does not say what it is', () => {
  const span = (attributes: object) => read([json({ traceId: 't', attributes })])[0];

  it('is rejected if attributes of model calls have words', () => {
    const attributes = { 'gen_ai.request.model': 'm', 'gen_ai.reply': SAID };
    expect(span(attributes)).toMatchObject({ kind: 'rejection', reason: 'unknown-content' });
  });

  it('is left out if they have none, or if it names its kind', () => {
    for (const attributes of [
      { 'gen_ai.request.model': 'm', 'gen_ai.system': 'x' },
      { 'gen_ai.operation.name': 'execute_tool', 'gen_ai.reply': SAID },
      { 'ai.operationId': 'ai.toolCall', 'ai.reply': SAID },
    ])
      expect(span(attributes)).toMatchObject({ kind: 'fate', fate: 'dropped:no-model-span' });
  });
});

it('rejects a call of whose events one has words in an attribute of model calls', () => {
  const event = (name: string, attributes: object) => ({ name, attributes });
  const events = [
    event('gen_ai.user.message', { content: 'Is the kiln hot?' }),
    event('gen_ai.choice', { 'gen_ai.event.words': json({ message: { content: SAID } }) }),
  ];
  const span = { traceId: 't', attributes: { 'gen_ai.operation.name': 'chat' }, events };
  expect(read([json(span)])[0]).toMatchObject({ kind: 'rejection', reason: 'unknown-content' });
});
