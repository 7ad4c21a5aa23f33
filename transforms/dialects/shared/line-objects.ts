/**
 * Reads the objects of a line for all dialects of JSON: usually one, several if a newline was lost. A line that is
 * truncated, not JSON or not an object is rejected as a whole, with the position of the error.
 */
import { OPEN_ARRAY, OPEN_OBJECT } from '../../json/bytes.ts';
import { elementsIn, mayExceed, mostInAll } from '../../json/elements.ts';
import type { JsonView } from '../../json/json-view.ts';
import { type Scanner, skipBlanks } from '../../json/scanner.ts';
import { invalidUtf8At } from '../../json/utf8.ts';
import type { Changes, Fate, Line, Origin, Rejection } from '../../model/element.ts';
import type { LineReason } from '../../model/reasons.ts';
import { rejectLine } from '../../model/rejection.ts';
import type { LineObjects, ReadElement } from '../dialect.ts';
import { pathTo } from './element-path.ts';
import { lineId } from './line-id.ts';

const STAGE = 'parse';
/** Changes of an entry whose messages stay as logged. */
export const NO_CHANGES: Changes = new Map();
const CROWDED: LineReason = 'too-many-elements';
/** Dialects walk the outer levels of an object without the scanner's check of depth; they are fewer than this. */
const WALKED_LEVELS = 16;

/** First byte of a value in the line, and the index after it. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** How a dialect reads one object. */
export interface ObjectWalk {
  /**
   * Walks and validates the object at `at`. Returns the index after it, or -1 with the error's position in the scanner.
   */
  walk(bytes: Uint8Array, at: number): number;
  /**
   * The entry of the object that was walked last, or the reason why it is rejected or dropped.
   * @param number of the object in the line, from 0
   */
  entryOf(line: Line, origin: Origin, number: number): ReadElement | Iterable<ReadElement>;
  /** Set if every object is its own session: a rejected one then gets an id from its place. */
  readonly alone?: true;
  /** Set if `entryOf` creates messages or values: then the elements of the object are counted before. */
  readonly makes?: true;
}

const NONE: readonly ReadElement[] = [];
/** Returned by `entryOf` and `readObjects` if the fold took the object, as most events are: nothing is created for them. */
export const TAKEN: LineObjects = { length: 1, [Symbol.iterator]: () => NONE[Symbol.iterator]() };

export function readObjects(line: Line, scanner: Scanner, object: ObjectWalk): LineObjects {
  const { bytes, origin } = line;
  const start = skipBlanks(bytes, 0);
  const isLow = scanner.maxDepth < WALKED_LEVELS;
  const isWalkable = bytes[start] === OPEN_OBJECT && (!isLow || scanner.value(bytes, start, 0) >= 0);
  const end = isWalkable ? object.walk(bytes, start) : -1;
  if (end < 0) return [withOwnId(rejectBytes(line, scanner, start, false), 0, object.alone)];
  if (skipBlanks(bytes, end) < bytes.length) return readSeveral(line, scanner, object, start, end);
  const only = readEntry(line, scanner, object, originOf(line, start, end), 0);
  if (only === TAKEN) return TAKEN;
  if (!('kind' in only)) return { length: 1, [Symbol.iterator]: () => only[Symbol.iterator]() };
  return [only.origin === origin ? only : withLineOrigin(only, line)];
}

/** The entry of the object that was walked last, unless the object has too many elements in total. */
function readEntry(
  line: Line,
  { maxElements }: Scanner,
  object: ObjectWalk,
  origin: Origin,
  number: number,
): ReadElement | Iterable<ReadElement> {
  const most = mostInAll(maxElements);
  const length = line.created === undefined ? origin.length : line.bytes.length;
  const isCounted = object.makes === true && mayExceed(length, most);
  if (!isCounted) return withOwnId(object.entryOf(line, origin, number), number, object.alone);
  const { bytes } = line;
  const start = line.created === undefined ? origin.offset - line.origin.offset : 0;
  const end = start + length;
  if (elementsIn(bytes, start, end, most) <= most)
    return withOwnId(object.entryOf(line, origin, number), number, object.alone);
  const detail = `the object has more than ${most} elements in all`;
  return withOwnId(rejectObject(line, origin, CROWDED, detail, -1), number, object.alone);
}

/**
 * Reads a line with several objects. The first, in `bytes[start, end)`, was walked; the others are validated before any
 * is read.
 */
