import { describe, expect, it } from 'vitest';
import legacy from '../../../transforms/checks/legacy-function-call.ts';
import { assistant, conversationOf, messageOf, named } from './samples.ts';

const withLegacy = (role: string, function_call: unknown) =>
  messageOf({ role, content: null, function_call });

describe('legacy-function-call', () => {
  it('reports a function_call of an assistant', () => {
    const conversation = conversationOf([
      assistant('Hi'),
      withLegacy('assistant', { name: 'x', arguments: '{}' }),
    ]);
    expect(named(legacy.check(conversation))).toEqual(['ERROR legacy-function-call']);
  });

  it('reports nothing for null, an absent member or another role', () => {
    const messages = [withLegacy('assistant', null), assistant('function_call'), withLegacy('user', {})];
    expect([...legacy.check(conversationOf(messages))]).toEqual([]);
  });
});
