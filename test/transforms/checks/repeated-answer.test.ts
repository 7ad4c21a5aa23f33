import { describe, expect, it } from 'vitest';
import repeatedAnswer from '../../../transforms/checks/repeated-answer.ts';
import { assistant, call, calling, conversationOf, named, texts, user } from './samples.ts';

const found = (...messages: Parameters<typeof conversationOf>[0]) => [
  ...repeatedAnswer.check(conversationOf(messages)),
];

describe('repeated-answer', () => {
  it('warns about a conversation that ends in the same answer twice', () => {
    expect(named(found(user('a'), assistant('b'), assistant('b')))).toEqual(['WARNING repeated-answer']);
    const asks = calling(call('1', 'f'));
    expect(texts(found(user('a'), asks, asks))).toEqual([
      'messages[2] says the same as the message before it: with --select leaves it is written once',
    ]);
  });

  it('reports nothing else', () => {
    expect(found()).toEqual([]);
    expect(found(assistant('b'))).toEqual([]);
    expect(found(user('b'), user('b'))).toEqual([]);
    expect(found(user('b'), assistant('b'))).toEqual([]);
    expect(found(user('a'), assistant('b'), assistant('c'))).toEqual([]);
    expect(found(user('a'), calling(call('1', 'f')), calling(call('2', 'f')))).toEqual([]);
  });
});
