/**
 * Reports incomplete conversations: a call has no result before the model's next message, or the end is not an answer
 * without calls.
 */

import { eachAssistantCall, hasCalls } from '../model/assistant-calls.ts';
import type { Conversation, Message } from '../model/element.ts';
import { stringValue } from '../model/message.ts';
import type { ConversationCheck, Found } from './check.ts';

const found = (message: string): readonly Found[] => [
  { rule: 'protocol-open', severity: 'WARNING', message },
];

function check({ messages, lacks }: Conversation): readonly Found[] {
  const open = new Map<string, number>(); // number of calls without a result, by id
  let at = -1; // index of the message with these calls
  for (const [i, message] of messages.entries()) {
    if (message.role === 'tool') {
      const id = stringValue(message.bytes, 'tool_call_id') ?? '';
      const left = (open.get(id) ?? 0) - 1;
      if (left > 0) open.set(id, left);
      else open.delete(id);
    } else if (message.role === 'assistant') {
      if (open.size > 0) return found(`messages[${at}] has a call without a result before messages[${i}]`);
      at = i;
      eachAssistantCall(message, ({ id = '' }) => open.set(id, (open.get(id) ?? 0) + 1));
    }
  }
  if (open.size > 0) return lacks?.includes('last-result') === true ? [] : openCall(at);
  return lacks?.includes('replies') === true ? [] : checkEnd(messages);
}

function checkEnd(messages: readonly Message[]): readonly Found[] {
  const last = messages.at(-1);
  if (last === undefined || (last.role === 'assistant' && !hasCalls(last))) return [];
  return openEndFindings(messages.length, false);
}

const openCall = (at: number): readonly Found[] =>
  found(`messages[${at}], the last turn of the model, has a call without a result`);

/**
 * The finding for a conversation that is incomplete only at its end.
 * @param endsInCall whether the last message is one of the model, with calls
 */
export function openEndFindings(messages: number, endsInCall: boolean): readonly Found[] {
  const last = messages - 1;
  return endsInCall
    ? openCall(last)
    : found(`messages[${last}], the last one, is not an answer of the model`);
}

const protocolOpen: ConversationCheck = {
  name: 'protocol-open',
  summary: 'Conversations with a call without a result, or without an answer of the model at their end.',
  rules: ['protocol-open'],
  on: 'conversation',
  check,
};

export default protocolOpen;
