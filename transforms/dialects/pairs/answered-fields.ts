/** An answered conversation as the fields of an entry, with the changes and findings of reading it. */

import type { Message, ReadingNote, ToolDefinition } from '../../model/element.ts';
import type { EntryFields } from '../dialect-spec.ts';
import { noted, sealedNote } from '../reading-notes.ts';
import { type Answer, notedAnswer } from './answer.ts';
import type { Said } from './item-messages.ts';

export interface AnsweredFields extends Pick<EntryFields, 'reply'> {
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  readonly changes: ReadonlyMap<string, number>;
}

/** @param said messages before the answer */
export function answeredFields(
  said: readonly Said[],
  tools: readonly ToolDefinition[],
  answer: Answer,
): AnsweredFields {
  const { said: answered, rest } = notedAnswer(answer);
  const all = [...said, ...answered];
  const changes = new Map<string, number>();
  for (const one of all) for (const rule of one.changes) changes.set(rule, (changes.get(rule) ?? 0) + 1);
  const messages = all.flatMap(({ message }) => message ?? []);
  const sealed = all.filter(({ isSealed }) => isSealed).length;
  if (sealed > 0) note(messages, 0, [sealedNote(sealed)]);
  note(messages, messages.length - 1, rest);
  const isAnswered = answered.some(({ message }) => message !== undefined);
  const reply = isAnswered ? messages.pop() : undefined;
  return { messages, reply, tools, changes };
}

function note(messages: Message[], at: number, notes: readonly ReadingNote[]): void {
  const message = messages[at];
  if (message !== undefined) messages[at] = noted(message, notes);
}
