import { expect, test } from 'vitest';
import { messagesOf } from '../../../../src/view/app/messages.ts';

const [ask, answer] = [{ role: 'user' }, { role: 'assistant' }];

test.each<[string, unknown, unknown]>([
  ['a list of messages', { messages: [ask, answer] }, [ask, answer]],
  ['a record that is split', { prompt: [ask], completion: [answer], tools: [] }, [ask, answer]],
  ['texts', { prompt: 'a', completion: 'b' }, undefined],
])('%s', (_, record, messages) => {
  expect(messagesOf(record)).toEqual(messages);
});
