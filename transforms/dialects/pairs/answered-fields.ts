/** Joins the messages of a request with its answer, and counts what reading them changed. */

import type { Message, ReadingNote, ToolDefinition } from '../../model/element.ts';
import type { EntryFields } from '../dialect-spec.ts';
import { NO_QUESTION, noted, sealedNote } from '../shared/reading-notes.ts';
import type { Answer } from './answer.ts';
import type { ReadMessage } from './item-messages.ts';

/** The messages of an answer, the last one with its notes; or only the notes if there is no message. */
function notedAnswer({ messages, notes }: Answer): {
  readonly answered: readonly ReadMessage[];
  readonly rest: readonly ReadingNote[];
} {
  const at = messages.findLastIndex(({ message }) => message !== undefined);
  if (at < 0) return { answered: messages, rest: notes };
  const marked = messages.map(
    (one, i): ReadMessage => (i === at ? { ...one, message: noted(one.message as Message, notes) } : one),
  );
  return { answered: marked, rest: [] };
}

export interface AnsweredFields extends Pick<EntryFields, 'reply'> {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly changes: ReadonlyMap<string, number>;
}

/**
 * An answered conversation, with the changes and findings of reading it.
 * @param before messages before the answer
 */
export function answeredFields(
  before: readonly ReadMessage[],
  tools: readonly ToolDefinition[],
  answer: Answer,
): AnsweredFields {
  const { answered, rest } = notedAnswer(answer);
  const all = [...before, ...answered];
  const changes = new Map<string, number>();
  for (const one of all) for (const rule of one.changes) changes.set(rule, (changes.get(rule) ?? 0) + 1);
  const messages = all.flatMap(({ message }) => message ?? []);
  const sealed = all.filter(({ isSealed }) => isSealed).length;
  if (sealed > 0) noteAt(messages, 0, [sealedNote(sealed)]);
  noteAt(messages, messages.length - 1, rest);
  const isAnswered = answered.some(({ message }) => message !== undefined);
  const reply = isAnswered ? messages.pop() : undefined;
  return { messages, reply, tools, changes };
}

/** The answer of a response that was logged without its request, with a note if no user's turn is supplied. */
export const bareAnswer = (answer: Answer, question: readonly unknown[]): Answer =>
  question.length > 0 ? answer : { ...answer, notes: [...answer.notes, NO_QUESTION] };

function noteAt(messages: Message[], at: number, notes: readonly ReadingNote[]): void {
  const message = messages[at];
  if (message !== undefined) messages[at] = noted(message, notes);
}
