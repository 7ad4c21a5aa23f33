/**
 * Which source each session id was first seen in: a hash table in one typed array, because there may be a million ids in a run and
 * a Map takes three times the room.
 */
import { quickHash } from './quick-hash.ts';

const HASH_WORDS = 4;
/** The hash, and the index of the source plus 1: 0 is a free slot. */
const SLOT_WORDS = HASH_WORDS + 1;
const FIRST_SLOTS = 1024;

export class FirstSources {
  #slots = FIRST_SLOTS;
  #words = new Uint32Array(FIRST_SLOTS * SLOT_WORDS);
  readonly #key = new Uint32Array(HASH_WORDS);
  #used = 0;

  /** The index of the source that had the id first: this one, if it is new. */
  of(id: string, source: number): number {
    if (this.#used * 2 >= this.#slots) this.#grow();
    const key = this.#key;
    quickHash(id, key);
    const at = this.#find(key);
    const known = this.#words[at + HASH_WORDS] as number;
    if (known > 0) return known - 1;
    this.#words.set(key, at);
    this.#words[at + HASH_WORDS] = source + 1;
    this.#used++;
    return source;
  }

  /** Where the slot of a hash begins, or the free one that it gets. */
  #find(key: Uint32Array): number {
    for (let slot = (key[0] as number) % this.#slots; ; slot = (slot + 1) % this.#slots) {
      const at = slot * SLOT_WORDS;
      if (this.#words[at + HASH_WORDS] === 0 || this.#isAt(at, key)) return at;
    }
  }

  #isAt(at: number, key: Uint32Array): boolean {
    for (let i = 0; i < HASH_WORDS; i++) if (this.#words[at + i] !== key[i]) return false;
    return true;
  }

  #grow(): void {
    const before = this.#words;
    this.#slots *= 2;
    this.#words = new Uint32Array(this.#slots * SLOT_WORDS);
    for (let at = 0; at < before.length; at += SLOT_WORDS) {
      if (before[at + HASH_WORDS] === 0) continue;
      const slot = before.subarray(at, at + SLOT_WORDS);
      this.#words.set(slot, this.#find(slot));
    }
  }
}
