/**
 * Strict validation of JSON over bytes: RFC 8259 grammar, UTF-8 and depth, looking at each byte once and decoding
 * nothing. This is the plain scanner in TypeScript, with which every other one must agree.
 */

import {
  BACKSLASH,
  CLOSE_ARRAY,
  CLOSE_OBJECT,
  COLON,
  COMMA,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
} from './bytes.ts';

/** The default of `--max-depth`: deeper lines are rejected as `too-deep`. */
export const MAX_DEPTH = 512;
/**
 * Highest limit that may be set: most readers of records fail at some 1,000 levels, and so do call stacks
 * (docs/decisions/0009-limits.md).
 */
export const MAX_DEPTH_CEILING = 900;

/** More elements than the longest line has bytes. */
export const ANY_NUMBER = 0x3fffffff;

/** Checks one JSON value and finds its end. */
export interface Scanner {
  /**
   * @param at index of the value's first byte
   * @param depth number of objects and arrays open around the value
   * @returns the index after the value, or -1 if the bytes are not a JSON value
   */
  value(bytes: Uint8Array, at: number, depth: number): number;
  /** Does the same for a string whose opening quote is at `at`. */
  string(bytes: Uint8Array, at: number): number;
  /** Records a failure at `at`, for code that walks a value itself. */
  fail(at: number): -1;
  /** After -1: position of the failure. */
  readonly failedAt: number;
  /** After -1: was it too deep? */
  readonly tooDeep: boolean;
  /** After -1: where the array or object with too many elements opens; -1 if that was not the reason. */
  readonly crowdAt: number;
  /** Most levels of nesting. */
  readonly maxDepth: number;
  /** Most elements of an array, or members of an object (json/elements.ts). */
  readonly maxElements: number;
}

/** Class of a byte inside a string: 0 plain, 1 quote, 2 backslash, 3 control, 4 to 6 lead of a UTF-8 sequence, 7 never. */
const IN_STRING = new Uint8Array(256);
IN_STRING.fill(3, 0, 0x20);
IN_STRING[QUOTE] = 1;
IN_STRING[BACKSLASH] = 2;
IN_STRING.fill(7, 0x80);
IN_STRING.fill(4, 0xc2, 0xe0);
IN_STRING.fill(5, 0xe0, 0xf0);
IN_STRING.fill(6, 0xf0, 0xf5);

/** After a backslash: 1 a single character, 2 four hexadecimal digits. */
const ESCAPE = new Uint8Array(256);
for (const c of '"\\/bfnrt') ESCAPE[c.charCodeAt(0)] = 1;
ESCAPE[0x75] = 2;

const HEX = new Uint8Array(256);
for (const c of '0123456789abcdefABCDEF') HEX[c.charCodeAt(0)] = 1;

const BLANK = new Uint8Array(256);
for (const c of ' \t\r\n') BLANK[c.charCodeAt(0)] = 1;

/** The index of the first byte at or after `at` that is not JSON white space. */
export function skipBlanks(bytes: Uint8Array, at: number): number {
  for (let p = at; ; p++) {
    const byte = bytes[p];
    // there is no byte after the end: looking up undefined in a table costs more than everything else
    if (byte === undefined || BLANK[byte] === 0) return p;
  }
}

/** The length of the UTF-8 sequence whose lead byte is at `p`, or 0 if it is malformed. */
export function sequenceLength(bytes: Uint8Array, p: number): number {
  const lead = bytes[p] as number;
  const second = bytes[p + 1] as number;
  if (lead < 0xc2 || lead > 0xf4 || (second & 0xc0) !== 0x80) return 0;
  if (lead < 0xe0) return 2;
  if (((bytes[p + 2] as number) & 0xc0) !== 0x80) return 0;
  if (lead < 0xf0) return (lead === 0xe0 && second < 0xa0) || (lead === 0xed && second > 0x9f) ? 0 : 3;
  if (((bytes[p + 3] as number) & 0xc0) !== 0x80) return 0;
  return (lead === 0xf0 && second < 0x90) || (lead === 0xf4 && second > 0x8f) ? 0 : 4;
}

const isDigit = (c: number | undefined): boolean => c !== undefined && c >= 0x30 && c <= 0x39;