function readSeveral(
  line: Line,
  scanner: Scanner,
  object: ObjectWalk,
  start: number,
  end: number,
): LineObjects {
  const { bytes } = line;
  let length = 1;
  for (let p = skipBlanks(bytes, end); p < bytes.length; length++) {
    const after = bytes[p] === OPEN_OBJECT ? scanner.value(bytes, p, 0) : -1;
    if (after < 0) return [withOwnId(rejectBytes(line, scanner, p, true), 0, object.alone)];
    p = skipBlanks(bytes, after);
  }
  if (length > scanner.maxElements) {
    const detail = `${length} objects on one line, over the limit of ${scanner.maxElements}`;
    return [rejectLine(STAGE, line, CROWDED, detail)];
  }
  return { length, [Symbol.iterator]: () => eachObject(line, scanner, object, start, end) };
}

function* eachObject(
  line: Line,
  scanner: Scanner,
  object: ObjectWalk,
  start: number,
  end: number,
): Generator<ReadElement> {
  const { bytes } = line;
  yield* listed(readEntry(line, scanner, object, originOf(line, start, end), 0));
  let p = skipBlanks(bytes, end);
  for (let number = 1; p < bytes.length; number++) {
    const after = object.walk(bytes, p);
    if (after < 0) throw new Error(`an object that was valid no longer is, at byte ${p} of the line`);
    yield* listed(readEntry(line, scanner, object, originOf(line, p, after), number));
    p = skipBlanks(bytes, after);
  }
}

const listed = (elements: ReadElement | Iterable<ReadElement>): Iterable<ReadElement> =>
  'kind' in elements ? [elements] : elements;

/** Adds an id to the rejection of an object that is its own session; returns anything else as it is. */
function withOwnId<T extends ReadElement | Iterable<ReadElement>>(
  element: T,
  number: number,
  alone?: true,
): T {
  if (alone === undefined || !('kind' in element) || element.kind !== 'rejection') return element;
  return { ...element, sessionId: lineId(element.origin, number) };
}

/** Origin of the object in `bytes[start, end)`; the line's own if the object fills the line. */
function originOf({ bytes, origin }: Line, start: number, end: number): Origin {
  if (start === 0 && end === bytes.length) return origin;
  const { source, line, offset } = origin;
  return { source, line, offset: offset + start, length: end - start };
}

/** Rejects an object of the line. @param at index of the error in the line; -1 if unknown */
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

/** Says that a member is not valid, or is missing if `at` is -1. */
export const missingOrBad = (what: string, at: number): string =>
  at < 0 ? `${what} is missing` : `${what} is not valid`;

/** Rejects the whole line. @param at where its last value begins @param after whether other values come before it */
function rejectBytes(line: Line, scanner: Scanner, at: number, after: boolean): Rejection {
  const { bytes } = line;
  const invalid = invalidUtf8At(bytes);
  if (invalid >= 0) return rejectLine(STAGE, line, 'invalid-utf8', 'not UTF-8', invalid);
  const end = scanner.value(bytes, at, 0);
  if (end < 0) {
    if (scanner.crowdAt >= 0) return rejectCrowd(line, at, scanner);
    if (scanner.tooDeep) return rejectLine(STAGE, line, 'too-deep', 'nested too deep', scanner.failedAt);
    return rejectLine(STAGE, line, 'invalid-json', 'not JSON', Math.min(scanner.failedAt, bytes.length));
  }
  const next = skipBlanks(bytes, end);
  if (after || next < bytes.length)
    return rejectLine(STAGE, line, 'invalid-json', 'more than one value', after ? at : next);
  return rejectLine(STAGE, line, 'not-an-object', 'JSON, but not an object', at);
}

function rejectCrowd(line: Line, start: number, { crowdAt, maxElements }: Scanner): Rejection {
  const { bytes } = line;
  const isArray = bytes[crowdAt] === OPEN_ARRAY;
  const named = pathTo(bytes, start, crowdAt) || 'the object of the line';
  const detail = `${named} has more than ${maxElements} ${isArray ? 'elements' : 'members'}`;
  return rejectLine(STAGE, line, CROWDED, detail, crowdAt);
}

/** Gives the only object of a line the origin of the line, including white space around the object. */
function withLineOrigin(element: ReadElement, { origin, bytes, created }: Line): ReadElement {
  return element.kind !== 'rejection'
    ? { ...element, origin }
    : { ...element, origin, bytes: created?.raw ?? bytes };
}

/** Reads values until one is rejected. @returns its rejection */
export function firstRejection(
  values: readonly JsonView[],
  read: (value: JsonView) => Fate | Rejection | undefined | null,
): Rejection | undefined {
  for (const value of values) {
    const result = read(value);
    if (result?.kind === 'rejection') return result;
  }
  return undefined;
}
