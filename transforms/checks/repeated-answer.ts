/** Reports an answer that the request has too: some programs log the list to which they have added it. */
import type { Conversation } from '../model/element.ts';
import { isSameMessage } from '../model/message-key.ts';
import type { ConversationCheck, Found } from './check.ts';

function check({ messages, folded }: Conversation): readonly Found[] {
  const [last, reply] = messages.slice(-2);
  const isTwice = last?.role === 'assistant' && reply?.role === 'assistant' && folded === undefined;
  if (!isTwice || !isSameMessage(last, reply)) return [];
  const message = `messages[${messages.length - 1}] says the same as the message before it: with --select leaves it is written once`;
  return [{ rule: 'repeated-answer', severity: 'WARNING', message }];
}

const repeatedAnswer: ConversationCheck = {
  name: 'repeated-answer',
  summary: 'Conversations that end in the same answer twice.',
  rules: ['repeated-answer'],
  on: 'conversation',
  check,
};

export default repeatedAnswer;
