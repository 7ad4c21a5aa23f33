/**
 * Numbers ids in order of appearance, from 0. Takes 24 to 32 bytes per id, where a Map of strings takes 100 or more:
 * the log of one session may have millions of lines.
 *
 * Ids are stored as keys of 16 bytes, and different ids have different keys: a UUID in lower case (version 1 to 8) is
 * its own key; up to 15 Latin-1 characters are stored with 15 in the four bits of a UUID's version; any other id is
 * stored as 124 bits of its SHA-256, with 0 in these bits (to find two ids with the same key takes about 2^62 hashes).
 */
import { hashOf } from './hashed-set.ts';
import { NumberColumn } from './number-column.ts';

/** Words of 32 bits in a key. */
const WORDS = 4;
export const KEY_BYTES = 16;
const BYTE_VALUES = 256;
const WORD_VALUES = 2 ** 32;
const UUID_LENGTH = 36;
const DASH = 0x2d;
/** The byte of a UUID whose upper half is the version. */
const VERSION_BYTE = 6;
const LAST_VERSION = 8;
/** Upper half of that byte in the key of a short text; the lower half is the length of the text. */
const SHORT_VERSION = 0xf0;
const FIRST_SLOTS = 64;
const NO_SLOTS = new Uint32Array(0);

/**
 * Random words, one for each value of each byte of a key. The search for a key begins at the slot given by the XOR of
 * its words, so a log cannot be crafted to make all ids collide, which would make each search as long as the log.
 */
const scatter = randomWords(KEY_BYTES * BYTE_VALUES);

/** The key being looked up. */
const key = new Uint8Array(KEY_BYTES);
const words = new Uint32Array(key.buffer);

export class IdTable {
  /** The words of all keys, in the order of the ids' numbers. */
  readonly #keys = new NumberColumn();
  /** A hash table: a slot is the number of an id plus 1, or 0 if it is free. At most half of the slots are taken. */
  #slots = NO_SLOTS;
  #size = 0;

  get size(): number {
    return this.#size;
  }

  /** The number of an id; -1 if it was not added. */
  numberOf(id: string): number {
    if (this.#size === 0) return -1;
    setKey(id);
    return (this.#slots[this.#slotOfKey()] as number) - 1;
  }

  /** The number of an id; a new id gets the next number. */
  add(id: string): number {
    if (this.#slots === NO_SLOTS) this.#slots = new Uint32Array(FIRST_SLOTS);
    setKey(id);
    const slot = this.#slotOfKey();
    const taken = this.#slots[slot] as number;
    if (taken > 0) return taken - 1;
    const number = this.#size++;
    for (let i = 0; i < WORDS; i++) this.#keys.set(number * WORDS + i, words[i] as number);
    this.#slots[slot] = number + 1;
    if (this.#size * 2 > this.#slots.length) this.#grow();
    return number;
  }

  clear(): void {
    this.#keys.clear();
    this.#slots = NO_SLOTS;
    this.#size = 0;
  }

  /** The slot of the key being looked up, or the free slot for it. */
  #slotOfKey(): number {
    const last = this.#slots.length - 1;
    let slot = firstSlot() & last;
    for (let taken = this.#slots[slot]; taken !== 0; taken = this.#slots[slot]) {
      if (this.#isKeyOf((taken as number) - 1)) return slot;
      slot = (slot + 1) & last;
    }
    return slot;
  }

  #isKeyOf(number: number): boolean {
    for (let i = 0; i < WORDS; i++) if (this.#keys.at(number * WORDS + i) !== words[i]) return false;
    return true;
  }

  #grow(): void {
    const slots = new Uint32Array(this.#slots.length * 2);
    const last = slots.length - 1;
    for (let number = 0; number < this.#size; number++) {
      for (let i = 0; i < WORDS; i++) words[i] = this.#keys.at(number * WORDS + i);
      let slot = firstSlot() & last;
      while (slots[slot] !== 0) slot = (slot + 1) & last;
      slots[slot] = number + 1;
    }
    this.#slots = slots;
  }
}

function firstSlot(): number {
  let word = 0;
  for (let i = 0; i < KEY_BYTES; i++) word ^= scatter[i * BYTE_VALUES + (key[i] as number)] as number;
  return word;
}

function setKey(id: string): void {
  if (setUuidKey(id) || setShortKey(id)) return;
  key.set(hashOf(id));
  key[VERSION_BYTE] = (key[VERSION_BYTE] as number) & 0x0f;
}

export function randomWords(length: number): Uint32Array {
  return Uint32Array.from({ length }, () => Math.random() * WORD_VALUES);
}

/** The key of an id. It is overwritten by the next one. */
export function fillKey(id: string): Uint8Array {
  setKey(id);
  return key;
}

/** Sets the key of a UUID. @returns false if the id is not one */
function setUuidKey(id: string): boolean {
  if (id.length !== UUID_LENGTH) return false;
  let at = 0;
  for (let byte = 0; byte < KEY_BYTES; byte++, at += 2) {
    const isAfterDash = byte === 4 || byte === 6 || byte === 8 || byte === 10;
    if (isAfterDash && id.charCodeAt(at++) !== DASH) return false;
    const high = digit(id.charCodeAt(at));
    const low = digit(id.charCodeAt(at + 1));
    if (high < 0 || low < 0) return false;
    key[byte] = high * 16 + low;
  }
  const version = (key[VERSION_BYTE] as number) >> 4;
  return version > 0 && version <= LAST_VERSION;
}

/** Sets the key of a short id. @returns false if the id is too long or not Latin-1 */
function setShortKey(id: string): boolean {
  if (id.length >= KEY_BYTES) return false;
  key.fill(0);
  for (let i = 0; i < id.length; i++) {
    const code = id.charCodeAt(i);
    if (code >= BYTE_VALUES) return false;
    key[i < VERSION_BYTE ? i : i + 1] = code;
  }
  key[VERSION_BYTE] = SHORT_VERSION | id.length;
  return true;
}

/** Value of a hexadecimal digit in lower case; -1 for anything else. */
function digit(code: number): number {
  if (code >= 0x30 && code <= 0x39) return code - 0x30;
  return code >= 0x61 && code <= 0x66 ? code - 0x57 : -1;
}
