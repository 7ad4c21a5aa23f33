import { describe, expect, it } from 'vitest';
import { encode } from '../../../transforms/json/utf8.ts';
import type { Conversation, Message } from '../../../transforms/model/element.ts';
import { apply } from '../../../transforms/stage.ts';
import supply, { definitionsIn } from '../../../transforms/stages/supply.ts';
import { text } from '../bytes.ts';
import { assistant, conversationOf, user } from '../checks/samples.ts';

const NOTE = { rule: 'no-system', severity: 'WARNING', message: 'x' } as const;
const OTHER = { rule: 'interrupted', severity: 'WARNING', message: 'y' } as const;
const DEFINITIONS = JSON.stringify([
  { type: 'function', function: { name: 'read', parameters: { type: 'object' } } },
  { name: 'write', input_schema: { type: 'object' } },
  { name: 'unused' },
  { name: 'read', description: 'a second one' },
]);
const calling = (...names: string[]): Message => ({
  role: 'assistant',
  bytes: encode(
    JSON.stringify({
      role: 'assistant',
      tool_calls: names.map((name) => ({ id: name, type: 'function', function: { name, arguments: '{}' } })),
    }),
  ),
});

function supplied(conversation: Conversation, options: { systemText?: string; toolDefinitions?: string }) {
  const { systemText, toolDefinitions } = options;
  const [changed] = [...apply(supply.create({ systemText, toolDefinitions }), [conversation])];
  return changed as Conversation;
}
const messagesOf = ({ messages }: Conversation) => messages.map(({ bytes }) => JSON.parse(text(bytes)));
const toolsOf = ({ tools }: Conversation) => tools.map(({ bytes }) => JSON.parse(text(bytes)));

describe('the system text', () => {
  it('is added if there is none, and removes the finding about that', () => {
    const first = { ...user('a'), notes: [NOTE, OTHER] };
    const meta = new Map([['copied', encode('2')]] as const);
    const changed = supplied(
      { ...conversationOf([first, assistant('b')]), meta },
      { systemText: 'Be "brief".' },
    );
    expect(messagesOf(changed)).toEqual([
      { role: 'system', content: 'Be "brief".' },
      { role: 'user', content: 'a' },
      { role: 'assistant', content: 'b' },
    ]);
    expect(changed.messages[1]?.notes).toEqual([OTHER]);
    expect([...changed.changes]).toEqual([['system-supplied', 1]]);
    expect(text(changed.meta?.get('copied') as Uint8Array)).toBe('3');
  });

  it.each(['system', 'developer'])(
    'is not added to a conversation with a %s message or to an empty one',
    (role) => {
      const own = { role, bytes: encode(`{"role":"${role}","content":"own"}`) };
      for (const messages of [[own, user('a')], []]) {
        const conversation = conversationOf(messages);
        expect(supplied(conversation, { systemText: 'x' })).toBe(conversation);
      }
    },
  );
});

describe('the tool definitions', () => {
  it('are added for the called tools, once each, in the order of the file', () => {
    const messages = [user('a'), calling('write', 'unknown'), calling('read', 'write')];
    const changed = supplied(conversationOf(messages, { tools: [] }), { toolDefinitions: DEFINITIONS });
    expect(toolsOf(changed)).toEqual([
      { name: 'read', parameters: { type: 'object' } },
      { name: 'write', parameters: { type: 'object' } },
    ]);
    expect([...changed.changes]).toEqual([['tools-supplied', 2]]);
    expect(changed.toolCounts).toMatchObject({ seen: 2, kept: 2 });
  });

  it('are not added to a conversation that has definitions or calls none of the tools', () => {
    const own = conversationOf([calling('read')], { tools: [{ name: 'x', bytes: encode('{"name":"x"}') }] });
    const silent = conversationOf([user('a'), calling('other')], { tools: [] });
    for (const conversation of [own, silent])
      expect(supplied(conversation, { toolDefinitions: DEFINITIONS })).toBe(conversation);
  });

  it.each([
    '',
    '{}',
    '[1]',
    '[{}]',
    '[{"name":""}]',
    '[{"name":"a"}] x',
    '[{"name":"a"}',
    '[{"function":{}}]',
  ])('cannot be read from %j', (json) => {
    expect(definitionsIn(json)).toBeUndefined();
  });
});
