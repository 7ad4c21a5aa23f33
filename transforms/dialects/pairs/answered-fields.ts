/** Joins the messages of a request with its answer, and counts what reading them changed. */

import type { Message, ReadingNote, ToolDefinition } from '../../model/element.ts';
import type { EntryFields } from '../dialect-spec.ts';
import { type CallChain, withChanges } from '../shared/history.ts';
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

/** The messages of an answer with the warnings about it, which stay with them when another call continues it by its id. */
export function lastingMessages(answer: Answer): readonly ReadMessage[] {
  const notes = answer.notes.filter(({ severity }) => severity === 'WARNING');
  return notes.length === 0 ? answer.messages : notedAnswer({ ...answer, notes }).answered;
}

export interface AnsweredFields extends Pick<EntryFields, 'reply' | 'chain'> {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly changes: ReadonlyMap<string, number>;
}

/**
 * An answered conversation, with the changes and findings of reading it.
 * @param before messages before the answer, without those of earlier calls of a chain
 */
export function answeredFields(
  before: readonly ReadMessage[],
  tools: readonly ToolDefinition[],
  answer: Answer,
  chain?: CallChain,
): AnsweredFields {
  const { answered, rest } = notedAnswer(answer);
  const all = [...before, ...answered];
  const earlier = chain?.before;
  const changes = withChanges(earlier?.changes, all);
  const messages = all.flatMap(({ message }) => message ?? []);
  const sealed = (earlier?.sealed ?? 0) + all.filter(({ isSealed }) => isSealed).length;
  const hasFirst = chain === undefined || earlier === undefined || chain.at > 0;
  if (sealed > 0 && hasFirst) noteAt(messages, 0, [sealedNote(sealed)]);
  noteAt(messages, messages.length - 1, rest);
  const isAnswered = answered.some(({ message }) => message !== undefined);
  const reply = isAnswered ? messages.pop() : undefined;
  const own = { messages, reply, tools, changes };
  return chain === undefined ? own : { ...own, chain: { ...chain, sealed: hasFirst ? 0 : sealed } };
}

/** The answer of a response that was logged without its request, with a note if no user's turn is supplied. */
export const bareAnswer = (answer: Answer, question: readonly unknown[]): Answer =>
  question.length > 0 ? answer : { ...answer, notes: [...answer.notes, NO_QUESTION] };

function noteAt(messages: Message[], at: number, notes: readonly ReadingNote[]): void {
  const message = messages[at];
  if (message !== undefined) messages[at] = noted(message, notes);
}
