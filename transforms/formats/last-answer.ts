/** Finds the model's last answer for formats that teach it. Reports conversations that do not end in an answer. */
import type { Report } from './tool-arguments.ts';

/**
 * Returns the index of the last answer, and reports messages after it, which the format leaves out. Returns -1, with a
 * finding that rejects the session, if there is none.
 * @param answers for each message, whether it is an assistant message that is not empty
 */
export function lastAnswer(answers: readonly boolean[], report: Report): number {
  const rule = 'unanswered-end';
  const last = answers.lastIndexOf(true);
  if (last < 0) {
    const message = 'the conversation has no assistant message to learn from';
    report({ rule, severity: 'ERROR', message, rejects: true });
  } else if (last < answers.length - 1) {
    const message = `messages[${last + 1}] and the messages after it have no answer: left out`;
    report({ rule, severity: 'WARNING', message });
  }
  return last;
}
