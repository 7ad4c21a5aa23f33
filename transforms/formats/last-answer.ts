/** Finds the model's last answer for formats that teach it. Reports conversations that do not end in an answer. */
import type { FormatFinding } from './format.ts';
import type { Report } from './tool-arguments.ts';

/**
 * Returns the index of the last answer, and reports messages after it, which the format leaves out. Returns -1, with a
 * finding that rejects the session, if there is none.
 * @param answers for each message, whether it is an assistant message that is not empty
 */
export function lastAnswer(answers: readonly boolean[], report: Report): number {
  const last = answers.lastIndexOf(true);
  if (last < 0) {
    const message = 'the conversation has no assistant message to learn from';
    report({ rule: 'unanswered-end', severity: 'ERROR', message, rejects: true });
  } else if (last < answers.length - 1) {
    report(unansweredEnd(last + 1, answers.length));
  }
  return last;
}

/** @param at index of the first message that is left out, of `count` messages */
export function unansweredEnd(at: number, count: number): FormatFinding {
  const which = `messages[${at}] ${at === count - 1 ? 'has' : 'and the messages after it have'}`;
  return { rule: 'unanswered-end', severity: 'WARNING', message: `${which} no answer: left out` };
}
