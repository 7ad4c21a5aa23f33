/** Spans of a record's bytes, which never begin or end inside an escape of JSON. */

import { BACKSLASH, LETTER_U, QUOTE } from '../json/bytes.ts';

/** A value that a rule found. */
export interface Span {
  readonly start: number;
  readonly end: number;
  /** Index of the rule; the lower one wins where spans overlap. */
  readonly rule: number;
}

/**
 * Returns the span without quotes and without half an escape at its ends.
 * @param isWhole whether a value that begins inside an escape is another text
 */
export function fitted(bytes: Buffer, span: Span, isWhole: boolean): Span | undefined {
  const start = afterEscape(bytes, span.start);
  if (start !== span.start && isWhole) return undefined;
  const quote = bytes.subarray(start, span.end).indexOf(QUOTE);
  let end = quote < 0 ? span.end : start + quote;
  if (quote >= 0 || afterEscape(bytes, end) !== end) end = beforeBackslashes(bytes, end);
  return end > start ? { ...span, start, end } : undefined;
}

/** Returns the end of the escape that a position lies in, or else the position. */
export function afterEscape(bytes: Uint8Array, at: number): number {
  if (bytes[at - 1] === BACKSLASH) {
    if (bytes[at] === LETTER_U) return at + 5;
    return isEscaped(bytes[at]) ? at + 1 : at;
  }
  for (let back = 1; back <= 4; back++)
    if (bytes[at - back] === LETTER_U && bytes[at - back - 1] === BACKSLASH) return at - back + 5;
  return at;
}

function beforeBackslashes(bytes: Uint8Array, at: number): number {
  let end = at;
  for (let back = 0; back < 5 && bytes[end - 1] !== BACKSLASH; back++) {
    if (afterEscape(bytes, end) === end) break;
    end--;
  }
  while (bytes[end - 1] === BACKSLASH) end--;
  return end;
}

/** Whether a letter, a digit or `_` that is not part of an escape precedes. */
export function isInWord(bytes: Uint8Array, at: number): boolean {
  const before = bytes[at - 1];
  if (!isWordByte(before)) return false;
  if (bytes[at - 2] === BACKSLASH && isEscaped(before)) return false;
  return !(bytes[at - 6] === BACKSLASH && bytes[at - 5] === LETTER_U);
}

/** One of `" / \ b f n r t`. */
function isEscaped(byte: number | undefined): boolean {
  return byte !== undefined && '"/\\bfnrt'.includes(String.fromCharCode(byte));
}

export const isDigit = (byte: number | undefined): boolean =>
  byte !== undefined && byte >= 0x30 && byte <= 0x39;

export function isWordByte(byte = 0): boolean {
  return isDigit(byte) || (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a) || byte === 0x5f;
}
