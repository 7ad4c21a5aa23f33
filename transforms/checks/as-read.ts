/**
 * Reports the notes on messages: what a dialect, or `--reasoning inline`, could not convert exactly
 * (docs/reference/dialects-of-clients.md).
 */
import { cutNotes } from '../dialects/shared/reading-notes.ts';
import { unreadContent } from '../dialects/shared/unread-content.ts';
import { JsonView } from '../json/json-view.ts';
import { keptMembersOf } from '../json/members.ts';
import type { Conversation, Message, ReadingNote } from '../model/element.ts';
import { READING_RULES } from '../model/reading-rule.ts';
import { wordSet } from '../model/words.ts';
import type { ConversationCheck, Found } from './check.ts';

/** Findings about message `at` of a conversation. */
export const noteFindings = (notes: readonly ReadingNote[], at: number): readonly Found[] =>
  notes.map(({ rule, severity, message }) => ({ rule, severity, message: `messages[${at}]: ${message}` }));

/** Members in which an answer itself says why it ended. shortcut-read.h has the same names. */
const REASONS: ReadonlySet<string> = wordSet('finish_reason stop_reason finishReason stopReason');

/** The findings about an answer that ended early and says so itself, which its dialect copies with all its members. */
function ownStop({ role, bytes, notes }: Message): readonly ReadingNote[] | undefined {
  if (role !== 'assistant') return undefined;
  const reasons = keptMembersOf(bytes).filter(({ key }) => REASONS.has(key));
  if (reasons.length === 0) return undefined;
  const found = new Set(
    reasons.flatMap(({ valueStart, end }) => cutNotes(new JsonView(bytes, valueStart, end).text())),
  );
  return [...found].filter(({ rule }) => notes?.some((note) => note.rule === rule) !== true);
}

function check({ messages }: Conversation): readonly Found[] {
  const found: Found[] = [];
  messages.forEach((message, i) => {
    const content = unreadContent(message);
    if (message.notes !== undefined) found.push(...noteFindings(message.notes, i));
    if (content !== undefined) found.push(...noteFindings([content], i));
    const stop = ownStop(message);
    if (stop !== undefined) found.push(...noteFindings(stop, i));
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
