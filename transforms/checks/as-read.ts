/** What a dialect, or `--reasoning inline`, could not say in a message as it was logged (docs/decisions/0036-anthropic-pairs.md): it noted that on the message. */
import type { Conversation } from '../element.ts';
import type { ConversationCheck, Found } from './check.ts';

function check({ messages }: Conversation): readonly Found[] {
  return messages.flatMap(({ notes = [] }, i) =>
    notes.map(({ rule, severity, message }) => ({ rule, severity, message: `messages[${i}]: ${message}` })),
  );
}

const asRead: ConversationCheck = {
  name: 'as-read',
  summary: 'Messages that say less, or something else, than was logged.',
  rules: [
    'block-kept',
    'calls-left-out',
    'reasoning-not-inlined',
    'order-lost',
    'result-is-error',
    'truncated-call',
  ],
  on: 'conversation',
  check,
};

export default asRead;
