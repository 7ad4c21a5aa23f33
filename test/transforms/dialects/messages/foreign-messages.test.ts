import { describe, expect, it } from 'vitest';
import { readForeignMessages } from '../../../../transforms/dialects/messages/foreign-messages.ts';
import { encode } from '../../../../transforms/json/utf8.ts';
import type { Message } from '../../../../transforms/model/element.ts';
import { text } from '../../bytes.ts';

const message = (role: string, more: object): Message => ({
  role,
  bytes: encode(JSON.stringify({ role, ...more })),
});
const parsed = (messages: readonly Message[]) => messages.map(({ bytes }) => JSON.parse(text(bytes)));
const fn = (id: string, name: string, args: string) => ({
  id,
  type: 'function',
  function: { name, arguments: args },
});

describe('readForeignMessages', () => {
  it('reads calls, results and thinking of the Messages API', () => {
    const logged = [
      message('user', { content: 'When?' }),
      message('assistant', {
        content: [
          { type: 'thinking', thinking: 'Hm.', signature: 's' },
          { type: 'text', text: 'I look.' },
          { type: 'tool_use', id: 't1', name: 'read', input: { n: 1 } },
        ],
      }),
      message('user', {
        content: [
          { type: 'tool_result', tool_use_id: 't1', content: 'In May.' },
          { type: 'text', text: 'Well?' },
        ],
      }),
    ];
    expect(parsed(readForeignMessages(logged))).toEqual([
      { role: 'user', content: 'When?' },
      {
        role: 'assistant',
        content: 'I look.',
        reasoning_content: 'Hm.',
        tool_calls: [fn('t1', 'read', '{"n":1}')],
      },
      { role: 'tool', tool_call_id: 't1', content: 'In May.' },
      { role: 'user', content: 'Well?' },
    ]);
  });

  it.each([
    ['LangChain', { name: 'read', args: { n: 1 }, id: 'c', type: 'tool_call' }, '{"n":1}'],
    ['tau2', { id: 'c', name: 'read', arguments: { n: 1 }, requestor: 'assistant' }, '{"n":1}'],
    ['AgentDojo', { function: 'read', args: { n: 1 }, id: 'c', placeholder_args: null }, '{"n":1}'],
    ['a client that writes arguments as text', { id: 'c', name: 'read', arguments: '{"n": 1}' }, '{"n": 1}'],
  ])('nests the flat calls of %s in a function', (_client, call, args) => {
    const [read] = readForeignMessages([message('assistant', { content: 'I look.', tool_calls: [call] })]);
    expect(parsed([read as Message])).toEqual([
      { role: 'assistant', content: 'I look.', tool_calls: [fn('c', 'read', args)] },
    ]);
  });

  it.each([
    ['texts', message('user', { content: [{ type: 'text', text: 'a' }] })],
    ['calls of the API', message('assistant', { tool_calls: [fn('c', 'f', '{}')] })],
    ['calls without a name', message('assistant', { tool_calls: [{ id: 'c' }, 1] })],
    [
      'results that answer in words of another client',
      message('user', { content: [{ type: 'tool_result', toolUseID: 'c', run: {} }] }),
    ],
    ['calls of a simulated user', message('user', { tool_calls: [{ id: 'c', name: 'f', arguments: {} }] })],
    ['a thought without text', message('assistant', { content: [{ type: 'thinking', value: 'a' }] })],
  ])('returns %s unchanged', (_what, one) => {
    const logged = [one];
    expect(readForeignMessages(logged)).toBe(logged);
  });

  it('returns the other messages of a conversation unchanged', () => {
    const plain = message('user', { content: [{ type: 'text', text: 'a' }], n: 1 });
    const flat = message('assistant', { tool_calls: [{ id: 'c', name: 'f', arguments: {} }] });
    expect(readForeignMessages([plain, flat])[0]).toBe(plain);
  });
});
