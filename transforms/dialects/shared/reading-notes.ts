/** Findings of dialects about a log. They are attached to the message that they are about. */
import type { JsonView } from '../../json/json-view.ts';
import type { Message, ReadingNote } from '../../model/element.ts';
import type { ReadingRule } from '../../model/reading-rule.ts';
import { words } from '../../model/words.ts';
import { present } from './logged-values.ts';

/** Names from the log that a finding may show; anything else could be content. */
const SHOWN = /^[\w./-]{1,64}$/;

export const warning = (rule: ReadingRule, message: string): ReadingNote => ({
  rule,
  severity: 'WARNING',
  message,
});

export const error = (rule: ReadingRule | 'unknown-content', message: string): ReadingNote => ({
  rule,
  severity: 'ERROR',
  message,
});

/** The record would lack something that was said, so the session is rejected by default. */
export const unreadText = (message: string): ReadingNote => error('unread-text', message);

const REPLY_CUT: ReadingNote = warning('reply-cut', 'the answer ended at the limit of tokens');
const STOPPED: ReadingNote = warning('reply-cut', 'the answer was stopped before its end');
export const FILTERED: ReadingNote = warning('reply-filtered', 'the answer was cut by a content filter');
export const ARGUMENTS_CUT: ReadingNote = warning('arguments-cut', 'the arguments of a call are cut off');
export const OTHER_CHOICES: ReadingNote = warning(
  'other-choices',
  'the response has several choices: only the first is kept',
);
export const OTHER_ANSWER: ReadingNote = warning(
  'other-choices',
  'the call has another answer under a second name: the one under the first name is kept',
);
export const PARENT_MISSING: ReadingNote = warning(
  'parent-missing',
  'the parent of a line is not in the conversation: it is read in the order of the log',
);
export const HISTORY_MISSING: ReadingNote = warning(
  'parent-missing',
  'the user went back to a message before a compaction: it and those before it are missing',
);
export const KEPT_MISSING: ReadingNote = warning(
  'parent-missing',
  'messages that a compaction kept are not in the conversation before it: they are left out',
);
/** About a response that was logged without its request. */
export const NO_QUESTION: ReadingNote = warning(
  'no-question',
  'the log has no question, only the answer (--user-turn adds one)',
);
export const RESPONSE_ERROR: ReadingNote = warning('response-error', 'the response is an error');
/** About the answer of a call that failed later, such as a stream that broke off. */
export const CALL_FAILED: ReadingNote = warning(
  'response-error',
  'the log says that the call failed: its answer may be only a part',
);
/** Reasons of whole answers, of answers that are still being written, and for loggers that know no reason. */
const AT_END = words(`
  stop stop_sequence stop_token end end_turn end_of_turn end_of_message tool_use tool_call tool_calls function_call
  eos eos_token endoftext finish finished done complete completed success succeeded ok compaction load unload
  in_progress queued unknown unspecified none null
`);
const AT_LIMIT = words(`
  length max_tokens model_length max_output_tokens model_context_window_exceeded error_limit
`);
const AT_FILTER = words(`
  content_filter content_filtered refusal guardrail_intervened safety image_safety recitation
  image_recitation blocklist prohibited_content image_prohibited_content spii sensitive error_toxic language
`);
const AT_STOP = words(`
  abort aborted cancelled canceled user_cancel interrupted timeout incomplete pause_turn
`);
const AT_ERROR = words(`
  error failed network_error insufficient_system_resource engine_overloaded malformed_function_call
  malformed_response malformed_tool_use malformed_model_output unexpected_tool_call
`);
const NONE: readonly ReadingNote[] = [];
const STOPS: ReadonlyMap<string, readonly ReadingNote[]> = new Map([
  ...AT_END.map((reason) => [reason, NONE] as const),
  ...AT_LIMIT.map((reason) => [reason, [REPLY_CUT]] as const),
  ...AT_FILTER.map((reason) => [reason, [FILTERED]] as const),
  ...AT_STOP.map((reason) => [reason, [STOPPED]] as const),
  ...AT_ERROR.map((reason) => [reason, [RESPONSE_ERROR]] as const),
]);
/** Name of the enumeration before a reason that was printed with it. */
const ENUMERATION = /^finish_?reason[._]/;
const MAX_UNKNOWN_STOPS = 64;
/** The findings about the last unknown reasons: each is one object, so that an answer has it once. */
const unknownStops = new Map<string, readonly ReadingNote[]>();

