/**
 * Reads the objects of an array without parsing known ones again: objects that equal those of the previous array, byte
 * for byte, are recognised by comparing and yield the same items. A dropped, inserted or changed object costs its own
 * scan; comparing continues after it.
 */
import { CLOSE_ARRAY, COMMA, OPEN_OBJECT } from './bytes.ts';
import { type Scanner, skipBlanks } from './scanner.ts';
import { tally } from './tally.ts';

/** Part of an item by which it is recognised: its own JSON text. */
export interface Known {
  readonly bytes: Uint8Array;
}

const FIRST_BYTES = 64 * 1024;
/** Items of a longer list are compared one by one. */
const MAX_BYTES = 4 * 1024 * 1024;

/**
 * Items that follow each other in list after list, as one text: comparing it once costs less than comparing them one by
 * one. It holds only text that has occurred twice, so never the text that a client changes on every line (mostly at the
 * end).
 */
export class KnownRun {
  #text = new Uint8Array(0);
  #length = 0;
  #count = 0;

  /** Number of its items. */
  get count(): number {
    return this.#count;
  }

  /** The index after the run if its text is at `p`; else -1. */
  endAt(bytes: Uint8Array, p: number): number {
    const length = this.#length;
    const end = p + length;
    if (this.#count === 0 || end > bytes.length || bytes[end - 1] !== this.#text[length - 1]) return -1;
    if (Buffer.prototype.compare.call(bytes, this.#text, 0, length, p, end) !== 0) return -1;
    tally.comparedBytes += length;
    return end;
  }

  /** Extends the run, whose text is at `from`, to `end` and `items` items. Does nothing when it would be too long. */
  extend(bytes: Uint8Array, from: number, end: number, items: number): void {
    if (end - from > MAX_BYTES) return;
    this.#reserve(end - from);
    this.#text.set(bytes.subarray(from + this.#length, end), this.#length);
    this.#length = end - from;
    this.#count = items;
  }

  clear(): void {
    this.#length = this.#count = 0;
  }

  #reserve(bytes: number): void {
    if (bytes <= this.#text.length) return;
    const grown = new Uint8Array(Math.min(MAX_BYTES, Math.max(FIRST_BYTES, bytes * 2)));
    grown.set(this.#text.subarray(0, this.#length));
    this.#text = grown;
  }
}

export class KnownList<T extends Known> {
  readonly #scanner: Scanner;
  readonly #make: (bytes: Uint8Array, start: number, end: number) => T;
  readonly #scan: (bytes: Uint8Array, at: number) => number;
  /**
   * From the second item on, because the first one may hold a clock: the text of `items[1]` to `items[run.count]` as
   * last read.
   */
  readonly #run = new KnownRun();
  #known: readonly T[] = [];
  /** The item that may follow the known ones. */
  #follower: T | undefined;
  /** The follower of the next array. */
  #expected: T | undefined;
  #items: T[] = [];
  /** Index of the known item expected next. */
  #next = 0;
  /** Objects scanned since the last recognised one. */
  #fresh = 0;
  /** Index of the second item in the bytes. */
  #runAt = 0;
  /** Number of items from the second one on that are unchanged. */
  #again = 0;
  #againEnd = 0;
  #comparedBytes = 0;
  #scannedBytes = 0;

  /**
   * @param depth number of objects and arrays open around an element
   * @param make creates an item from the object at `bytes[start, end)`; it must keep a copy of the bytes
   * @param scan validates the element at `at` and finds its end, or -1; a caller may pass one that looks at more
   */
  constructor(
    scanner: Scanner,
    depth: number,
    make: (bytes: Uint8Array, start: number, end: number) => T,
    scan: (bytes: Uint8Array, at: number) => number = (bytes, at) => scanner.value(bytes, at, depth),
  ) {
    this.#scanner = scanner;
    this.#make = make;
    this.#scan = scan;
  }

  /** The items of the array last read. A new array each time. */
  get items(): readonly T[] {
    return this.#items;
  }

  /** Bytes recognised so far. */
  get comparedBytes(): number {
    return this.#comparedBytes;
  }

  /** Bytes scanned so far. */
  get scannedBytes(): number {
    return this.#scannedBytes;
  }

  /**
   * Reads the array that opens at `at`.
   * @returns the index after it, or -1: the scanner knows the position. `items` then holds what was read.
   */
  read(bytes: Uint8Array, at: number): number {
    this.#known = this.#items;
    this.#follower = this.#expected;
    this.#items = [];
    this.#expected = undefined;
    this.#next = this.#fresh = this.#again = 0;
    const end = this.#readItems(bytes, at);
    const run = this.#run;
    if (end < 0 || this.#again < run.count) run.clear();
    else if (this.#again > run.count) run.extend(bytes, this.#runAt, this.#againEnd, this.#again);
    return end;
  }

  /** Names an object that may follow the items in the next array: a reply, which the next request repeats. */
  expect(item: T): void {
    this.#expected = item;
  }

  /** Forgets all items, for a new source. */
  forget(): void {
    this.#items = [];
    this.#expected = undefined;
    this.#run.clear();
  }

  #readItems(bytes: Uint8Array, at: number): number {
    const scanner = this.#scanner;
    const items = this.#items;
    let p = skipBlanks(bytes, at + 1);
    if (bytes[p] === CLOSE_ARRAY) return p + 1;
    for (;;) {
      if (items.length >= scanner.maxElements) return scanner.fail(p);
      const end = items.length === 1 ? this.#takeRun(bytes, p) : -1;
      p = end < 0 ? this.#takeItem(bytes, p) : end;
      if (p < 0) return -1;
      p = skipBlanks(bytes, p);
      if (bytes[p] === CLOSE_ARRAY) return p + 1;
      if (bytes[p] !== COMMA) return scanner.fail(p);
      p = skipBlanks(bytes, p + 1);
    }
  }

  /** Returns the index after the items that formed a run before, or -1 if they are not at `p`. */
  #takeRun(bytes: Uint8Array, p: number): number {
    const run = this.#run;
    this.#runAt = p;
    const end = this.#next > 1 ? -1 : run.endAt(bytes, p); // no item occurs twice in one list
    if (end < 0) {
      run.clear();
      return -1;
    }
    const again = run.count;
    this.#again = again;
    this.#againEnd = end;
    for (let i = 1; i <= again; i++) this.#items.push(this.#known[i] as T);
    this.#comparedBytes += end - p;
    this.#next = again + 1;
    this.#fresh = 0;
    return end;
  }

  /** Returns the index after the item at `p`, or -1. */
  #takeItem(bytes: Uint8Array, p: number): number {
    const found = this.#recognise(bytes, p);
    if (found < 0) {
      const end = this.#scan(bytes, p);
      if (end < 0) return -1;
      this.#items.push(this.#make(bytes, p, end));
      this.#scannedBytes += end - p;
      this.#fresh++;
      return end;
    }
    const item = this.#knownAt(found);
    const end = p + item.bytes.length;
    if (found === this.#items.length && this.#again === found - 1) {
      this.#again = found;
      this.#againEnd = end;
    }
    this.#items.push(item);
    this.#comparedBytes += item.bytes.length;
    this.#next = found + 1;
    this.#fresh = 0;
    return end;
  }

  /** Returns the index of the known item at `p`, looking a few items ahead; or -1. */
  #recognise(bytes: Uint8Array, p: number): number {
    if (bytes[p] !== OPEN_OBJECT) return -1; // only an object shows where it ends
    const next = this.#next;
    const count = this.#follower === undefined ? this.#known.length : this.#known.length + 1;
    const last = Math.min(count, next + Math.min(2 + this.#fresh, LOOK_AHEAD));
    for (let i = next; i < last; i++) if (equalsAt(bytes, p, this.#knownAt(i).bytes)) return i;
    return -1;
  }

  #knownAt(index: number): T {
    return (index < this.#known.length ? this.#known[index] : this.#follower) as T;
  }
}

const LOOK_AHEAD = 8;

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
