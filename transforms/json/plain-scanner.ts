/**
 * Validates JSON strictly, as bytes: the grammar of RFC 8259, UTF-8 and depth. Reads each byte once and decodes
 * nothing. All other scanners must give the same results as this one.
 */

import { BACKSLASH, CLOSE_OBJECT, COLON, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE, ZERO } from './bytes.ts';
import { crowdedAt, elementsIn, MAX_ELEMENTS, mayExceed, mostInAll } from './elements.ts';
import { ANY_NUMBER, MAX_DEPTH, type Scanner, skipBlanks, type Tape } from './scanner.ts';
import { sequenceLength } from './utf8.ts';

/** Class of a byte inside a string: 0 plain, 1 quote, 2 backslash, 3 control, 4 to 6 UTF-8 lead, 7 invalid. */
const IN_STRING = new Uint8Array(256);
IN_STRING.fill(3, 0, 0x20);
IN_STRING[QUOTE] = 1;
IN_STRING[BACKSLASH] = 2;
IN_STRING.fill(7, 0x80);
IN_STRING.fill(4, 0xc2, 0xe0);
IN_STRING.fill(5, 0xe0, 0xf0);
IN_STRING.fill(6, 0xf0, 0xf5);

/** Class of a byte after a backslash: 1 the escape is complete, 2 four hexadecimal digits follow, 0 invalid. */
const ESCAPE = new Uint8Array(256);
for (const c of '"\\/bfnrt') ESCAPE[c.charCodeAt(0)] = 1;
ESCAPE[0x75] = 2;

const HEX = new Uint8Array(256);
for (const c of '0123456789abcdefABCDEF') HEX[c.charCodeAt(0)] = 1;

/** The index after the digits at `at`, or -1 - at if there are none. */
function skipDigits(bytes: Uint8Array, at: number): number {
  let p = at;
  while ((bytes[p] as number) >= ZERO && (bytes[p] as number) <= 0x39) p++;
  return p > at ? p : -1 - at;
}

/** The index after the number at `start`, or -1 - p' if the byte at p' is wrong. */
function scanNumber(bytes: Uint8Array, start: number): number {
  let p = bytes[start] === 0x2d ? start + 1 : start;
  p = bytes[p] === ZERO ? p + 1 : skipDigits(bytes, p);
  if (bytes[p] === 0x2e) p = skipDigits(bytes, p + 1);
  if (p < 0 || ((bytes[p] as number) | 0x20) !== 0x65) return p;
  const sign = bytes[p + 1];
  return skipDigits(bytes, sign === 0x2b || sign === 0x2d ? p + 2 : p + 1);
}

/** The index after the string whose opening quote is at `start`, or -1 - p' if the byte at p' is wrong. */
function scanString(bytes: Uint8Array, start: number): number {
  let p = start + 1;
  for (;;) {
    let kind = IN_STRING[bytes[p] as number];
    while (kind === 0) kind = IN_STRING[bytes[++p] as number];
    if (kind === 1) return p + 1;
    if (kind === 2) {
      const escaped = ESCAPE[bytes[p + 1] as number];
      if (escaped === 1) p += 2;
      else if (escaped === 2 && isHex4(bytes, p + 2)) p += 6;
      else return -1 - p;
    } else if (kind !== undefined && kind >= 4 && kind < 7) {
      const length = sequenceLength(bytes, p);
      if (length === 0) return -1 - p;
      p += length;
    } else return -1 - p;
  }
}

function isHex4(bytes: Uint8Array, at: number): boolean {
  for (let p = at; p < at + 4; p++) if (HEX[bytes[p] as number] !== 1) return false;
  return true;
}

const LITERALS: readonly (readonly number[])[] = ['true', 'false', 'null'].map((word) =>
  [...word].map((c) => c.charCodeAt(0)),
);

function scanLiteral(bytes: Uint8Array, p: number): number {
  const first = bytes[p];
  for (const word of LITERALS) {
    if (word[0] !== first) continue;
    for (let i = 1; i < word.length; i++) if (bytes[p + i] !== word[i]) return -1 - (p + i);
    return p + word.length;
  }
  return scanNumber(bytes, p);
}