/** The finding about an answer that ended for this reason, in the words of any API, if it may lack something. */
export function cutNotes(reason: string | undefined): readonly ReadingNote[] {
  if (reason === undefined) return NONE;
  const known = STOPS.get(reason) ?? STOPS.get(plainReason(reason)) ?? unknownStops.get(reason);
  if (known !== undefined) return known;
  // a mask or a token of the model is not a name
  if (!SHOWN.test(reason)) return NONE;
  if (unknownStops.size === MAX_UNKNOWN_STOPS) unknownStops.clear();
  const notes = [
    warning('unknown-stop', `this version of turnmill does not know why the answer ended: ${reason}`),
  ];
  unknownStops.set(reason, notes);
  return notes;
}

/** Gemini's reasons by number, as its older client prints them. Later numbers differ between its two APIs. */
const NUMBERED = ['unspecified', 'stop', 'max_tokens', 'safety', 'recitation'] as const;

/** Why an answer ended; `other` for a number that has no single meaning. */
export const finishText = (reason: JsonView | undefined): string | undefined =>
  reason?.type === 'number' ? (NUMBERED[Number(reason.parsed())] ?? 'other') : reason?.text();

/** The reason as most APIs write it. Others write `toolUse`, `max-tokens` or `FinishReason.STOP`. */
function plainReason(reason: string): string {
  const name = reason.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();
  return name.replaceAll('-', '_').replace(ENUMERATION, '');
}

/**
 * The findings about an answer of the chat completions API.
 * @param finish its `finish_reason`
 * @param choices number of its choices
 */
export function answerNotes(
  finish: string | undefined,
  hasError: boolean,
  choices: number,
): readonly ReadingNote[] {
  const notes = [...cutNotes(finish)];
  if (hasError && !notes.includes(RESPONSE_ERROR)) notes.push(RESPONSE_ERROR);
  if (choices > 1) notes.push(OTHER_CHOICES);
  return notes;
}

/** The findings about an object of the Responses API, if it ended before its answer did. */
export function responseNotes(response: JsonView): readonly ReadingNote[] {
  const reason = response.get('incomplete_details')?.textOf('reason');
  return answerNotes(reason ?? response.textOf('status'), present(response.get('error')), 1);
}

export const RESULT_ERROR: ReadingNote = warning(
  'result-is-error',
  'the result of a tool is marked as an error',
);
export const UNANSWERED: ReadingNote = error(
  'call-unanswered',
  'a call has no result, although the user continued',
);
export const INTERRUPT: ReadingNote = warning('interrupted', 'the user interrupted the model here');
export const COPIED_HISTORY: ReadingNote = warning(
  'copied-history',
  'the log begins with the history of the session that it was forked from',
);
export const TWO_IDS: ReadingNote = warning(
  'two-session-ids',
  'the log has more than one session id: all its lines are read as one session',
);
export const ORDER_LOST: ReadingNote = warning(
  'order-lost',
  'a text or another block follows a tool_use: their order is lost',
);
export const SUMMARY: ReadingNote = warning(
  'reasoning-summary',
  'the log has only a summary of the reasoning',
);
/** For reasoning that is logged in whole, beside its summary. */
export const SUMMARY_LEFT_OUT: ReadingNote = warning(
  'reasoning-summary',
  'the log has the reasoning and a summary of it: the summary is left out',
);
/** For reasoning that the next call of the conversation does not repeat. */
export const REASONING_LEFT_OUT: ReadingNote = warning(
  'reasoning-left-out',
  'the log has the reasoning of this answer, but a later call repeats the answer without it: it is left out',
);
/** For a call that was made twice, with the same answer. */
export const OTHER_REASONING: ReadingNote = warning(
  'reasoning-left-out',
  'an earlier call has the same messages and answer with other reasoning: it is left out',
);
export const FREE_FORM: ReadingNote = warning(
  'free-form-call',
  'the call has a text instead of arguments: it becomes an argument named input',
);
export const SEALED: ReadingNote = warning(
  'reasoning-sealed',
  'the reasoning is encrypted: only its provider can read it',
);
/** For a client that takes messages or results out of its context, and leaves them in its log. */
export const CONTEXT_CUT: ReadingNote = warning(
  'context-cut',
  'the client took messages or results of the conversation out of its context: later answers did not have them',
);
const CLEARED: ReadingNote = warning(
  'context-cut',
  'the API took results of tools out of the context before this answer, as its request allows',
);

