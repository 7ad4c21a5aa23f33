/**
 * Reads the objects of an array without parsing known ones again: objects with the same bytes as in the previous array
 * are recognised by comparing, and yield the same items. Only an inserted or changed object is scanned; comparing
 * continues after it.
 */
import { OPEN_OBJECT } from './bytes.ts';
import { walkElements } from './members.ts';
import type { ValueScanner } from './scanner.ts';

/** Part of an item by which it is recognised: its own JSON text. */
export interface Known {
  readonly bytes: Uint8Array;
}

const LOOK_AHEAD = 8;

export class KnownList<T extends Known> {
  readonly #scanner: ValueScanner;
  readonly #make: (bytes: Uint8Array, start: number, end: number) => T;
  readonly #scan: (bytes: Uint8Array, at: number) => number;
  #known: readonly T[] = [];
  /** An item that may follow the others in the next array. */
  #expected: T | undefined;
  #items: T[] = [];
  /** Index of the known item expected next. */
  #next = 0;
  /** Objects scanned since the last recognised one. */
  #fresh = 0;

  /**
   * @param make creates an item from the object at `bytes[start, end)`; it must keep a copy of the bytes
   * @param scan validates the element at `at` and finds its end, or -1
   */
  constructor(
    scanner: ValueScanner,
    make: (bytes: Uint8Array, start: number, end: number) => T,
    scan: (bytes: Uint8Array, at: number) => number,
  ) {
    this.#scanner = scanner;
    this.#make = make;
    this.#scan = scan;
  }

  /** The items of the array last read. A new array each time. */
  get items(): readonly T[] {
    return this.#items;
  }

  /**
   * Reads the array that opens at `at`.
   * @returns the index after it, or -1 if it is not valid: `scanner.failedAt` is the position, and `items` are those
   * before it
   */
  read(bytes: Uint8Array, at: number): number {
    this.#known = this.#expected === undefined ? this.#items : [...this.#items, this.#expected];
    this.forget();
    this.#next = this.#fresh = 0;
    return walkElements(bytes, at, this.#scanner, (_number, p) => this.#takeItem(bytes, p));
  }

  /** Sets an item that may follow the others in the next array: a reply, which the next request repeats. */
  expect(item: T): void {
    this.#expected = item;
  }

  /** Forgets all items, for a new source. */
  forget(): void {
    this.#items = [];
    this.#expected = undefined;
  }

  /** Returns the index after the item at `p`, or -1 if it is not valid. */
  #takeItem(bytes: Uint8Array, p: number): number {
    const known = this.#recognise(bytes, p);
    if (known !== undefined) {
      this.#items.push(known);
      this.#fresh = 0;
      return p + known.bytes.length;
    }
    const end = this.#scan(bytes, p);
    if (end < 0) return -1;
    this.#items.push(this.#make(bytes, p, end));
    this.#fresh++;
    return end;
  }

  /** Returns the known item at `p`, looking a few items ahead. */
  #recognise(bytes: Uint8Array, p: number): T | undefined {
    if (bytes[p] !== OPEN_OBJECT) return undefined; // the start of 12 would be recognised as a known 1
    const last = Math.min(this.#known.length, this.#next + Math.min(2 + this.#fresh, LOOK_AHEAD));
    for (let i = this.#next; i < last; i++) {
      const known = this.#known[i] as T;
      if (!equalsAt(bytes, p, known.bytes)) continue;
      this.#next = i + 1;
      return known;
    }
    return undefined;
  }
}

/** Are the bytes of `text` at `p`? Comparing the end and the middle first avoids most comparisons. */
export function equalsAt(bytes: Uint8Array, p: number, text: Uint8Array): boolean {
  const length = text.length;
  const end = p + length;
  if (end > bytes.length) return false;
  const middle = length >> 1;
  if (bytes[end - 1] !== text[length - 1] || bytes[p + middle] !== text[middle]) return false;
  if (Buffer.prototype.compare.call(bytes, text, 0, length, p, end) !== 0) return false;
  tally.comparedBytes += length;
  return true;
}

/** Bytes that this thread recognised by comparing, for the profile. Never reset: subtract an earlier value. */
export const tally: { comparedBytes: number } = { comparedBytes: 0 };
