/** For formats that teach the model's last message: which one it is, and what becomes of a conversation that does not end in it. */
import type { Report } from './tool-arguments.ts';

/** The index of the last assistant message. What follows it is left out; without one the session is rejected (-1). */
export function lastAnswer(roles: readonly string[], report: Report): number {
  const rule = 'unanswered-end';
  const last = roles.lastIndexOf('assistant');
  if (last < 0) {
    const message = 'the conversation has no assistant message to learn from';
    report({ rule, severity: 'ERROR', message, rejects: true });
  } else if (last < roles.length - 1) {
    const message = `messages[${last + 1}] and what follows has no answer: left out`;
    report({ rule, severity: 'WARNING', message });
  }
  return last;
}
