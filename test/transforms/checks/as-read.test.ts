import { expect, it } from 'vitest';
import asRead from '../../../transforms/checks/as-read.ts';
import { assistant, conversationOf, messageOf, named, texts, user } from './samples.ts';

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

it.each([
  [{ finish_reason: 'length' }, ['WARNING reply-cut']],
  [{ stop_reason: 'max_tokens' }, ['WARNING reply-cut']],
  [{ finishReason: 'SAFETY' }, ['WARNING reply-filtered']],
  [{ stopReason: 'cancelled_by_policy' }, ['WARNING unknown-stop']],
  [{ finish_reason: 'stop', stop_reason: 'max_tokens' }, ['WARNING reply-cut']],
  [{ finish_reason: 'length', stop_reason: 'max_tokens' }, ['WARNING reply-cut']],
  [{ finish_reason: 'stop' }, []],
  [{ finish_reason: null }, []],
  [{ metadata: { finish_reason: 'length' } }, []],
])('reports an answer that says itself why it ended: %j', (more, rules) => {
  const answer = messageOf({ role: 'assistant', content: 'y', ...more });
  expect(named([...asRead.check(conversationOf([user('x'), answer]))])).toEqual(rules);
});

it('reports only once why an answer ended', () => {
  const notes = [{ rule: 'reply-cut', severity: 'WARNING', message: 'a' }] as const;
  const answer = { ...messageOf({ role: 'assistant', content: 'y', finish_reason: 'length' }), notes };
  expect(named([...asRead.check(conversationOf([user('x'), answer]))])).toEqual(['WARNING reply-cut']);
});

it('reports no reason of a message that the model did not write', () => {
  const said = messageOf({ role: 'user', content: 'x', finish_reason: 'length' });
  expect([...asRead.check(conversationOf([said, assistant('y')]))]).toEqual([]);
});