/** The index after the number at `p`, or -1 - p' if the byte at p' is wrong. */
function scanNumber(bytes: Uint8Array, start: number): number {
  let p = start;
  if (bytes[p] === 0x2d) p++;
  if (bytes[p] === 0x30) p++;
  else if (isDigit(bytes[p])) while (isDigit(bytes[p])) p++;
  else return -1 - p;
  if (bytes[p] === 0x2e) {
    p++;
    if (!isDigit(bytes[p])) return -1 - p;
    while (isDigit(bytes[p])) p++;
  }
  if (((bytes[p] as number) | 0x20) === 0x65) {
    p++;
    if (bytes[p] === 0x2b || bytes[p] === 0x2d) p++;
    if (!isDigit(bytes[p])) return -1 - p;
    while (isDigit(bytes[p])) p++;
  }
  return p;
}

/** The index after the string whose opening quote is at `start`, or -1 - p' if the byte at p' is wrong. */
function scanString(bytes: Uint8Array, start: number): number {
  let p = start + 1;
  for (;;) {
    let what = IN_STRING[bytes[p] as number];
    while (what === 0) what = IN_STRING[bytes[++p] as number];
    if (what === 1) return p + 1;
    if (what === 2) {
      const escaped = ESCAPE[bytes[p + 1] as number];
      if (escaped === 1) p += 2;
      else if (escaped === 2 && isHex4(bytes, p + 2)) p += 6;
      else return -1 - p;
    } else if (what !== undefined && what >= 4 && what < 7) {
      const length = sequenceLength(bytes, p);
      if (length === 0) return -1 - p;
      p += length;
    } else return -1 - p;
  }
}

function isHex4(b: Uint8Array, p: number): boolean {
  return (
    HEX[b[p] as number] === 1 &&
    HEX[b[p + 1] as number] === 1 &&
    HEX[b[p + 2] as number] === 1 &&
    HEX[b[p + 3] as number] === 1
  );
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

/** The index after the key at `at`, its colon and blanks, or -1 - p' if the byte at p' is wrong. */
function scanKey(bytes: Uint8Array, at: number): number {
  if (bytes[at] !== QUOTE) return -1 - at;
  let p = scanString(bytes, at);
  if (p < 0) return p;
  p = skipBlanks(bytes, p);
  return bytes[p] === COLON ? skipBlanks(bytes, p + 1) : -1 - p;
}

/** @param maxDepth most levels of nesting; one more is `tooDeep` */
export function createPlainScanner(maxDepth: number = MAX_DEPTH): Scanner {
  const closers = new Uint8Array(maxDepth + 1);
  let failedAt = -1;
  let tooDeep = false;

  const fail = (at: number, deep = false): -1 => {
    failedAt = at;
    tooDeep = deep;
    return -1;
  };

  function value(bytes: Uint8Array, at: number, depth: number): number {
    let p = at;
    let open = 0;
    const room = maxDepth - depth;
    for (;;) {
      const c = bytes[p];
      if (c === QUOTE) p = scanString(bytes, p);
      else if (c === OPEN_OBJECT || c === OPEN_ARRAY) {
        if (open >= room) return fail(p, true);
        const closer = c + 2;
        p = skipBlanks(bytes, p + 1);
        if (bytes[p] === closer) p++;
        else {
          closers[open++] = closer;
          if (closer === CLOSE_ARRAY) continue;
          p = scanKey(bytes, p);
          if (p < 0) return fail(-1 - p);
          continue;
        }
      } else p = scanLiteral(bytes, p);
      if (p < 0) return fail(-1 - p);

      // a value has ended: close what ends with it, or continue with the next one
      for (;;) {
        if (open === 0) return p;
        p = skipBlanks(bytes, p);
        const closer = closers[open - 1] as number;
        if (bytes[p] === closer) {
          open--;
          p++;
          continue;
        }
        if (bytes[p] !== COMMA) return fail(p);
        p = skipBlanks(bytes, p + 1);
        if (closer === CLOSE_OBJECT) {
          p = scanKey(bytes, p);
          if (p < 0) return fail(-1 - p);
        }
        break;
      }
    }
  }

  return {
    value,
    fail,
    string(bytes, at) {
      const end = bytes[at] === QUOTE ? scanString(bytes, at) : -1 - at;
      return end < 0 ? fail(-1 - end) : end;
    },
    get failedAt() {
      return failedAt;
    },
    get tooDeep() {
      return tooDeep;
    },
    crowdAt: -1,
    maxDepth,
    maxElements: ANY_NUMBER,
  };
}
