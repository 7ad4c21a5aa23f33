/**
 * Decides which records lie inside another one (docs/copies.md). A record is contained if its path is the beginning of
 * another record's path, or equals an earlier one's. A path is the hash of each message with all messages before it, so
 * it is enough to look for the ends of all records among the hashes of all others.
 */

import { EndTable, HASH_WORDS, NONE, type Pass, passesOver, wordsOf } from '../record/end-table.ts';

/** The path of a conversation, however many records it has. */
export interface ComparedPath {
  /** 16 bytes for each message. Empty if the conversation is not compared. Valid until the next one. */
  readonly hashes: Uint8Array;
  /** One bit for each format that wrote it. Only one that all these formats wrote too can contain it. */
  readonly formats: number;
}

export interface ContainmentOptions {
  readonly count: number;
  /** Reads all paths in the order of the records; called several times. */
  readonly read: () => Iterable<ComparedPath>;
  readonly maxTableBytes?: number;
}

export class Containment {
  /** For each record the one that contains it. */
  readonly #containers: Uint32Array;
  /** Which records are named as containers: 1, else 0. */
  readonly #isContainer: Uint8Array;
  readonly #options: ContainmentOptions;
  /** Number of contained records. */
  readonly contained: number;

  constructor(options: ContainmentOptions) {
    const { count, maxTableBytes } = options;
    this.#options = options;
    this.#containers = new Uint32Array(count).fill(NONE);
    this.#isContainer = new Uint8Array(count);
    for (const pass of passesOver(count, maxTableBytes)) this.#decide(pass);
    this.contained = this.#resolve();
  }

  /** Returns the number of the kept record that contains this one; undefined if none does. Both are counted from 0. */
  containerOf(index: number): number | undefined {
    const container = this.#containers[index];
    return container === NONE ? undefined : container;
  }

  /** Returns whether another record is contained in this one. */
  isContainer(index: number): boolean {
    return this.#isContainer[index] === 1;
  }

  /** Decides about the records whose ends are of this pass. */
  #decide(pass: Pass): void {
    const { read } = this.#options;
    const tables = new Map<number, EndTable>();
    this.#eachEnd(pass, read(), ({ formats }, end, index) => {
      const table = tables.get(formats) ?? new EndTable(tables.size === 0 ? pass.expected : 0);
      tables.set(formats, table);
      table.add(end, 0, index);
    });
    let index = 0;
    for (const path of read()) this.#find(pass, path, index++, tables);
    this.#eachEnd(pass, read(), ({ formats }, end, at) => {
      this.#containers[at] = (tables.get(formats) as EndTable).containerOf(end, at);
    });
  }

  #eachEnd(
    pass: Pass,
    paths: Iterable<ComparedPath>,
    take: (path: ComparedPath, end: Uint32Array, index: number) => void,
  ): void {
    let index = 0;
    for (const path of paths) {
      const words = wordsOf(path.hashes);
      if (words.length > 0 && pass.has(words[words.length - HASH_WORDS] as number))
        take(path, words.subarray(-HASH_WORDS), index);
      index++;
    }
  }

  /** Marks the records that this one contains. */
  #find(pass: Pass, path: ComparedPath, index: number, tables: ReadonlyMap<number, EndTable>): void {
    const words = wordsOf(path.hashes);
    const end = words.length - HASH_WORDS;
    for (const [formats, table] of tables) {
      if ((formats & path.formats) !== formats) continue;
      // an equal path of equal formats is not marked: the first record that has it is kept
      const before = formats === path.formats ? end : words.length;
      for (let at = 0; at < before; at += HASH_WORDS)
        if (pass.has(words[at] as number)) table.mark(words, at, index);
    }
  }

  /** Names for each contained record one that is kept. @returns the number of contained records */
  #resolve(): number {
    const containers = this.#containers;
    let contained = 0;
    for (let index = 0; index < containers.length; index++) {
      let container = containers[index] as number;
      if (container === NONE) continue;
      contained++;
      for (let next = container; next !== NONE; next = containers[next] as number) container = next;
      containers[index] = container;
      this.#isContainer[container] = 1;
    }
    return contained;
  }
}
