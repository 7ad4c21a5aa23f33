import { describe, expect, it } from 'vitest';
import { readValueParts, UnknownPart } from '../../../../transforms/dialects/messages/value-parts.ts';
import { encode } from '../../../../transforms/json/utf8.ts';
import type { Message } from '../../../../transforms/model/element.ts';
import { text } from '../../bytes.ts';

const message = (role: string, content: unknown, more: object = {}): Message => ({
  role,
  bytes: encode(JSON.stringify({ role, content, ...more })),
});
const part = (type: string, value: unknown) => ({ type, value });
const call = (name: string, args: unknown) => part('tool_call', JSON.stringify({ name, arguments: args }));
const parsed = (messages: readonly Message[] | UnknownPart) =>
  messages instanceof UnknownPart ? messages : messages.map(({ bytes }) => JSON.parse(text(bytes)));

describe('readValueParts', () => {
  it('reads texts, reasoning and calls, and pairs results with their calls', () => {
    const logged = [
      message('user', [part('text', 'One?'), part('text', 'Two?')]),
      message('assistant', [part('reasoning', 'Hm.'), call('f', { a: 1 }), call('g', '{"b":2}')], {
        loss_weight: 1,
      }),
      message('tool', [part('text', '1')]),
      message('tool', [part('text', '2')]),
      message('assistant', [part('text', 'Done.')]),
      message('user', 'as it is'),
    ];
    const fn = (id: string, name: string, args: string) => ({
      id,
      type: 'function',
      function: { name, arguments: args },
    });
    expect(parsed(readValueParts(logged))).toEqual([
      { role: 'user', content: 'One?\nTwo?' },
      {
        role: 'assistant',
        reasoning_content: 'Hm.',
        tool_calls: [fn('call_1', 'f', '{"a":1}'), fn('call_2', 'g', '{"b":2}')],
        loss_weight: 1,
      },
      { role: 'tool', tool_call_id: 'call_1', content: '1' },
      { role: 'tool', tool_call_id: 'call_2', content: '2' },
      { role: 'assistant', content: 'Done.' },
      { role: 'user', content: 'as it is' },
    ]);
  });

  it('returns other messages unchanged', () => {
    const logged = [message('user', [{ type: 'text', text: 'a' }]), message('user', [])];
    expect(readValueParts(logged)).toBe(logged);
  });

  it.each([
    [[part('text', 'a'), part('video', 'b')], 'video'],
    [[part('text', 'a'), part('x y', 'b')], 'another type'],
    [[part('text', 'a'), part('text', 7)], 'text'],
    [[part('tool_call', 'no JSON')], 'tool_call'],
    [[part('tool_call', '{"arguments":{}}')], 'tool_call'],
    [[part('text', 'a'), 7], 'another type'],
  ])('refuses %j', (content, type) => {
    expect(readValueParts([message('user', content)])).toMatchObject({ type });
  });
});
