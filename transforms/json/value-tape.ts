/**
 * The values of one JSON text as rows of numbers, in order: the position of the value and of its key, and the row after
 * all that the value contains. Built in one pass, so that views of nested values do not search for their ends again. A
 * tape can be filled again for the next text.
 */
import { BACKSLASH, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './bytes.ts';
import { isKey } from './members.ts';
import { skipBlanks, type Tape } from './scanner.ts';
import { trustingScanner } from './trusting-scanner.ts';
import { spells } from './utf8.ts';

/** Numbers of a row: the key (quotes included; -1 for elements), the value, and the row after its contents. */
const KEY = 0;
const KEY_END = 1;
const START = 2;
const END = 3;
const NEXT = 4;
/** How many numbers a row has. */
export const ROW_NUMBERS = 5;
/** Deeper containers get no rows. Calls in streamed chunks are this deep; their arguments are copied whole. */
const MAX_LEVELS = 7;
/** A text with more values gets rows only for its outer level: all rows would take many times its bytes. */
const MAX_ROWS = 1_048_576;
/** Most rows that the WebAssembly scanner writes; `fill` makes those of a text with more. */
export const MAX_TAPE_ROWS = 16_384;
const FIRST_ROWS = 32;

export class ValueTape implements Tape {
  #rows = new Int32Array(FIRST_ROWS * ROW_NUMBERS);
  #count = 0;
  /** Does a key have an escape, so that it differs from its bytes? */
  #hasEscapes = false;
  readonly #open: number[] = [];
  /** Numbers of the members of the value itself, if they are known, and their rows. */
  #places: ReadonlyMap<string, number> | undefined;
  #members: Int32Array | undefined;
  /** The results of `made`, by row. */
  #made: Map<number, unknown> | undefined;

  /** Fills in the validated value that begins at `at`. Row 0 is the value itself. */
  fill(bytes: Uint8Array, at: number): void {
    if (!this.#walk(bytes, at, MAX_LEVELS)) this.#walk(bytes, at, 1);
  }

  /** Copies rows that a scanner wrote. @param hasEscapes whether a key of them may have an escape */
  take(rows: Int32Array, count: number, hasEscapes: boolean): void {
    const numbers = count * ROW_NUMBERS;
    if (this.#rows.length < numbers) this.#rows = new Int32Array(numbers * 2);
    this.#rows.set(rows.subarray(0, numbers));
    this.#count = count;
    this.#places = this.#made = undefined;
    this.#hasEscapes = hasEscapes;
  }

  /** Begins a tape for the object at `at`; the caller adds its members. */
  beginObject(at: number): void {
    this.#count = 0;
    this.#hasEscapes = false;
    this.#places = this.#made = undefined;
    this.#add(-1, -1, at);
  }

  /** Adds a member without the contents of its value. @param hasEscapes whether its key may have an escape */
  addMember(keyStart: number, keyEnd: number, start: number, end: number, hasEscapes: boolean): void {
    if (hasEscapes) this.#hasEscapes = true;
    this.#close(this.#add(keyStart, keyEnd, start), end, -this.#count);
  }

  /** Ends the object of `beginObject`. */
  endObject(end: number): void {
    this.#close(0, end, this.#count);
  }

  /** @returns false if there are too many rows for more than one level */
  #walk(bytes: Uint8Array, at: number, levels: number): boolean {
    this.beginObject(at);
    const open = this.#open;
    let depth = 0;
    let p = at;
    let row = 0;
    for (;;) {
      if (levels > 1 && this.#count > MAX_ROWS) return false;
      const first = bytes[p] as number;
      const isContainer = first === OPEN_OBJECT || first === OPEN_ARRAY;
      if (isContainer && depth < levels) {
        open[depth++] = row;
        p = skipBlanks(bytes, p + 1);
        if (bytes[p] !== first + 2) {
          row = this.#addInner(bytes, p, first);
          p = this.#rows[row + START] as number;
          continue;
        }
      } else {
        p = trustingScanner.value(bytes, p, 0);
        this.#close(row, p, isContainer ? -this.#count : this.#count);
        if (depth === 0) return true;
        p = skipBlanks(bytes, p);
      }
      // a value has ended: close what ends with it, or continue with the next one
      while (bytes[p] !== COMMA) {
        this.#close(open[--depth] as number, ++p, this.#count);
        if (depth === 0) return true;
        p = skipBlanks(bytes, p);
      }
      const container = this.#rows[(open[depth - 1] as number) + START] as number;
      row = this.#addInner(bytes, skipBlanks(bytes, p + 1), bytes[container] as number);
      p = this.#rows[row + START] as number;
    }
  }

  /** Are there rows for the contents of a container? */
  isOpen(row: number): boolean {
    return (this.#rows[row * ROW_NUMBERS + NEXT] as number) > 0;
  }

  start(row: number): number {
    return this.#rows[row * ROW_NUMBERS + START] as number;
  }

  end(row: number): number {
    return this.#rows[row * ROW_NUMBERS + END] as number;
  }

  /** The row after a value and all that it contains: its next sibling, if any. */
  next(row: number): number {
    return Math.abs(this.#rows[row * ROW_NUMBERS + NEXT] as number);
  }

  keyStart(row: number): number {
    return this.#rows[row * ROW_NUMBERS + KEY] as number;
  }

  keyEnd(row: number): number {
    return this.#rows[row * ROW_NUMBERS + KEY_END] as number;
  }

  /**
   * Remembers where the members of the value itself are, so that they are not searched for.
   * @param places number of the last member with each key @param members the rows of the members, by their numbers
   */
  place(places: ReadonlyMap<string, number>, members: Int32Array): void {
    this.#places = places;
    this.#members = members;
  }

  /** Makes something of a value, once until the tape is filled again. */
  made<T>(row: number, make: () => T): T {
    this.#made ??= new Map();
    if (!this.#made.has(row)) this.#made.set(row, make());
    return this.#made.get(row) as T;
  }

  /** Row of the last member of an object that has the key; -1 if there is none. */
  find(bytes: Uint8Array, object: number, key: string): number {
    if (object === 0 && this.#places !== undefined) {
      const place = this.#places.get(key);
      return place === undefined ? -1 : ((this.#members as Int32Array)[place] as number);
    }
    const rows = this.#rows;
    const length = key.length + 2;
    const end = this.next(object) * ROW_NUMBERS;
    let found = -1;
    for (
      let at = (object + 1) * ROW_NUMBERS;
      at < end;
      at = Math.abs(rows[at + NEXT] as number) * ROW_NUMBERS
    ) {
      const start = rows[at + KEY] as number;
      const keyEnd = rows[at + KEY_END] as number;
      if (this.#hasEscapes) {
        if (isKey(bytes, start, keyEnd, key)) found = at;
      } else if (keyEnd - start === length && spells(bytes, start + 1, keyEnd - 1, key)) found = at;
    }
    return found < 0 ? -1 : found / ROW_NUMBERS;
  }

  /**
   * Adds the member or element at `at`.
   * @param container first byte of the object or array
   * @returns index of its row in `#rows`
   */
  #addInner(bytes: Uint8Array, at: number, container: number): number {
    if (container === OPEN_ARRAY) return this.#add(-1, -1, at);
    let end = at + 1;
    for (let byte = bytes[end]; byte !== QUOTE; byte = bytes[++end]) {
      if (byte !== BACKSLASH) continue;
      this.#hasEscapes = true;
      end++;
    }
    end++;
    return this.#add(at, end, skipBlanks(bytes, skipBlanks(bytes, end) + 1));
  }

  #add(key: number, keyEnd: number, start: number): number {
    const at = this.#count++ * ROW_NUMBERS;
    if (at === this.#rows.length) {
      const grown = new Int32Array(at * 2);
      grown.set(this.#rows);
      this.#rows = grown;
    }
    this.#rows[at + KEY] = key;
    this.#rows[at + KEY_END] = keyEnd;
    this.#rows[at + START] = start;
    return at;
  }

  #close(at: number, end: number, next: number): void {
    this.#rows[at + END] = end;
    this.#rows[at + NEXT] = next;
  }
}
