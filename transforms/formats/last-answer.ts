/** Finds the model's last message, for formats that teach it, and handles conversations that do not end in one. */
import type { Report } from './tool-arguments.ts';

/**
 * The index of the last answer: an assistant message that is not empty. Messages after it are left out; without one the
 * session is rejected (-1).
 * @param answers whether each message is an answer
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
