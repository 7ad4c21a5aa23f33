/**
 * The values of one JSON text as rows of numbers, in order: where each begins and ends, its key, and the row after all
 * that it contains. Built in one pass, so that views of nested values need not search for their ends again; reused from
 * text to text.
 */
import { BACKSLASH, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './bytes.ts';
import { isKey } from './members.ts';
import { skipBlanks } from './scanner.ts';
import { trustingScanner } from './trusting-scanner.ts';

/** Numbers of a row: the key (quotes included; -1 for elements), the value, and the row after it and all that it holds. */
const KEY = 0;
const KEY_END = 1;
const START = 2;
const END = 3;
const NEXT = 4;
const ROW = 5;
/** Deeper containers have no rows: the arguments of a call are copied whole. */
const MOST_LEVELS = 6;
/** A text of more values only gets its first row: the others would take many times its bytes. */
const MOST_ROWS = 16_384;
const FIRST_ROWS = 256;

export class ValueTape {
  #rows = new Int32Array(FIRST_ROWS * ROW);
  #count = 0;
  /** Does any key have an escape? */
  #hasEscapes = false;
  readonly #open: number[] = new Array<number>(MOST_LEVELS).fill(0);

  /** Fills in the validated value that begins at `at`. Row 0 is the value itself. */
  fill(bytes: Uint8Array, at: number): void {
    this.#count = 0;
    this.#hasEscapes = false;
    const open = this.#open;
    let depth = 0;
    let p = at;
    let row = this.#add(-1, -1);
    for (;;) {
      const first = bytes[p];
      const isContainer = first === OPEN_OBJECT || first === OPEN_ARRAY;
      this.#rows[row + START] = p;
      if (this.#count > MOST_ROWS) {
        this.#giveUp(bytes, at);
        return;
      }
      if (isContainer && depth < MOST_LEVELS) {
        open[depth++] = row;
        p = skipBlanks(bytes, p + 1);
        if (bytes[p] !== (first as number) + 2) {
          row = first === OPEN_OBJECT ? this.#addMember(bytes, p) : this.#add(-1, -1);
          if (first === OPEN_OBJECT) p = this.#rows[row + START] as number;
          continue;
        }
      } else {
        p = trustingScanner.value(bytes, p, 0);
        this.#rows[row + END] = p;
        this.#rows[row + NEXT] = isContainer ? -this.#count : this.#count;
        if (depth === 0) return;
        p = skipBlanks(bytes, p);
      }
      // a value has ended: close what ends with it, or continue with the next one
      while (bytes[p] !== COMMA) {
        const closed = open[--depth] as number;
        this.#rows[closed + END] = ++p;
        this.#rows[closed + NEXT] = this.#count;
        if (depth === 0) return;
        p = skipBlanks(bytes, p);
      }
      p = skipBlanks(bytes, p + 1);
      const isObject = bytes[this.#rows[(open[depth - 1] as number) + START] as number] === OPEN_OBJECT;
      row = isObject ? this.#addMember(bytes, p) : this.#add(-1, -1);
      if (isObject) p = this.#rows[row + START] as number;
    }
  }

  #giveUp(bytes: Uint8Array, at: number): void {
    this.#rows[END] = trustingScanner.value(bytes, at, 0);
    this.#rows[NEXT] = -1;
  }

  /** Are there rows for the contents of a container? */
  isOpen(row: number): boolean {
    return (this.#rows[row * ROW + NEXT] as number) > 0;
  }

  start(row: number): number {
    return this.#rows[row * ROW + START] as number;
  }

  end(row: number): number {
    return this.#rows[row * ROW + END] as number;
  }

  /** The row after a value and all that it contains, which is that of its next sibling, if any. */
  next(row: number): number {
    return Math.abs(this.#rows[row * ROW + NEXT] as number);
  }

  keyStart(row: number): number {
    return this.#rows[row * ROW + KEY] as number;
  }

  keyEnd(row: number): number {
    return this.#rows[row * ROW + KEY_END] as number;
  }

  /** Row of the last member of an object that has the key; -1 if there is none. */
  find(bytes: Uint8Array, object: number, key: string): number {
    const rows = this.#rows;
    const end = rows[object * ROW + NEXT] as number;
    const { length } = key;
    let found = -1;
    for (let row = object + 1; row < end; row = Math.abs(rows[row * ROW + NEXT] as number)) {
      const start = rows[row * ROW + KEY] as number;
      const keyEnd = rows[row * ROW + KEY_END] as number;
      if (
        this.#hasEscapes
          ? isKey(bytes, start, keyEnd, key)
          : keyEnd - start - 2 === length && spells(bytes, start + 1, key)
      )
        found = row;
    }
    return found;
  }

  /** Adds the member whose key begins at `at`; its value begins at START. */
  #addMember(bytes: Uint8Array, at: number): number {
    let end = at + 1;
    for (let byte = bytes[end]; byte !== QUOTE; byte = bytes[++end]) {
      if (byte !== BACKSLASH) continue;
      this.#hasEscapes = true;
      end++;
    }
    const row = this.#add(at, ++end);
    this.#rows[row + START] = skipBlanks(bytes, skipBlanks(bytes, end) + 1);
    return row;
  }

  #add(key: number, keyEnd: number): number {
    const at = this.#count++ * ROW;
    if (at === this.#rows.length) {
      const grown = new Int32Array(at * 2);
      grown.set(this.#rows);
      this.#rows = grown;
    }
    this.#rows[at + KEY] = key;
    this.#rows[at + KEY_END] = keyEnd;
    return at;
  }
}

function spells(bytes: Uint8Array, at: number, key: string): boolean {
  for (let i = 0; i < key.length; i++) if (bytes[at + i] !== key.charCodeAt(i)) return false;
  return true;
}
