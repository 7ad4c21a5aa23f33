/** For formats that teach the model's last message: which one it is, and what becomes of a conversation that does not end in it. */
import type { Report } from './tool-arguments.ts';

/**
 * The index of the last answer: an assistant message that says something. The messages after it are left out; without one the session is
 * rejected (-1).
 * @param answers which messages are one
 */
export function lastAnswer(answers: readonly boolean[], report: Report): number {
  const rule = 'unanswered-end';
  const last = answers.lastIndexOf(true);
  if (last < 0) {
    const message = 'the conversation has no assistant message to learn from';
    report({ rule, severity: 'ERROR', message, rejects: true });
  } else if (last < answers.length - 1) {
    const message = `messages[${last + 1}] and what follows has no answer: left out`;
    report({ rule, severity: 'WARNING', message });
  }
  return last;
}
