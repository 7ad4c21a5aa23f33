/**
 * Recognises half of a line at the end of a source: its writer has not written the rest yet, or the log was cut. It is
 * an object, or a line of server-sent events, that ends before its end. NULs may follow: after a power cut, a file may
 * have its new length without the bytes. So may a carriage return.
 */
import type { Dialect } from '../dialects/dialect.ts';
import { BareNumbers } from '../json/bare-numbers.ts';
import { CR, OPEN_OBJECT } from '../json/bytes.ts';
import { copyOf } from '../json/keep.ts';
import { type Scanner, skipBlanks } from '../json/scanner.ts';
import { latin1 } from '../json/utf8.ts';
import type { Fate, Line, StreamElement } from '../model/element.ts';

export const UNFINISHED_LINE: Fate['fate'] = 'dropped:unfinished-line';

/** Longest text that the scanner rejects where it begins, because it is not complete: an escape, a character, a word. */
const MAX_TOKEN_BYTES = 8;
const TOKEN = /^(?:\\(?:u[\da-fA-F]{0,3})?|[\xc2-\xdf]|[\xe0-\xef][\x80-\xbf]?|[\xf0-\xf4][\x80-\xbf]{0,2})$/;
const WORDS = ['NaN', 'Infinity'];
const MAX_FIELD_BYTES = 16;
const FIELDS = ['data:', 'data: ', 'event:', 'id:', 'retry:', 'data:[DONE]', 'data: [DONE]'];
const DATA = /^data: ?(?=\{)/;

/**
 * Where the half begins with which the line ends; whole objects may come before it. -1 if the line does not end in half
 * of an object, as NULs alone do not.
 * @param dialect of the source, once it is known
 */
export function unfinishedAt(
  line: Line,
  scanner: Scanner,
  dialect: Pick<Dialect, 'detectLine'> | undefined,
): number {
  const bytes = beforePadding(line.bytes);
  if (bytes.length === 0) return -1;
  const mayBeEvent = dialect === undefined || dialect.detectLine !== undefined;
  const half = halfIn(bytes, scanner, mayBeEvent);
  const isPaddedEvent =
    dialect?.detectLine !== undefined && bytes[0] !== OPEN_OBJECT && line.bytes.at(-1) === 0;
  return half < 0 && isPaddedEvent ? bytes.length : half;
}

/** The bytes without the NULs at their end, and without a carriage return before these. */
export function beforePadding(bytes: Uint8Array): Uint8Array {
  const end = bytes.findLastIndex((byte) => byte !== 0) + 1;
  return bytes.subarray(0, bytes[end - 1] === CR ? end - 1 : end);
}

/** @param mayBeEvent whether it may be a line of server-sent events */
function halfIn(bytes: Uint8Array, scanner: Scanner, mayBeEvent: boolean): number {
  const head = mayBeEvent ? latin1(bytes.subarray(0, MAX_FIELD_BYTES)) : '';
  const isWhole = head.length === bytes.length;
  if (isWhole && FIELDS.some((field) => field !== head && field.startsWith(head))) return 0;
  const data = DATA.exec(head)?.[0].length ?? 0;
  const numbered = withNumbers(bytes);
  for (let p = skipBlanks(bytes, data); bytes[p] === OPEN_OBJECT; ) {
    const end = scanner.value(numbered, p, 0);
    if (end < 0) return isCutAt(bytes, scanner.failedAt) ? (data > 0 ? 0 : p) : -1;
    p = skipBlanks(bytes, end);
  }
  return -1;
}

/** Drops the half that begins at `at`, and reads the whole objects before it. */
export function* withoutHalf(
  { isOpen: _isOpen, ...line }: Line,
  at: number,
  read: (line: Line) => Iterable<StreamElement>,
): Generator<StreamElement> {
  const { bytes, origin } = line;
  const hasWhole = at > skipBlanks(bytes, 0);
  if (hasWhole) {
    yield { kind: 'repair', repair: 'split-objects', origin, count: 1 };
    yield* read({ ...line, bytes: bytes.subarray(0, at), origin: { ...origin, length: at } });
  }
  const half = { ...origin, offset: origin.offset + at, length: bytes.length - at };
  yield { kind: 'fate', fate: UNFINISHED_LINE, origin: hasWhole ? half : origin };
}

/** Whether the bytes are valid JSON up to their end, although the scanner failed at `failedAt`. */
export function isCutAt(bytes: Uint8Array, failedAt: number): boolean {
  const rest = bytes.subarray(failedAt);
  if (rest.length > MAX_TOKEN_BYTES) return false;
  const token = latin1(rest);
  return token === '' || TOKEN.test(token) || WORDS.some((word) => word.startsWith(token));
}

/** The bytes with numbers in place of NaN and Infinity. */
export function withNumbers(bytes: Uint8Array): Uint8Array {
  const words = new BareNumbers(bytes);
  if (words.count === 0) return bytes;
  const copy = copyOf(bytes);
  words.putNumbers(copy, 0);
  return copy;
}
