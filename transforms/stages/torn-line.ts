/**
 * Cuts a line that is not JSON into whole objects and what is left of torn ones: a writer that was killed leaves a line
 * without its end, and the next writer continues on the same line. Writes that did not reach the disk leave NULs, and
 * files that were joined byte order marks.
 */
import type { Dialect } from '../dialects/dialect.ts';
import { COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../json/bytes.ts';
import { type Scanner, skipBlanks } from '../json/scanner.ts';
import type { Line, Rejection, Repair } from '../model/element.ts';
import { isOfDialect, mayBeOfDialect } from './choose-dialect.ts';
import { isCutAt, withNumbers } from './unfinished-line.ts';

/** Some programs write it at the start of a file, so files that were joined have it in the middle. */
const BYTE_ORDER_MARK = [0xef, 0xbb, 0xbf] as const;
const BLANKS: ReadonlySet<number> = new Set([0x20, 0x09, 0x0a, 0x0d]);
/** Most torn objects of a line after which the next one is looked for; it is scanned from where the last one failed. */
const MAX_TRIES = 1024;
/** Most objects inside a torn one that are tried: each may be scanned to the end of the line. */
const MAX_INSIDE = 16;
/** Bytes after which a value may begin: `:`, `[` and `,`. */
const SEPARATORS: ReadonlySet<number> = new Set([COLON, OPEN_ARRAY, COMMA]);
const MAX_KEY_BYTES = 64;
/** Completes an object that was torn before the value of one of its members. */
const VALUE_AND_END = Buffer.from('0}');

/** A piece of a line: a whole object, or a fragment. The last one is open if the line is. */
export interface Piece {
  readonly line: Line;
  readonly isWhole: boolean;
}

export interface Pieces {
  readonly pieces: readonly Piece[];
  readonly repairs: readonly Repair[];
}

export class TornLines {
  readonly #scanner: Scanner;
  readonly #more: readonly Dialect[];

  /** @param more dialects besides the built-in ones */
  constructor(scanner: Scanner, more: readonly Dialect[]) {
    this.#scanner = scanner;
    this.#more = more;
  }

  /**
   * The pieces of a line that was rejected, in order. Undefined unless it has a whole object that is a line, and ends
   * with such an object or with a torn one. Takes linear time: the scanner fails where an object was torn, or directly
   * after the head of the next one.
   * @param dialect the dialect of the source, once it is known
   */
  piecesOf(line: Line, { reason }: Rejection, dialect: Dialect | undefined): Pieces | undefined {
    if (line.created !== undefined || (reason !== 'invalid-json' && reason !== 'invalid-utf8'))
      return undefined;
    const cut = new Cut(line);
    const bytes = withNumbers(cut.bytes);
    let p = cut.skip(0);
    for (let tried = 0; p < bytes.length; ) {
      if (bytes[p] !== OPEN_OBJECT || tried === MAX_TRIES) return undefined;
      const end = this.#scanner.value(bytes, p, 0);
      if (end >= 0 && this.#isLine(bytes, cut.torn, p, end, dialect)) {
        cut.addWhole(p, end);
        p = cut.skip(end);
        continue;
      }
      if (end < 0 && (this.#scanner.tooDeep || this.#scanner.crowdAt >= 0)) return undefined;
      tried++;
      cut.tear(p);
      const isHalf = end < 0 && isCutAt(bytes, this.#scanner.failedAt);
      p = end < 0 ? this.#afterTorn(bytes, p, dialect) : bytes.indexOf(OPEN_OBJECT, end);
      if (p < 0) return isHalf ? cut.result(this.#scanner.maxElements) : undefined;
    }
    return cut.result(this.#scanner.maxElements);
  }

  /**
   * Whether the object in `bytes[start, end)` is a line, and not a value of a torn one: an ordinary line of the dialect, or
   * one that begins like the torn one.
   * @param torn where the open fragment begins
   */
  #isLine(bytes: Uint8Array, torn: number, start: number, end: number, dialect?: Dialect): boolean {
    if (dialect !== undefined && torn < 0) return true; // the reader says what it is
    const object = bytes.subarray(start, end);
    const mayBeValue = SEPARATORS.has(bytes[lastBefore(bytes, start)] as number);
    const isAlike = torn >= 0 && hasSameKey(bytes, torn, start);
    if (dialect !== undefined) return (isAlike && !mayBeValue) || isOfDialect(object, this.#scanner, dialect);
    if (torn >= 0 && mayBeValue && !isAlike) return false;
    return mayBeOfDialect(object, this.#scanner, this.#more);
  }

  /** Where the next object may begin, after the one at `from` failed; -1 if nowhere. */
  #afterTorn(bytes: Uint8Array, from: number, dialect: Dialect | undefined): number {
    const { failedAt } = this.#scanner;
    if (failedAt >= bytes.length) return this.#insideTorn(bytes, from, dialect);
    if (bytes[failedAt - 1] === QUOTE) {
      // this quote closed a torn text, or it opens the first key of the next object
      const p = lastBefore(bytes, failedAt - 1);
      if (p > from && bytes[p] === OPEN_OBJECT) return p;
    }
    return bytes.indexOf(OPEN_OBJECT, Math.max(failedAt, from + 1));
  }

  /**
   * Where an object begins that ends with the line, if the one at `from` was torn before a value. It could also be that
   * value, so it must be an ordinary line, begin like the torn one, and take the place of one of its members.
   */
  #insideTorn(bytes: Uint8Array, from: number, dialect: Dialect | undefined): number {
    let p = from;
    for (let tried = 0; tried < MAX_INSIDE; ) {
      p = bytes.indexOf(OPEN_OBJECT, p + 1);
      if (p < 0) return -1;
      if (bytes[lastBefore(bytes, p)] !== COLON || !hasSameKey(bytes, from, p)) continue;
      tried++;
      const end = this.#scanner.value(bytes, p, 0);
      if (end < 0 || skipBlanks(bytes, end) < bytes.length) continue;
      const completed = Buffer.concat([bytes.subarray(from, p), VALUE_AND_END]);
      if (this.#scanner.value(completed, 0, 0) >= 0 && this.#isLine(bytes, from, p, end, dialect)) return p;
    }
    return -1;
  }
}

/** Collects the pieces of a line. */
class Cut {
  /** Where the open fragment begins; -1 if none is open. */
  torn = -1;
  /** The line without NULs at its end. */
  readonly bytes: Uint8Array;
  readonly #line: Line;
  readonly #pieces: Piece[] = [];
  #hasNuls: boolean;
  #hasMark = false;

  constructor(line: Line) {
    const { bytes } = line;
    const end = bytes.findLastIndex((byte) => byte !== 0) + 1;
    this.bytes = bytes.subarray(0, end);
    this.#hasNuls = end < bytes.length;
    this.#line = line;
  }

  /** The index of the first byte at or after `at` that is neither blank nor NUL, nor of a byte order mark. */
  skip(at: number): number {
    const { bytes } = this;
    let p = skipBlanks(bytes, at);
    for (;;) {
      const isMark = BYTE_ORDER_MARK.every((byte, i) => bytes[p + i] === byte);
      if (isMark) this.#hasMark = true;
      else if (bytes[p] === 0) this.#hasNuls = true;
      else return p;
      p = skipBlanks(bytes, p + (isMark ? BYTE_ORDER_MARK.length : 1));
    }
  }

  tear(at: number): void {
    if (this.torn < 0) this.torn = at;
  }

  addWhole(start: number, end: number): void {
    if (this.torn >= 0) this.#add(this.torn, start, false);
    this.torn = -1;
    this.#add(start, end, true);
  }

  /** @returns undefined if the line has no whole object, more than `maxPieces` pieces, or neither a torn object nor NULs or a mark */
  result(maxPieces: number): Pieces | undefined {
    const { origin } = this.#line;
    const pieces = this.#pieces;
    if (pieces.length === 0) return undefined;
    const prefixes = pieces.filter(({ isWhole }) => !isWhole).length;
    if (this.torn >= 0) this.#add(this.torn, this.bytes.length, false);
    else if (prefixes === 0 && !this.#hasNuls && !this.#hasMark) return undefined;
    if (pieces.length > maxPieces) return undefined;
    const counts = [
      ['split-objects', pieces.length - 1],
      ['torn-prefix', prefixes],
      ['nul-prefix', this.#hasNuls ? 1 : 0],
      ['bom-prefix', this.#hasMark ? 1 : 0],
    ] as const;
    const needed = counts.filter(([, count]) => count > 0);
    return {
      pieces,
      repairs: needed.map(([repair, count]) => ({ kind: 'repair', repair, origin, count })),
    };
  }

  #add(start: number, end: number, isWhole: boolean): void {
    const { kind, bytes, origin, isOpen } = this.#line;
    const { source, line, offset } = origin;
    const place = { source, line, offset: offset + start, length: end - start };
    const piece = { kind, origin: place, bytes: bytes.subarray(start, end) };
    const isLast = end === bytes.length && isOpen === true;
    this.#pieces.push({ line: isLast ? { ...piece, isOpen } : piece, isWhole });
  }
}

/** The index of the last byte before `at` that is not blank. */
function lastBefore(bytes: Uint8Array, at: number): number {
  let p = at - 1;
  while (p >= 0 && BLANKS.has(bytes[p] as number)) p--;
  return p;
}

/** Whether two objects have the same first key. */
function hasSameKey(bytes: Uint8Array, one: number, other: number): boolean {
  const [start, otherStart] = [skipBlanks(bytes, one + 1), skipBlanks(bytes, other + 1)];
  if (bytes[start] !== QUOTE) return false;
  for (let i = 0; i < MAX_KEY_BYTES; i++) {
    if (bytes[start + i] !== bytes[otherStart + i]) return false;
    if (i > 0 && bytes[start + i] === QUOTE) return true;
  }
  return false;
}
