import { expect, it } from 'vitest';
import asRead from '../../../transforms/checks/as-read.ts';
import { assistant, conversationOf, named, texts, user } from './samples.ts';

it('reports the notes on messages with their positions', () => {
  const note = { rule: 'block-kept', severity: 'WARNING', message: 'a block is kept' } as const;
  const messages = [user('x'), { ...assistant('y'), notes: [note, { ...note, severity: 'ERROR' } as const] }];
  const found = [...asRead.check(conversationOf(messages))];
  expect(named(found)).toEqual(['WARNING block-kept', 'ERROR block-kept']);
  expect(texts(found)).toEqual(['messages[1]: a block is kept', 'messages[1]: a block is kept']);
});

it('reports nothing for messages without notes', () => {
  expect([...asRead.check(conversationOf([user('x'), assistant('y')]))]).toEqual([]);
});