/** The index of the value whose key is at `at`, or -1 - p' if the byte at p' is wrong. */
function scanKey(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== QUOTE) return -1 - at;
  let p = scanString(bytes, at);
  if (p < 0) return p;
  p = skipBlanks(bytes, p);
  return bytes[p] === COLON ? skipBlanks(bytes, p + 1) : -1 - p;
}

export class PlainScanner implements Scanner {
  failedAt = -1;
  tooDeep = false;
  crowdAt = -1;
  readonly maxDepth: number;
  readonly maxElements: number;
  /** Closing brackets of the open objects and arrays. */
  readonly #closers: Uint8Array;

  constructor(maxDepth: number = MAX_DEPTH, maxElements: number = ANY_NUMBER) {
    this.maxDepth = maxDepth;
    this.maxElements = maxElements;
    this.#closers = new Uint8Array(maxDepth + 1);
  }

  value(bytes: Uint8Array, at: number, depth: number): number {
    return this.limited(bytes, at, this.scan(bytes, at, depth));
  }

  tape(bytes: Uint8Array, at: number, tape: Tape): number {
    const end = this.value(bytes, at, 0);
    if (end >= 0) tape.fill(bytes, at);
    return end;
  }

  /** Counts the elements of the value that ends at `end`. @returns `end`; -1 if it is -1 or there are too many */
  protected limited(bytes: Uint8Array, at: number, end: number): number {
    if (!mayExceed(end - at, this.maxElements)) return end;
    const crowd = crowdedAt(bytes, at, end, this.maxElements);
    if (crowd < 0) return end;
    this.fail(crowd);
    this.crowdAt = crowd;
    return -1;
  }

  string(bytes: Uint8Array, at: number): number {
    const end = bytes[at] === QUOTE ? scanString(bytes, at) : -1 - at;
    return end < 0 ? this.fail(-1 - end) : end;
  }

  fail(at: number, tooDeep = false): -1 {
    this.failedAt = at;
    this.tooDeep = tooDeep;
    this.crowdAt = -1;
    return -1;
  }

  /** `value` without counting elements. */
  protected scan(bytes: Uint8Array, at: number, depth: number): number {
    const closers = this.#closers;
    const room = this.maxDepth - depth;
    let open = 0;
    for (let p = at; ; ) {
      const c = bytes[p];
      if (c === OPEN_OBJECT || c === OPEN_ARRAY) {
        if (open >= room) return this.fail(p, true);
        closers[open++] = c + 2;
        p = skipBlanks(bytes, p + 1);
        if (bytes[p] !== c + 2) {
          if (c === OPEN_OBJECT) p = scanKey(bytes, p);
          if (p < 0) return this.fail(-1 - p);
          continue;
        }
      } else {
        p = c === QUOTE ? scanString(bytes, p) : scanLiteral(bytes, p);
        if (p < 0) return this.fail(-1 - p);
        if (open === 0) return p;
        p = skipBlanks(bytes, p);
      }
      // a value has ended: close what ends with it, or continue with the next one
      for (; bytes[p] === closers[open - 1]; p = skipBlanks(bytes, p + 1)) if (--open === 0) return p + 1;
      if (bytes[p] !== COMMA) return this.fail(p);
      p = skipBlanks(bytes, p + 1);
      if (closers[open - 1] === CLOSE_OBJECT) p = scanKey(bytes, p);
      if (p < 0) return this.fail(-1 - p);
    }
  }
}

/**
 * @param maxDepth most levels of nesting; one more is `tooDeep`
 * @param maxElements most elements of an array or members of an object. Values that are too short to have more are not
 * counted, which saves the time for most; callers that walk a value count its members themselves
 */
export function createPlainScanner(maxDepth?: number, maxElements?: number): Scanner {
  return new PlainScanner(maxDepth, maxElements);
}

class TextScanner extends PlainScanner {
  override value(bytes: Uint8Array, at: number, depth: number): number {
    const end = super.value(bytes, at, depth);
    const most = mostInAll(this.maxElements);
    const isCrowded = mayExceed(end - at, most) && elementsIn(bytes, at, end, most) > most;
    return isCrowded ? this.fail(at) : end;
  }
}

/** The scanner for JSON inside strings, where a value with too many elements, or nested too deep, is text. */
export const textScanner: Scanner = new TextScanner(MAX_DEPTH, MAX_ELEMENTS);
