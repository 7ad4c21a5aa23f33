/** The interface of the JSON scanners, and the limits of nesting. */

/** The default of `--max-depth`: deeper lines are rejected as `too-deep`. */
export const MAX_DEPTH = 512;
/**
 * The highest `--max-depth`: most consumers of records fail at about 1,000 levels, and so do call stacks
 * (docs/contributing/decisions/0009-limits.md).
 */
export const MAX_DEPTH_CEILING = 900;

/** No limit: more elements than the longest line has bytes. */
export const ANY_NUMBER = 0x3fffffff;

/** Takes the values of a JSON text (`ValueTape`). */
export interface Tape {
  /** Fills in the validated value that begins at `at`. */
  fill(bytes: Uint8Array, at: number): void;
  /** Copies rows that the scanner wrote. @param hasEscapes whether a key of them may have an escape */
  take(rows: Int32Array, count: number, hasEscapes: boolean): void;
}

/** Finds the end of a JSON value. */
export interface ValueScanner {
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
  /** Most elements of an array, or members of an object (json/elements.ts). */
  readonly maxElements: number;
}

/** Checks a JSON value and finds its end. */
export interface Scanner extends ValueScanner {
  /** Does what `value` does, for a value outside of all others, and fills the tape with it if it is valid. */
  tape(bytes: Uint8Array, at: number, tape: Tape): number;
  /** After -1: position of the failure. */
  readonly failedAt: number;
  /** After -1: was it too deep? */
  readonly tooDeep: boolean;
  /** After -1: where the array or object with too many elements opens; -1 if that was not the reason. */
  readonly crowdAt: number;
  /** Most levels of nesting. */
  readonly maxDepth: number;
}

const BLANK = new Uint8Array(256);
for (const c of ' \t\r\n') BLANK[c.charCodeAt(0)] = 1;

/** The index of the first byte at or after `at` that is not JSON white space. */
export function skipBlanks(bytes: Uint8Array, at: number): number {
  for (let p = at; ; p++) {
    const byte = bytes[p];
    // undefined is past the end; looking it up in the table would take longer than the rest of the loop
    if (byte === undefined || BLANK[byte] === 0) return p;
  }
}
