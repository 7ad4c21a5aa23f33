/**
 * Reports what a dialect, or `--reasoning inline`, could not convert exactly and noted on the message
 * (docs/dialect-details.md).
 */
import type { Conversation, ReadingNote } from '../model/element.ts';
import type { ConversationCheck, Found } from './check.ts';

const NO_NOTES: readonly ReadingNote[] = [];

function check({ messages }: Conversation): readonly Found[] {
  const found: Found[] = [];
  messages.forEach(({ notes }, i) => {
    for (const { rule, severity, message } of notes ?? NO_NOTES)
      found.push({ rule, severity, message: `messages[${i}]: ${message}` });
  });
  return found;
}

const asRead: ConversationCheck = {
  name: 'as-read',
  summary: 'Messages that could not be converted exactly as logged.',
  rules: [
    'arguments-cut',
    'attachment-missing',
    'block-kept',
    'body-placeholder',
    'call-unanswered',
    'calls-left-out',
    'content-not-messages',
    'copied-history',
    'free-form-call',
    'interrupted',
    'members-ignored',
    'no-system',
    'order-lost',
    'other-choices',
    'parent-missing',
    'protocol-debris',
    'reasoning-not-inlined',
    'reasoning-sealed',
    'reasoning-summary',
    'reply-cut',
    'reply-filtered',
    'response-error',
    'result-is-error',
    'results-as-text',
    'sealed-context',
    'server-tool',
    'stream-cut',
    'truncated-call',
    'two-session-ids',
    'unknown-event',
  ],
  on: 'conversation',
  check,
};

export default asRead;
