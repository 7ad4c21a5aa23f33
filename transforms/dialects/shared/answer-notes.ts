/** Findings about an answer that stay with it when later requests repeat it. */
import type { Message, ReadingNote } from '../../model/element.ts';
import { reasoningOf } from '../../model/message.ts';
import { keyOf } from '../../model/message-key.ts';
import { hasOtherName, nameReasoning } from '../../model/reasoning-names.ts';
import { noted, REASONING_LEFT_OUT } from './reading-notes.ts';

/** Findings about the answer with this index in the messages of a later request. */
export type AnswerNotes = readonly [at: number, notes: readonly ReadingNote[]];

/** Its reasoning that is not encrypted, under any name. */
export const reasoningIn = (message: Message): string =>
  reasoningOf(hasOtherName(message) ? nameReasoning(message, false).message : message);

const hasReasoning = (message: Message): boolean => reasoningIn(message) !== '';

/** The warnings about an answer, and what has to be said if it is repeated without its reasoning. */
export function lastingNotes(answer: Message): readonly ReadingNote[] {
  const notes = answer.notes?.filter(({ severity }) => severity === 'WARNING') ?? [];
  return hasReasoning(answer) ? [...notes, REASONING_LEFT_OUT] : notes;
}

/** The messages of a later request, with the findings about the answers that it repeats. */
export function withAnswerNotes(
  messages: readonly Message[],
  answers: readonly AnswerNotes[],
): readonly Message[] {
  if (answers.length === 0) return messages;
  const all = [...messages];
  for (const [i, notes] of answers) {
    const answer = all[i];
    if (answer?.role !== 'assistant') continue;
    const isWhole = hasReasoning(answer);
    all[i] = noted(answer, isWhole ? notes.filter((note) => note !== REASONING_LEFT_OUT) : notes);
  }
  return all;
}

interface EarlierAnswer {
  /** Digest of its key (message-key.ts). */
  readonly digest: string;
  readonly notes: readonly ReadingNote[];
}

/** Most answers that are kept for one index: a question may be asked any number of times. */
const MAX_ANSWERS = 64;

/** The answers of a session about which something has to be said, whichever request repeats them. */
export class EarlierAnswers {
  /** By their index in the messages of a request that repeats them. */
  readonly #answers = new Map<number, EarlierAnswer[]>();

  /** @param at number of messages before it */
  add(answer: Message, at: number): void {
    const notes = lastingNotes(answer);
    if (notes.length === 0) return;
    const others = this.#answers.get(at) ?? [];
    if (others.length === MAX_ANSWERS) others.shift();
    others.push({ digest: keyOf(answer.bytes).digest, notes });
    this.#answers.set(at, others);
  }

  /** The findings about those that are among the messages. */
  in(messages: readonly Message[]): readonly AnswerNotes[] {
    const found: AnswerNotes[] = [];
    for (const [at, answers] of this.#answers) {
      const message = messages[at];
      const digest = message && keyOf(message.bytes).digest;
      const same = answers.filter((answer) => answer.digest === digest);
      if (same.length > 0) found.push([at, [...new Set(same.flatMap(({ notes }) => notes))]]);
    }
    return found;
  }

  clear(): void {
    this.#answers.clear();
  }
}