/** The finding about an answer of the Messages API whose context was edited. */
export function clearedNotes(answer: JsonView): readonly ReadingNote[] {
  const edits = answer.get('context_management')?.get('applied_edits')?.elements() ?? [];
  return edits.some((edit) => Number(edit.get('cleared_tool_uses')?.parsed()) > 0) ? [CLEARED] : [];
}

/** The findings about an answer of the Messages API. */
export const messageNotes = (answer: JsonView): readonly ReadingNote[] => [
  ...cutNotes(answer.textOf('stop_reason')),
  ...clearedNotes(answer),
];

export const SEALED_CONTEXT: ReadingNote = warning(
  'sealed-context',
  'the earlier messages are encrypted: only their provider can read them',
);

/** For calls whose arguments the API encrypts for another agent (`encrypted_function_args` names them). */
export const SEALED_ARGUMENTS: ReadingNote = warning(
  'sealed-context',
  'arguments of a call are encrypted: only their provider can read them',
);

/** The finding about encrypted reasoning in a conversation. @param count number of messages that have it */
export function sealedNote(count: number): ReadingNote {
  const what = count === 1 ? '1 message' : `${count} messages`;
  return warning('reasoning-sealed', `the reasoning of ${what} is encrypted: only its provider can read it`);
}

/** For tools of Gemini and Converse that their API runs: the model has them, but the request only names them. */
export const SERVER_TOOLS: ReadingNote = warning(
  'server-tool',
  'the request allows tools that run on the server, without a definition: they are left out of the tools',
);

/** For documents beside the messages of a request, which its API shows to the model. */
export const DOCUMENTS_LEFT_OUT: ReadingNote = warning(
  'attachment-missing',
  'the request has documents beside its messages, which the model could read: they are left out',
);

export function keptBlock(type: string): ReadingNote {
  const shown = SHOWN.test(type) ? type : 'unknown';
  return warning('block-kept', `a block of type ${shown} is kept as a part: consumers may not know it`);
}

/** @param what `lines` or `events` */
export function unknownEvent(type: string | undefined, what = 'lines'): ReadingNote {
  return warning(
    'unknown-event',
    `this version of turnmill does not know ${what} of type ${shownType(type)}`,
  );
}

/** The name of a type that a log gives, if it looks like a name: messages must not show content. */
export const shownType = (type: string | undefined): string =>
  type !== undefined && SHOWN.test(type) ? type : 'another name';

/** The message with these notes added; the same object if there are none. */
export function noted(message: Message, notes: readonly ReadingNote[]): Message {
  return notes.length === 0 ? message : { ...message, notes: [...(message.notes ?? []), ...notes] };
}

/** The messages, the first one with more findings; they are about the whole conversation. */
export function notedFirst(messages: readonly Message[], notes: readonly ReadingNote[]): readonly Message[] {
  const [first, ...others] = messages;
  return first === undefined || notes.length === 0 ? messages : [noted(first, notes), ...others];
}
