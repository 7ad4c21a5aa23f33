/**
 * Reports the notes on messages: what a dialect, or `--reasoning inline`, could not convert exactly
 * (docs/reference/dialects-of-clients.md).
 */
import { unreadContent } from '../dialects/shared/unread-content.ts';
import type { Conversation, ReadingNote } from '../model/element.ts';
import { READING_RULES } from '../model/reading-rule.ts';
import type { ConversationCheck, Found } from './check.ts';

/** Findings about message `at` of a conversation. */
export const noteFindings = (notes: readonly ReadingNote[], at: number): readonly Found[] =>
  notes.map(({ rule, severity, message }) => ({ rule, severity, message: `messages[${at}]: ${message}` }));

function check({ messages }: Conversation): readonly Found[] {
  const found: Found[] = [];
  messages.forEach((message, i) => {
    const content = unreadContent(message);
    if (message.notes !== undefined) found.push(...noteFindings(message.notes, i));
    if (content !== undefined) found.push(...noteFindings([content], i));
  });
  return found;
}

const asRead: ConversationCheck = {
  name: 'as-read',
  summary: 'Messages that could not be converted exactly as logged.',
  rules: READING_RULES,
  on: 'conversation',
  check,
};

export default asRead;
