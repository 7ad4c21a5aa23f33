/**
 * Recognises the error of a failed call that its logger wrote in place of the answer, by comparing it with the error that the
 * same span, row or pair logs.
 */
import { JsonView } from '../../json/json-view.ts';
import type { Entry, Message } from '../../model/element.ts';
import { withNotes } from '../../model/reply.ts';
import { isTrue, present, unpacked } from './logged-values.ts';
import { CALL_FAILED, RESPONSE_ERROR } from './reading-notes.ts';
import type { Transcript } from './transcript.ts';
import { says } from './unread-text.ts';

/** The reasons of a failed call as the log has them: texts, or objects with them. */
export type LoggedErrors = readonly (JsonView | undefined)[];

/** Fewest characters of an error that an answer is taken for, wherever it has them. */
const MIN_ERROR = 12;
/** Most words before the error in an answer, or before the answer in an error: a class or a status. */
const MAX_LEAD_WORDS = 4;
/** Deepest object of an error that is looked into. */
const MAX_DEPTH = 4;
/** Members of an error that say what it was; others may hold a request or an answer. */
const SAYING = /message|msg|detail|reason|err|exception|description|title|type|status/i;
/** How languages print an exception. */
const PRINTED = /^(?:[\w.]*(?:Error|Exception)(?: code)?[:(]|Traceback \(most recent call last\))/;
const LEAD = /error|exception|timeout|\b\d{3}\b/i;
/** Messages of parsers and guards show the answer that they refused. */
const ABOUT_ANSWER = /pars|valid|decod|output|content/i;
const CLOSING = /^["')\]}.\s]*$/;
const QUOTES = /^(["'`])(.*)\1$/s;

/** Members of a logged call that say why it failed. */
export const ERRORS: readonly string[] = [
  ...['error', 'error_str', 'error_message', 'errorMessage', 'error_information', 'exception'],
];

/** The values of these that name an error; undefined if none does, so that the call did not fail. */
export function errorsIn(...logged: LoggedErrors): LoggedErrors | undefined {
  const errors = logged.filter((error) => says(error) || isTrue(error) || error?.type === 'number');
  return errors.length === 0 ? undefined : errors;
}

/**
 * Takes back an answer that is the error of its call, and reports a call that failed.
 * @param errors those of the log; undefined if the call did not fail
 * @returns whether the call has an answer
 */
export function withoutError(
  transcript: Transcript,
  hasReply: boolean,
  errors: LoggedErrors | undefined,
): boolean {
  if (errors === undefined) return hasReply;
  const last = transcript.messages.at(-1);
  const isError = hasReply && last?.role === 'assistant' && isErrorText(last, errors);
  if (isError) {
    transcript.endTurn();
    transcript.messages.pop();
  }
  if (!hasReply || isError) transcript.note(RESPONSE_ERROR);
  else if (last?.notes?.includes(RESPONSE_ERROR) !== true) transcript.note(CALL_FAILED);
  return hasReply && !isError;
}

/** The entry of a call; with a finding if the call failed, and without an answer that is its error. */
export function withFailure(entry: Entry, json: JsonView): Entry {
  const errors = errorsIn(...ERRORS.map((key) => json.get(key)));
  const { reply, ...unanswered } = entry;
  if (errors === undefined || reply === undefined || reply.notes?.includes(RESPONSE_ERROR)) return entry;
  if (isErrorText(reply, errors)) return withNotes({ ...unanswered, reply: undefined }, [RESPONSE_ERROR]);
  return withNotes(entry, [CALL_FAILED]);
}

/** Is the answer of a failed call its error, or printed like one? */
export function isErrorText(answer: Message, errors: LoggedErrors): boolean {
  const said = textOnly(new JsonView(answer.bytes));
  if (said === undefined || said === '') return false;
  return PRINTED.test(said) || errors.some((error) => textsIn(error).some((text) => isSame(said, text)));
}

/** The text of a message that has nothing else. */
function textOnly(message: JsonView): string | undefined {
  const calls = message.get('tool_calls');
  const content = message.get('content');
  if (present(calls) && calls.elements().length > 0) return undefined;
  if (content?.type === 'string') return plain(content.text() ?? '');
  const texts = (content?.elements() ?? []).map((part) => part.get('text')?.text());
  return texts.every((text) => text !== undefined) ? plain(texts.join('')) : undefined;
}

/** A text without the white space and the quotes of its logger. */
function plain(text: string): string {
  const words = text.split(/\s+/).filter(Boolean).join(' ');
  return QUOTES.exec(words)?.[2] ?? words;
}

/** Lists the texts of an error. */
function textsIn(logged: JsonView | undefined, depth = 0): readonly string[] {
  const error = unpacked(logged);
  if (error === undefined || depth > MAX_DEPTH) return [];
  if (error.type === 'string') return [plain(error.text() ?? '')].filter(Boolean);
  const members = error.members().filter(([key]) => SAYING.test(key));
  return [...error.elements(), ...members.map(([, value]) => value)].flatMap((one) =>
    textsIn(one, depth + 1),
  );
}

function isSame(said: string, error: string): boolean {
  if (said === error) return true;
  if (said.length > error.length)
    return (error.length >= MIN_ERROR && said.includes(error)) || isLed(said, error);
  return isLed(error, said);
}

/** Is it the same text after the name of an error or a status? */
function isLed(whole: string, text: string): boolean {
  const at = whole.lastIndexOf(text);
  if (at <= 0 || !CLOSING.test(whole.slice(at + text.length))) return false;
  const lead = whole.slice(0, at);
  return LEAD.test(lead) && !ABOUT_ANSWER.test(lead) && lead.trim().split(' ').length <= MAX_LEAD_WORDS;
}
