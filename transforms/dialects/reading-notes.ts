/** Findings about a log itself, which come with the message or the conversation that they are about. */
import type { Message, ReadingNote } from '../model/element.ts';
import type { ReadingRule } from '../model/reading-rule.ts';

/** Names in a log that a finding may show: others could be content. */
const SHOWN = /^[\w.-]{1,64}$/;

export const warning = (rule: ReadingRule, message: string): ReadingNote => ({
  rule,
  severity: 'WARNING',
  message,
});

export const REPLY_CUT: ReadingNote = warning('reply-cut', 'the answer ended at the limit of tokens');
export const FILTERED: ReadingNote = warning('reply-filtered', 'the answer was cut by a content filter');
export const OTHER_CHOICES: ReadingNote = warning(
  'other-choices',
  'the response has more choices than the first: they are left out',
);
export const RESPONSE_ERROR: ReadingNote = warning('response-error', 'the response is an error');
/**
 * Reports what an answer of the chat API lacks.
 * @param finish its `finish_reason`
 * @param choices number of its choices
 */
export function answerNotes(
  finish: string | undefined,
  hasError: boolean,
  choices: number,
): readonly ReadingNote[] {
  const notes: ReadingNote[] = [];
  if (finish === 'length') notes.push(REPLY_CUT);
  if (finish === 'content_filter') notes.push(FILTERED);
  if (finish === 'error' || hasError) notes.push(RESPONSE_ERROR);
  if (choices > 1) notes.push(OTHER_CHOICES);
  return notes;
}

export const RESULT_ERROR: ReadingNote = warning(
  'result-is-error',
  'the result of a tool is marked as an error',
);
export const INTERRUPT: ReadingNote = warning('interrupted', 'the user interrupted the model here');
export const COPIED_HISTORY: ReadingNote = warning(
  'copied-history',
  'the log begins with the history of the session that it was forked from',
);
export const TWO_IDS: ReadingNote = warning(
  'two-session-ids',
  'the log has a second session id: its lines are read as one session',
);
export const ORDER_LOST: ReadingNote = warning(
  'order-lost',
  'a text or other block follows a tool_use; their order is lost',
);
export const SUMMARY: ReadingNote = warning('reasoning-summary', 'the reasoning is a summary of it');
export const SEALED: ReadingNote = warning(
  'reasoning-sealed',
  'the reasoning is sealed: only its provider can read it',
);
export const SEALED_CONTEXT: ReadingNote = warning(
  'sealed-context',
  'what was said before is sealed: only its provider can read it',
);

/** Reports encrypted reasoning of a conversation. @param count number of its messages */
export function sealedNote(count: number): ReadingNote {
  const what = count === 1 ? '1 message' : `${count} messages`;
  return warning('reasoning-sealed', `the reasoning of ${what} is sealed: only its provider can read it`);
}

export function keptBlock(type: string): ReadingNote {
  const shown = SHOWN.test(type) ? type : 'unknown';
  return warning('block-kept', `a block of type ${shown} is kept as a part: other readers may not know it`);
}

/** @param what `lines` or `events` */
export function unknownEvent(type: string | undefined, what = 'lines'): ReadingNote {
  const shown = SHOWN.test(type ?? '') ? type : 'another name';
  return warning('unknown-event', `${what} of type ${shown} are not known to this version`);
}

/** A message with more notes; the same object if there are none. */
export function noted(message: Message, notes: readonly ReadingNote[]): Message {
  return notes.length === 0 ? message : { ...message, notes: [...(message.notes ?? []), ...notes] };
}
