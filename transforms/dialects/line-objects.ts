/**
 * The objects of a line, one after the other, for every dialect of JSON: mostly one, several where a newline was lost
 * (conversion.md §2). What is torn, no JSON or no object rejects the line as a whole, with the place of the fault.
 */
import type { Changes, Entry, Line, Origin, Rejection } from '../element.ts';
import { type Scanner, skipBlanks } from '../json/scanner.ts';
import { invalidUtf8At } from '../json/utf8.ts';
import { type LineReason, rejectLine } from '../rejection.ts';
import { lineId } from './line-id.ts';

const STAGE = 'parse';
/** Of an entry that was just read. */
export const NO_CHANGES: Changes = new Map();
const OPEN_OBJECT = 0x7b;
/** Walkers open the outer levels of an entry themselves, and count none: fewer than these. */
const WALKED_LEVELS = 16;

/** Where a value stands in the line. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** How a dialect reads one object. */
export interface ObjectWalk {
  /** Walks the object at `at` and validates it; returns the index after it, or -1: the scanner knows where. */
  walk(bytes: Uint8Array, at: number): number;
  /** The entry of the object that was walked last, or why it is none. `number` counts the objects of the line, from 0. */
  entryOf(line: Line, origin: Origin, number: number): Entry | Rejection;
  /** Is every object a session of its own? A rejected one then has the id of its place. */
  readonly alone?: true;
}

export function readObjects(
  line: Line,
  scanner: Scanner,
  { walk, entryOf, alone }: ObjectWalk,
): readonly (Entry | Rejection)[] {
  const { bytes, origin } = line;
  const made: (Entry | Rejection)[] = [];
  const isLow = scanner.maxDepth < WALKED_LEVELS;
  let p = skipBlanks(bytes, 0);
  while (p < bytes.length) {
    const fits = bytes[p] === OPEN_OBJECT && (!isLow || scanner.value(bytes, p, 0) >= 0);
    const end = fits ? walk(bytes, p) : -1;
    if (end < 0) return [ofItself(rejectBytes(line, scanner, p, made.length > 0), 0, alone)];
    made.push(ofItself(entryOf(line, originOf(line, p, end), made.length), made.length, alone));
    p = skipBlanks(bytes, end);
  }
  return made.length === 1 && made[0]?.origin !== origin
    ? made.map((element) => ofLine(element, line))
    : made;
}

/** The rejection of a session of its own, with its id; anything else as it is. */
function ofItself<T extends Entry | Rejection>(element: T, number: number, alone?: true): T {
  if (alone === undefined || element.kind === 'entry') return element;
  return { ...element, sessionId: lineId(element.origin, number) };
}

/** Of the object in `bytes[start, end)`; that of the line, when it is all there is. */
function originOf({ bytes, origin }: Line, start: number, end: number): Origin {
  if (start === 0 && end === bytes.length) return origin;
  const { source, line, offset } = origin;
  return { source, line, offset: offset + start, length: end - start };
}

/** Why an object of the line is no entry. `at` is the index in the line where it went wrong; -1: not known. */
export function rejectObject(
  line: Line,
  origin: Origin,
  reason: LineReason,
  detail: string,
  at: number,
): Rejection {
  const rejected = rejectLine(STAGE, line, reason, detail, at < 0 ? undefined : at);
  if (origin === line.origin) return rejected;
  const start = origin.offset - line.origin.offset;
  return { ...rejected, origin, bytes: line.bytes.subarray(start, start + origin.length) };
}

/** What is wrong with a member that is at `at`, or nowhere. */
export const missingOrBad = (what: string, at: number): string =>
  at < 0 ? `${what} is missing` : `${what} is not valid`;

/** Why the line as a whole is not read; `at` is where its last value begins. */
function rejectBytes(line: Line, scanner: Scanner, at: number, after: boolean): Rejection {
  const { bytes } = line;
  const invalid = invalidUtf8At(bytes);
  if (invalid >= 0) return rejectLine(STAGE, line, 'invalid-utf8', 'not UTF-8', invalid);
  const end = scanner.value(bytes, at, 0);
  if (end < 0) {
    if (scanner.tooDeep) return rejectLine(STAGE, line, 'too-deep', 'nested too deep', scanner.failedAt);
    return rejectLine(STAGE, line, 'invalid-json', 'not JSON', Math.min(scanner.failedAt, bytes.length));
  }
  const next = skipBlanks(bytes, end);
  if (after || next < bytes.length)
    return rejectLine(STAGE, line, 'invalid-json', 'more than one value', after ? at : next);
  return rejectLine(STAGE, line, 'not-an-object', 'JSON, but not an object', at);
}

/** The only object of a line stands for the whole line, the white space around it too. */
function ofLine(element: Entry | Rejection, { origin, bytes, made }: Line): Entry | Rejection {
  return element.kind === 'entry'
    ? { ...element, origin }
    : { ...element, origin, bytes: made?.raw ?? bytes };
}
