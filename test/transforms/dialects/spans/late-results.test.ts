/** Results in the input of a span that made their calls: they come after the answer with these. */
import { expect, it } from 'vitest';
import { messagesOf, only, rulesOf } from '../span-samples.ts';

const message = (role: string, ...parts: readonly object[]): object => ({ role, parts });
const asked = message('user', { type: 'text', content: 'Which bulbs?' });
const said = (content: string): object => message('assistant', { type: 'text', content });
const call = (id: string): object =>
  message('assistant', { type: 'tool_call', id, name: 'look', arguments: {} });
const result = (id: string, response: string): object =>
  message('tool', { type: 'tool_call_response', id, response });

const span = (input: readonly object[], output: readonly object[]): string =>
  JSON.stringify({
    traceId: 't',
    spanId: 's',
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.input.messages': JSON.stringify(input),
      'gen_ai.output.messages': JSON.stringify(output),
    },
  });

/** The messages, each as its calls, the call that it answers, or its text. */
const outline = (line: string): readonly string[] =>
  messagesOf(only(line)).map(({ role, content, tool_calls: calls = [], tool_call_id: id }) =>
    [role, id, content, ...calls.map((one: { id: string }) => one.id)].filter(Boolean).join(' '),
  );

it('come after the answer', () => {
  expect(outline(span([asked, result('b', '2'), result('a', '1')], [call('a'), call('b')]))).toEqual([
    'user Which bulbs?',
    'assistant a b',
    'tool b 2',
    'tool a 1',
  ]);
});

it('come after the answer with the history of the call before it', () => {
  const input = [asked, call('a'), result('a', '1'), result('b', '2')];
  expect(outline(span(input, [call('b')]))).toEqual([
    'user Which bulbs?',
    'assistant a',
    'tool a 1',
    'assistant b',
    'tool b 2',
  ]);
});

it('come after the answer together with what the user says between them', () => {
  const input = [
    asked,
    result('a', '1'),
    message('user', { type: 'text', content: 'Wait.' }),
    result('b', '2'),
  ];
  expect(outline(span(input, [call('a'), call('b')]))).toEqual([
    'user Which bulbs?',
    'assistant a b',
    'tool a 1',
    'user Wait.',
    'tool b 2',
  ]);
});

it('stand between the answers that a span of an agent has', () => {
  const input = [result('a', '1'), result('b', '2'), result('c', '3')];
  const output = [said('One.'), call('a'), said('Two.'), call('c'), call('b'), said('Three.')];
  expect(outline(span(input, output))).toEqual([
    'assistant One. a',
    'tool a 1',
    'assistant Two. c b',
    'tool b 2',
    'tool c 3',
    'assistant Three.',
  ]);
  expect(rulesOf(only(span(input, output)))).toEqual(['no-question']);
});

it('may be those of a server whose tools the client runs', () => {
  const type = 'server_tool_call';
  const servers = [
    message('assistant', { type, id: 'a', name: 'look', [type]: { type: 'mcp', arguments: { at: 1 } } }),
    message('assistant', { type, id: 'b', name: 'wait', [type]: { type: 'mcp' } }),
  ];
  const [one, other] = ['a', 'b'].map((id) =>
    message('tool', {
      type: `${type}_response`,
      id,
      [`${type}_response`]: { type: 'mcp', server_name: 'shed', ...(id === 'a' && { response: '40' }) },
    }),
  );
  const entry = only(span([asked, one as object, other as object], servers));
  expect(messagesOf(entry).slice(1)).toEqual([
    {
      role: 'assistant',
      tool_calls: [
        { id: 'a', type: 'function', function: { name: 'look', arguments: '{"at":1}' } },
        { id: 'b', type: 'function', function: { name: 'wait', arguments: '{}' } },
      ],
    },
    { role: 'tool', tool_call_id: 'a', content: '40' },
    { role: 'tool', tool_call_id: 'b', content: '' },
  ]);
  expect(rulesOf(entry)).toEqual([]);
});

it('stay where they are if the input has their call, under an id that the client gives again', () => {
  expect(outline(span([asked, call('c'), result('c', '1')], [call('c')]))).toEqual([
    'user Which bulbs?',
    'assistant c',
    'tool c 1',
    'assistant c',
  ]);
});

it('stay where they are if nothing has their call', () => {
  expect(outline(span([asked, result('x', '1')], [call('c')]))).toEqual([
    'user Which bulbs?',
    'tool x 1',
    'assistant c',
  ]);
});
