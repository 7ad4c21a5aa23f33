import { describe, expect, it } from 'vitest';
import protocolOpen from '../../../transforms/checks/protocol-open.ts';
import type { Conversation } from '../../../transforms/model/element.ts';
import { named } from './samples.ts';

const call = (id: string) => ({ id, type: 'function', function: { name: 'read', arguments: '{}' } });
const asked = { role: 'user', content: 'x' };
const calling = (...ids: readonly string[]) => ({ role: 'assistant', tool_calls: ids.map(call) });
const result = (id: string) => ({ role: 'tool', tool_call_id: id, content: 'y' });
const answer = { role: 'assistant', content: 'z' };

function found(messages: readonly { role: string }[], lacks?: Conversation['lacks']) {
  const made = messages.map((message) => ({
    role: message.role,
    bytes: Buffer.from(JSON.stringify(message)),
  }));
  return [...protocolOpen.check({ messages: made, ...(lacks && { lacks }) } as unknown as Conversation)];
}

describe('protocol-open', () => {
  it.each([
    ['an answer', [asked, answer]],
    ['calls with their results', [asked, calling('a', 'b'), result('b'), result('a'), answer]],
    ['an id that comes again', [asked, calling('a'), result('a'), calling('a'), result('a'), answer]],
  ])('is silent about %s', (_name, messages) => {
    expect(found(messages)).toEqual([]);
  });

  it.each([
    [
      'a call without a result',
      [asked, calling('a'), answer],
      'messages[1] has a call without a result before messages[2]',
    ],
    [
      'one of two calls without',
      [asked, calling('a', 'b'), result('a'), answer],
      'messages[1] has a call without',
    ],
    [
      'the same id twice with one result',
      [asked, calling('a', 'a'), result('a'), answer],
      'messages[1] has a call without',
    ],
    [
      'a call at the end',
      [asked, calling('a')],
      'messages[1], the last turn of the model, has a call without a result',
    ],
    [
      'a result at the end',
      [asked, calling('a'), result('a')],
      'messages[2], the last one, is not an answer',
    ],
    ['a question at the end', [asked, answer, asked], 'messages[2], the last one, is not an answer'],
  ])('finds %s', (_name, messages, text) => {
    const one = found(messages);
    expect(named(one)).toEqual(['WARNING protocol-open']);
    expect(one[0]?.message).toContain(text);
  });

  it('does not ask for an answer where a log never has one', () => {
    expect(found([asked], ['replies'])).toEqual([]);
    expect(found([asked, calling('a')], ['replies'])).toHaveLength(1);
  });
});
