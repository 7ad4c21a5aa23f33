/**
 * Rule `no-answer`: the conversation has no answer of the model to learn from, neither a text nor a call. A thought
 * alone is none. Formats for trainers reject it by default; others write it.
 */
import type { Conversation } from '../model/element.ts';
import { isEmptyReply } from '../model/reply.ts';
import type { Format, FormatFinding } from './format.ts';

export const NO_ANSWER = 'no-answer';

/** The finding about a conversation without an answer; undefined if it has one, or is a grader's sample. */
export function findNoAnswer(
  { messages, sample }: Conversation,
  { rules, needsAnswer }: Format,
): FormatFinding | undefined {
  if (!rules.includes(NO_ANSWER) || (sample !== undefined && needsAnswer !== true)) return undefined;
  if (messages.some((message) => message.role === 'assistant' && !isEmptyReply(message))) return undefined;
  const found = { rule: NO_ANSWER, message: 'the conversation has no assistant message to learn from' };
  return needsAnswer === true
    ? { ...found, severity: 'ERROR', rejects: true }
    : { ...found, severity: 'WARNING' };
}
