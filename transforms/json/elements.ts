/**
 * Counts the elements of arrays and the members of objects before anything is allocated for them: a tiny element costs
 * a hundred times its bytes as an object (docs/decisions/0009-limits.md).
 */
import { BACKSLASH, CLOSE_ARRAY, CLOSE_OBJECT, COMMA, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './bytes.ts';
import { walkElements, walkMembers } from './members.ts';
import { createPlainScanner, type Scanner, skipBlanks } from './scanner.ts';
import { trustingScanner } from './trusting-scanner.ts';
import { parseString } from './utf8.ts';

/** Default limit for the elements of an array, or the members of an object. */
export const MAX_ELEMENTS = 100_000;
/** Limit for all arrays and objects of an entry together, as a multiple of the limit for one. */
const IN_ALL = 10;
/** An element and its comma. */
const LEAST_BYTES = 2;

/** Most elements and members that one entry may hold in all. */
export const mostInAll = (maxElements: number): number => maxElements * IN_ALL;

/** Is a stretch of JSON text long enough to hold more elements than that? */
export const mayExceed = (bytes: number, most: number): boolean => bytes > LEAST_BYTES * most;

/**
 * @returns where the first array or object with more than `most` elements or members opens; -1 if there is none. The
 * value must be valid.
 */
export function crowdedAt(bytes: Uint8Array, start: number, end: number, most: number): number {
  const opened: number[] = [];
  const counts: number[] = []; // commas so far, for each open one
  for (let p = start; p < end; ) {
    const byte = bytes[p];
    if (byte === QUOTE) {
      p = trustingScanner.string(bytes, p);
      continue;
    }
    if (byte === COMMA) {
      const count = (counts[counts.length - 1] as number) + 1;
      if (count >= most) return opened[opened.length - 1] as number;
      counts[counts.length - 1] = count;
    } else if (byte === OPEN_ARRAY || byte === OPEN_OBJECT) {
      opened.push(p);
      counts.push(0);
    } else if (byte === CLOSE_ARRAY || byte === CLOSE_OBJECT) {
      opened.pop();
      counts.pop();
    }
    p++;
  }
  return -1;
}

const isOpen = (byte: number | undefined): boolean => byte === OPEN_ARRAY || byte === OPEN_OBJECT;
const isClose = (byte: number | undefined): boolean => byte === CLOSE_ARRAY || byte === CLOSE_OBJECT;

/** Counts the elements and members of a valid value at all levels. Stops beyond `most`. */
export function elementsIn(bytes: Uint8Array, start: number, end: number, most: number): number {
  let count = 0;
  for (let p = start; p < end && count <= most; ) {
    const byte = bytes[p];
    if (byte === QUOTE) p = trustingScanner.string(bytes, p);
    else {
      if (byte === COMMA || (isOpen(byte) && !isClose(bytes[skipBlanks(bytes, p + 1)]))) count++;
      p++;
    }
  }
  return count;
}

/** Does a text that may be JSON, valid or not, have more elements than may be parsed? */
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

/**
 * A scanner that also fails if an array or object has more than `maxElements`. Values too short for that are not
 * counted, so that the texts of a log cost nothing; walkers count what they walk themselves.
 */
export function createCountingScanner(scanner: Scanner, maxElements: number): Scanner {
  const longest = LEAST_BYTES * maxElements;
  let crowd = -1;

  return {
    value(bytes, at, depth) {
      const end = scanner.value(bytes, at, depth);
      crowd = -1;
      if (end - at <= longest) return end;
      crowd = crowdedAt(bytes, at, end, maxElements);
      return crowd < 0 ? end : scanner.fail(crowd);
    },
    string: scanner.string,
    fail: scanner.fail,
    get failedAt() {
      return scanner.failedAt;
    },
    get tooDeep() {
      return scanner.tooDeep;
    },
    get crowdAt() {
      return crowd;
    },
    maxDepth: scanner.maxDepth,
    maxElements,
  };
}

const MOST_STEPS = 10;

/**
 * The scanner for JSON inside strings: a value with too many elements counts as text there, like one that nests too
 * deep.
 */
export function createTextScanner(): Scanner {
  const scanner = createCountingScanner(createPlainScanner(), MAX_ELEMENTS);
  const most = mostInAll(MAX_ELEMENTS);
  return {
    ...scanner,
    value(bytes, at, depth) {
      const end = scanner.value(bytes, at, depth);
      const isCrowded = end >= 0 && mayExceed(end - at, most) && elementsIn(bytes, at, end, most) > most;
      return isCrowded ? scanner.fail(at) : end;
    },
  };
}

/** Keys that dialects and formats read: all others are content, which must not appear in messages. */
const NAMES: ReadonlySet<string> = new Set(
  [
    'request response body messages conversations tools choices message delta content system metadata usage',
    'tool_calls toolCalls tool_result toolResult function function_call functions arguments parameters properties',
    'required enum items input input_schema parts text value logprobs samples expected tags meta settings state lastDocument',
  ].flatMap((names) => names.split(' ')),
);

/**
 * Path to the array or object that opens at `at` inside the valid value at `start`: `request.messages[3].tool_calls`;
 * '' for the value itself. Limited to a few steps, because each one scans the bytes again.
 */
export function pathTo(bytes: Uint8Array, start: number, at: number): string {
  let path = '';
  let p = start;
  for (let steps = 0; p !== at; steps++) {
    if (steps === MOST_STEPS) return `${path}...`.replace(/^\./, '');
    let inside = at;
    let step = '';
    const pass = (value: number, name: () => string): number => {
      const end = trustingScanner.value(bytes, value, 0);
      if (value <= at && at < end) {
        inside = value;
        step = name();
      }
      return end;
    };
    if (bytes[p] === OPEN_OBJECT) {
      walkMembers(bytes, p, trustingScanner, (keyStart, keyEnd, value) =>
        pass(value, () => `.${nameOf(bytes, keyStart, keyEnd)}`),
      );
    } else walkElements(bytes, p, trustingScanner, (number, value) => pass(value, () => `[${number}]`));
    path += step;
    p = inside;
  }
  return path.replace(/^\./, '');
}

function nameOf(bytes: Uint8Array, start: number, end: number): string {
  const key = parseString(bytes, start, end);
  return NAMES.has(key) ? key : '*';
}
