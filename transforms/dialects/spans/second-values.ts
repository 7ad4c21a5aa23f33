/**
 * Compares the two values of a span, of its request and of its answer, with the messages that it has in attributes of their
 * own. A value is often the whole request, or the last question, or a template around it: it then says nothing else.
 */

import { JsonView } from '../../json/json-view.ts';
import type { Message } from '../../model/element.ts';
import { addAnswer } from '../shared/logged-answer.ts';
import { firstOf, unpacked } from '../shared/logged-values.ts';
import { OTHER_ANSWER } from '../shared/reading-notes.ts';
import { isUnsaid, messagesIn, saidBy, saidIn, textsOf } from '../shared/said-texts.ts';
import { Transcript } from '../shared/transcript.ts';
import { holdsWords } from '../shared/unread-text.ts';

const SECOND = 'the span has other messages in a second place';

/** Refuses a request whose value says what its messages do not. */
export function compareRequest(transcript: Transcript, value: JsonView | undefined): void {
  const sent = unpacked(value);
  if (sent === undefined) return;
  const list = messagesIn(sent.type === 'object' ? firstOf(sent, 'messages', 'input', 'contents') : sent);
  const { messages } = transcript;
  const said = list.length > 0 || sent.type === 'string' ? saidBy(messages) : '';
  const isOther =
    isOtherText(sent, messages, said) ||
    list.some(
      (one) => isSpoken(one) && textsOf(one).some((text) => !PRINTED.test(text) && isUnsaid(text, said)),
    );
  if (isOther) transcript.refuse('unknown-content', SECOND, value);
}

/** Notes that the value of an answer says what its messages do not. @param answer these messages */
export function compareAnswer(
  transcript: Transcript,
  value: JsonView | undefined,
  answer: readonly Message[],
): void {
  const received = unpacked(value);
  if (received === undefined || answer.length === 0) return;
  const said = saidBy(answer);
  const second = new Transcript(false);
  if (received.type !== 'string') addAnswer(second, received);
  const isOther =
    isOtherText(received, answer, said) ||
    (second.refusal === undefined && textsIn(second.messages).some((text) => isUnsaid(text, said)));
  if (isOther) transcript.note(OTHER_ANSWER);
}

/** Compares members of an observation, a run or a span of a platform that may hold its request or answer, beside those that are read. */
export function compareMembers(transcript: Transcript, call: JsonView): void {
  const { messages } = transcript;
  if (messages.length === 0) return;
  for (const key of ['prompt', 'messages']) compareRequest(transcript, call.get(key));
  for (const key of ['completion', 'choices']) compareAnswer(transcript, call.get(key), messages);
}

/** A block as a program prints it, where its tracer could not write it as JSON. */
const PRINTED = /^\s*\[?[A-Z]\w*\(/;

/** Results are logged in many forms. */
const isSpoken = (message: JsonView): boolean => message.textOf('role') !== 'tool';

const textsIn = (messages: readonly Message[]): readonly string[] =>
  messages.flatMap(({ bytes }) => textsOf(new JsonView(bytes)));

/** Is a value a text with words that no message has, and that has the text of no message in it? */
function isOtherText(value: JsonView, messages: readonly Message[], said: string): boolean {
  if (value.type !== 'string' || !holdsWords(value) || !isUnsaid(value.text(), said)) return false;
  const text = saidIn(value.text());
  return textsIn(messages).every((one) => one.trim() === '' || !text.includes(saidIn(one)));
}
