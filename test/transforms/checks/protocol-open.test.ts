import { describe, expect, it } from 'vitest';
import protocolOpen from '../../../transforms/checks/protocol-open.ts';
import type { Conversation } from '../../../transforms/model/element.ts';
import { named } from './samples.ts';

const call = (id: string) => ({ id, type: 'function', function: { name: 'read', arguments: '{}' } });
const question = { role: 'user', content: 'x' };
const calling = (...ids: readonly string[]) => ({ role: 'assistant', tool_calls: ids.map(call) });
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'y' });
const answer = { role: 'assistant', content: 'z' };

function found(messages: readonly { role: string }[], lacks?: Conversation['lacks']) {
  const parsedMessages = messages.map((message) => ({
    role: message.role,
    bytes: Buffer.from(JSON.stringify(message)),
  }));
  return [
    ...protocolOpen.check({ messages: parsedMessages, ...(lacks && { lacks }) } as unknown as Conversation),
  ];
}

describe('protocol-open', () => {
  it.each([
    ['an answer', [question, answer]],
    ['calls with their results', [question, calling('a', 'b'), result('b'), result('a'), answer]],
    ['an id that is used again', [question, calling('a'), result('a'), calling('a'), result('a'), answer]],
  ])('reports nothing for %s', (_name, messages) => {
    expect(found(messages)).toEqual([]);
  });

  it.each([
    [
      'a call without a result',
      [question, calling('a'), answer],
      'messages[1] has a call without a result before messages[2]',
    ],
    [
      'one of two calls without',
      [question, calling('a', 'b'), result('a'), answer],
      'messages[1] has a call without',
    ],
    [
      'the same id twice with one result',
      [question, calling('a', 'a'), result('a'), answer],
      'messages[1] has a call without',
    ],
    [
      'a call at the end',
      [question, calling('a')],
      'messages[1], the last turn of the model, has a call without a result',
    ],
    [
      'a result at the end',
      [question, calling('a'), result('a')],
      'messages[2], the last one, is not an answer',
    ],
    ['a question at the end', [question, answer, question], 'messages[2], the last one, is not an answer'],
  ])('reports %s', (_name, messages, text) => {
    const one = found(messages);
    expect(named(one)).toEqual(['WARNING protocol-open']);
    expect(one[0]?.message).toContain(text);
  });

  it('does not report a missing answer for logs that never have one', () => {
    expect(found([question], ['replies'])).toEqual([]);
    expect(found([question, calling('a')], ['replies'])).toHaveLength(1);
  });
});
