/**
 * Finds the messages at the beginning of each kept record that an earlier one has too (docs/copies.md): an answer among
 * them is trained there. A hash covers all messages before it, so the last hash that an earlier record has is enough.
 */
import { answersIn } from '../ledger/compared-path.ts';
import type { Context } from '../ledger/result.ts';
import { EndTable, HASH_WORDS, NONE, type Pass, passesOver, wordsOf } from '../record/end-table.ts';
import type { ComparedPath, ContainmentOptions } from './containment.ts';

export interface ContextsOptions extends ContainmentOptions {
  /** Number of messages of all paths. */
  readonly messages: number;
  /** Returns whether a record is kept: others have no context, and are none. */
  readonly isKept: (index: number) => boolean;
}

export class Contexts {
  readonly #messages: Uint32Array;
  readonly #answers: Uint32Array;
  readonly #isKept: (index: number) => boolean;
  /** Number of records with context. */
  #size = 0;

  constructor({ count, messages, read, isKept, maxTableBytes }: ContextsOptions) {
    this.#messages = new Uint32Array(count);
    this.#answers = new Uint32Array(count);
    this.#isKept = isKept;
    for (const pass of passesOver(messages, maxTableBytes)) this.#compare(read(), pass);
    let index = 0;
    for (const { hashes } of read()) this.#count(hashes, index++);
  }

  get size(): number {
    return this.#size;
  }

  /** Returns the context of a record. Without an answer there is none: nothing in it would be trained twice. */
  of(index: number): Context | undefined {
    const [messages, answers] = [this.#messages[index] as number, this.#answers[index] as number];
    return answers === 0 ? undefined : { messages, answers };
  }

  /** Compares the hashes of a pass with those of all earlier records. */
  #compare(paths: Iterable<ComparedPath>, pass: Pass): void {
    // an earlier record counts if each format has it that has this one, as for containment
    const tables = new Map<number, EndTable>();
    let index = 0;
    for (const { hashes, formats } of paths) {
      const at = index++;
      if (!this.#isKept(at)) continue;
      const words = wordsOf(hashes);
      const own = tables.get(formats) ?? new EndTable(tables.size === 0 ? pass.expected : 0);
      tables.set(formats, own);
      const known = [...tables].flatMap(([of, table]) => ((of & formats) === formats ? [table] : []));
      for (let word = 0; word < words.length; word += HASH_WORDS) {
        if (!pass.has(words[word] as number)) continue;
        if (known.some((table) => table.firstOf(words, word) !== NONE))
          this.#messages[at] = Math.max(this.#messages[at] as number, word / HASH_WORDS + 1);
        own.add(words, word, at);
      }
    }
  }

  #count(path: Uint8Array, index: number): void {
    const answers = answersIn(path, this.#messages[index]);
    this.#answers[index] = answers;
    if (answers > 0) this.#size++;
  }
}
