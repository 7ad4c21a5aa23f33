/**
 * Decides which records lie inside another one (docs/copies.md). A record is contained if its path is the beginning of
 * another record's path, or equals an earlier one's. A path is the hash of each message with all messages before it, so
 * it is enough to look for the ends of all records among the hashes of all others.
 */

/** The path of a conversation, however many records it has. */
export interface ComparedPath {
  /** 16 bytes for each message. Empty if the conversation is not compared. Valid until the next one. */
  readonly hashes: Uint8Array;
  /** One bit for each format that wrote it. Only one that all these formats wrote too can contain it. */
  readonly formats: number;
}

export const HASH_BYTES = 16;
/** Most memory of the table of ends. With more records, the paths are read several times. */
const MAX_TABLE_BYTES = 64 * 1024 * 1024;
const HASH_WORDS = HASH_BYTES / 4;
/** Share of the table that is used, so that a record takes 40 bytes. */
const MAX_LOAD = 0.6;
const ENTRY_BYTES = HASH_BYTES + 8;
const WORD_BITS = 32;
const NONE = 0xffffffff;

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
  /** Number of leading bits of a hash by which its pass is chosen. */
  readonly #passBits: number;
  /** Number of contained records. */
  readonly contained: number;

  constructor(options: ContainmentOptions) {
    const { count, maxTableBytes = MAX_TABLE_BYTES } = options;
    this.#options = options;
    this.#containers = new Uint32Array(count).fill(NONE);
    this.#isContainer = new Uint8Array(count);
    this.#passBits = Math.max(0, Math.ceil(Math.log2((count * ENTRY_BYTES) / MAX_LOAD / maxTableBytes)));
    for (let pass = 0; pass < 2 ** this.#passBits; pass++) this.#decide(pass);
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

  /** Decides about the records whose ends begin with the bits of this pass. */
  #decide(pass: number): void {
    const { count, read } = this.#options;
    const tables = new Map<number, EndTable>();
    const expected = count / 2 ** this.#passBits;
    this.#eachEnd(pass, read(), ({ formats }, end, index) => {
      const table = tables.get(formats) ?? new EndTable(tables.size === 0 ? expected : 0);
      tables.set(formats, table);
      table.add(end, index);
    });
    let index = 0;
    for (const path of read()) this.#find(pass, path, index++, tables);
    this.#eachEnd(pass, read(), ({ formats }, end, at) => {
      this.#containers[at] = (tables.get(formats) as EndTable).containerOf(end, at);
    });
  }

  #eachEnd(
    pass: number,
    paths: Iterable<ComparedPath>,
    take: (path: ComparedPath, end: Uint32Array, index: number) => void,
  ): void {
    let index = 0;
    for (const path of paths) {
      const words = wordsOf(path.hashes);
      if (words.length > 0 && this.#isOf(pass, words, words.length - HASH_WORDS))
        take(path, words.subarray(-HASH_WORDS), index);
      index++;
    }
  }

  /** Marks the records that this one contains. */
  #find(pass: number, path: ComparedPath, index: number, tables: ReadonlyMap<number, EndTable>): void {
    const words = wordsOf(path.hashes);
    const end = words.length - HASH_WORDS;
    for (const [formats, table] of tables) {
      if ((formats & path.formats) !== formats) continue;
      // an equal path of equal formats is not marked: the first record that has it is kept
      const before = formats === path.formats ? end : words.length;
      for (let at = 0; at < before; at += HASH_WORDS)
        if (this.#isOf(pass, words, at)) table.mark(words, at, index);
    }
  }

  #isOf(pass: number, words: Uint32Array, at: number): boolean {
    return this.#passBits === 0 || (words[at] as number) >>> (WORD_BITS - this.#passBits) === pass;
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

/** Ends of records: the first record with each, and the first one that goes on after it. */
class EndTable {
  #hashes: Uint32Array;
  #first: Uint32Array;
  #longer: Uint32Array;
  #used = 0;

  /** @param expected number of ends; the table grows if there are more */
  constructor(expected: number) {
    const capacity = Math.ceil(expected / MAX_LOAD) + 64;
    this.#hashes = new Uint32Array(capacity * HASH_WORDS);
    this.#first = new Uint32Array(capacity).fill(NONE);
    this.#longer = new Uint32Array(capacity).fill(NONE);
  }

  add(end: Uint32Array, index: number): void {
    if (this.#used > this.#first.length * 0.8) this.#grow();
    const slot = this.#slotOf(end, 0);
    if (this.#first[slot] !== NONE) return;
    this.#hashes.set(end, slot * HASH_WORDS);
    this.#first[slot] = index;
    this.#used++;
  }

  /** Notes that a record goes on after this hash, if that is the end of another one. */
  mark(words: Uint32Array, at: number, index: number): void {
    const slot = this.#slotOf(words, at);
    if (this.#first[slot] !== NONE && this.#longer[slot] === NONE) this.#longer[slot] = index;
  }

  containerOf(end: Uint32Array, index: number): number {
    const slot = this.#slotOf(end, 0);
    const longer = this.#longer[slot] as number;
    if (longer !== NONE) return longer;
    const first = this.#first[slot] as number;
    return first < index ? first : NONE;
  }

  /** Returns the place of a hash, or the free one where it belongs. */
  #slotOf(words: Uint32Array, at: number): number {
    const hashes = this.#hashes;
    const first = this.#first;
    let slot = (words[at + 1] as number) % first.length;
    for (; first[slot] !== NONE; slot = slot + 1 === first.length ? 0 : slot + 1) {
      const from = slot * HASH_WORDS;
      let same = 0;
      while (same < HASH_WORDS && hashes[from + same] === words[at + same]) same++;
      if (same === HASH_WORDS) break;
    }
    return slot;
  }

  #grow(): void {
    const [hashes, first] = [this.#hashes, this.#first];
    const larger = new EndTable(first.length);
    for (let slot = 0; slot < first.length; slot++) {
      if (first[slot] === NONE) continue;
      const from = slot * HASH_WORDS;
      larger.add(hashes.subarray(from, from + HASH_WORDS), first[slot] as number);
    }
    this.#hashes = larger.#hashes;
    this.#first = larger.#first;
    this.#longer = larger.#longer;
  }
}

/** Returns the hashes as words; copies them if they are not aligned. */
function wordsOf(hashes: Uint8Array): Uint32Array {
  const aligned = hashes.byteOffset % 4 === 0 ? hashes : hashes.slice();
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4);
}
