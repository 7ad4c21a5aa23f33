/** Answers of the AI SDK: a span has their texts joined, and no results of the calls that the provider ran. */
import { describe, expect, it } from 'vitest';
import { entriesOf, messagesOf, read } from '../span-samples.ts';

const json = JSON.stringify;
const text = (words: string) => ({ type: 'text', text: words });
const user = (words: string) => ({ role: 'user', content: [text(words)] });
const answer = (...content: readonly object[]) => ({ role: 'assistant', content });
const web = { type: 'provider-defined', id: 'anthropic.web_search_20250305', name: 'web_search', args: {} };
const called = { toolCallId: 's', toolName: 'web_search', input: { query: 'rain' } };
const call = { type: 'tool-call', ...called, providerExecuted: true };
const found = { toolCallId: 's', toolName: 'web_search', output: { type: 'json', value: [] } };
const result = { type: 'tool-result', ...found };

let spans = 0;
const span = (
  prompt: readonly object[],
  words: string,
  calls: readonly object[] = [],
  tools: object[] = [],
) => ({
  ...{ traceId: `t${++spans}`, spanId: `s${spans}`, startTimeUnixNano: `${spans}` },
  attributes: {
    'ai.operationId': 'ai.generateText.doGenerate',
    'ai.telemetry.metadata.sessionId': 's',
    'ai.prompt.messages': json(prompt),
    ...(tools.length > 0 && { 'ai.prompt.tools': tools.map((tool) => json(tool)) }),
    'ai.response.text': words,
    ...(calls.length > 0 && { 'ai.response.toolCalls': json(calls) }),
  },
});
const conversations = (...log: readonly object[]) =>
  entriesOf(read(log.map((one) => json(one)))).map((entry) => messagesOf(entry));
const notesOf = (...log: readonly object[]) =>
  entriesOf(read(log.map((one) => json(one)))).flatMap(
    ({ reply }) => reply?.notes?.map(({ rule }) => rule) ?? [],
  );

describe('the texts of an answer', () => {
  it('are joined as the client joins them, so that the next call continues the conversation', () => {
    const first = span([user('a')], 'It rains. Often.');
    const next = span([user('a'), answer(text('It rains. '), text('Often.')), user('b')], 'c');
    expect(conversations(first, next)).toEqual([
      [
        user('a'),
        { role: 'assistant', content: 'It rains. Often.' },
        user('b'),
        { role: 'assistant', content: 'c' },
      ],
    ]);
  });

  it('are joined over a call of the client', () => {
    const own = { toolCallId: 'c', toolName: 'f', input: {} };
    const first = span([user('a')], 'I look.Then.', [own]);
    const done = {
      type: 'tool-result',
      toolCallId: 'c',
      toolName: 'f',
      output: { type: 'text', value: 'r' },
    };
    const said = answer(text('I look.'), { type: 'tool-call', ...own }, text('Then.'));
    const next = span([user('a'), said, { role: 'tool', content: [done] }], 'b');
    expect(conversations(first, next)).toMatchObject([
      [{}, { content: 'I look.Then.', tool_calls: [{ id: 'c' }] }, { role: 'tool' }, { content: 'b' }],
    ]);
  });

  it('of one part stay as they are', () => {
    const [messages] = conversations(span([user('a'), answer(text('x')), user('b')], 'c'));
    expect(messages?.[1]).toEqual(answer(text('x')));
  });
});

describe('a call that the provider ran', () => {
  const whole = answer(text('I search.'), call, { ...result, providerExecuted: true }, text('It rains.'));
  const next = span([user('a'), answer(text('I search.'), call, result, text('It rains.')), user('b')], 'c');

  it('is a part with its result in a request', () => {
    expect(conversations(next)).toEqual([[user('a'), whole, user('b'), { role: 'assistant', content: 'c' }]]);
  });

  it.each([
    ['the call has the mark', [{ ...called, providerExecuted: true }], []],
    ['the tool is of the provider', [called], [web]],
  ])('is a part of an answer if %s', (_what, calls, tools) => {
    const only = span([user('a')], 'I search.It rains.', calls, tools);
    expect(conversations(only)).toEqual([[user('a'), answer(call, text('I search.It rains.'))]]);
    expect(notesOf(only)).toEqual(['block-kept', 'order-lost']);
    // the answer whole, and once
    for (const log of [
      [only, next],
      [next, only],
    ])
      expect(conversations(...log)).toEqual([
        [user('a'), whole, user('b'), { role: 'assistant', content: 'c' }],
      ]);
  });

  it('is not one of a tool of the provider that the client runs', () => {
    const shell = { type: 'provider', id: 'anthropic.bash_20250124', name: 'bash', args: {} };
    const only = span([user('a')], '', [{ toolCallId: 'c', toolName: 'bash', input: {} }], [shell]);
    expect(conversations(only)).toMatchObject([[{}, { tool_calls: [{ id: 'c' }] }]]);
  });
});
