/**
 * Hashes of messages or ids in one table: about 40 bytes for each. If those of messages need more memory than that of one
 * table, the paths are read in several passes, each with the hashes that begin with the same bits.
 */
export const HASH_WORDS = 4;
/** Most memory of a table. */
const MAX_TABLE_BYTES = 64 * 1024 * 1024;
export const NONE = 0xffffffff;
/** Share of the table that is used. */
const MAX_LOAD = 0.6;
const ENTRY_BYTES = 4 * HASH_WORDS + 8;
const WORD_BITS = 32;

/** The hashes that begin with the same bits. */
export interface Pass {
  /** Number of hashes to expect. */
  readonly expected: number;
  /** @param word the first one of a hash */
  has(word: number): boolean;
}

/** Divides hashes into passes whose tables take at most this much memory. */
export function passesOver(hashes: number, maxTableBytes: number = MAX_TABLE_BYTES): readonly Pass[] {
  const bits = Math.max(0, Math.ceil(Math.log2((hashes * ENTRY_BYTES) / MAX_LOAD / maxTableBytes)));
  return Array.from({ length: 2 ** bits }, (_, pass) => ({
    expected: hashes / 2 ** bits,
    has: (word) => bits === 0 || word >>> (WORD_BITS - bits) === pass,
  }));
}

/** Hashes, such as the ends of records: the first record (or source) with each, and the first one that goes on after it. */
export class EndTable {
  #hashes: Uint32Array;
  #first: Uint32Array;
  #longer: Uint32Array;
  #used = 0;

  /** @param expected number of hashes; the table grows if there are more */
  constructor(expected: number) {
    const capacity = Math.ceil(expected / MAX_LOAD) + 64;
    this.#hashes = new Uint32Array(capacity * HASH_WORDS);
    this.#first = new Uint32Array(capacity).fill(NONE);
    this.#longer = new Uint32Array(capacity).fill(NONE);
  }

  /** Adds the hash that begins at a word, unless an earlier record has it. */
  add(words: Uint32Array, at: number, index: number): void {
    if (this.#used > this.#first.length * 0.8) this.#grow();
    const slot = this.#slotOf(words, at);
    if (this.#first[slot] !== NONE) return;
    for (let word = 0; word < HASH_WORDS; word++)
      this.#hashes[slot * HASH_WORDS + word] = words[at + word] as number;
    this.#first[slot] = index;
    this.#used++;
  }

  /** Notes that a record goes on after this hash, if that is the end of another one. */
  mark(words: Uint32Array, at: number, index: number): void {
    const slot = this.#slotOf(words, at);
    if (this.#first[slot] !== NONE && this.#longer[slot] === NONE) this.#longer[slot] = index;
  }

  /** Returns the first record with this hash; `NONE` if there is none. */
  firstOf(words: Uint32Array, at: number): number {
    return this.#first[this.#slotOf(words, at)] as number;
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
      larger.add(hashes, slot * HASH_WORDS, first[slot] as number);
    }
    this.#hashes = larger.#hashes;
    this.#first = larger.#first;
    this.#longer = larger.#longer;
  }
}

/** Returns the hashes as words; copies them if they are not aligned. */
export function wordsOf(hashes: Uint8Array): Uint32Array {
  const aligned = hashes.byteOffset % 4 === 0 ? hashes : hashes.slice();
  return new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength / 4);
}
