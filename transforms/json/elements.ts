/**
 * Counts the elements of arrays and the members of objects before anything is allocated for them: a tiny element costs
 * a hundred times its bytes as an object (docs/contributing/decisions/0009-limits.md).
 */
import { BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './bytes.ts';
import { skipBlanks } from './scanner.ts';
import { trustingScanner } from './trusting-scanner.ts';

/** Default limit for the elements of an array, or the members of an object. */
export const MAX_ELEMENTS = 100_000;
/** Limit for all arrays and objects of an entry together, as a multiple of the limit for one. */
const IN_ALL = 10;
/** Fewest bytes of an element: one, and its comma. */
const MIN_BYTES = 2;

/** Most elements and members that one entry may hold in all. */
export const mostInAll = (maxElements: number): number => maxElements * IN_ALL;

/** Is JSON text of this length long enough to have more than `most` elements? */
export const mayExceed = (bytes: number, most: number): boolean => bytes > MIN_BYTES * most;

const isOpen = (byte: number | undefined): boolean => byte === OPEN_ARRAY || byte === OPEN_OBJECT;
const isClose = (byte: number | undefined): boolean => byte === CLOSE_ARRAY || byte === CLOSE_OBJECT;

/**
 * Finds the first array or object with more than `most` elements or members, in a valid value.
 * @returns where it opens; -1 if there is none
 */
export function crowdedAt(bytes: Uint8Array, start: number, end: number, most: number): number {
  const opened: number[] = [];
  const counts: number[] = []; // commas so far in each open array or object
  for (let p = start; p < end; p++) {
    const byte = bytes[p];
    if (byte === QUOTE) p = trustingScanner.string(bytes, p) - 1;
    else if (byte === COMMA) {
      const count = (counts.pop() as number) + 1;
      if (count >= most) return opened.at(-1) as number;
      counts.push(count);
    } else if (isOpen(byte)) {
      opened.push(p);
      counts.push(0);
    } else if (isClose(byte)) {
      opened.pop();
      counts.pop();
    }
  }
  return -1;
}

/** Counts the elements and members of a valid value at all levels, up to `most` and one more. */
export function elementsIn(bytes: Uint8Array, start: number, end: number, most: number): number {
  let count = 0;
  for (let p = start; p < end && count <= most; p++) {
    const byte = bytes[p];
    if (byte === QUOTE) p = trustingScanner.string(bytes, p) - 1;
    else if (byte === COMMA || (isOpen(byte) && !isClose(bytes[skipBlanks(bytes, p + 1)]))) count++;
  }
  return count;
}

/** Would this text, if it is JSON, have more elements than may be parsed? */
export function isCrowdedText(text: string): boolean {
  const most = mostInAll(MAX_ELEMENTS);
  if (!mayExceed(text.length, most)) return false;
  let count = 0;
  let inString = false;
  for (let p = 0; p < text.length && count <= most; p++) {
    const code = text.charCodeAt(p);
    if (inString) {
      if (code === BACKSLASH) p++;
      else if (code === QUOTE) inString = false;
    } else if (code === QUOTE) inString = true;
    else if (code === COMMA || (isOpen(code) && !isClose(text.charCodeAt(p + 1)))) count++;
  }
  return count > most;
}
