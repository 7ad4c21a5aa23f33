/**
 * Reads a line that would be JSON without NaN or Infinity in place of numbers. These words are harmless in values that
 * are not read, but a line is rejected if one would get into a record. To tell, the line is read several times, with
 * texts, zeros and ones in place of the words: if no message depends on them, all readings are the same, in any
 * dialect. Metadata leaves such values out.
 */
import type { DialectReader, LineObjects, ReadElement } from '../dialects/dialect.ts';
import { BareNumbers } from '../json/bare-numbers.ts';
import { isSameBytes } from '../json/bytes.ts';
import { copyOf } from '../json/keep.ts';
import type { Entry, Line, Message, ToolDefinition } from '../model/element.ts';
import { rejectLine } from '../model/rejection.ts';

type Reading = readonly ReadElement[];

/** The elements of a line that were all read, and the number of its objects. */
export interface WholeReading {
  readonly elements: Reading;
  readonly length: number;
}

/** Reads all elements of a line at once. */
export const wholeReading = (objects: LineObjects): WholeReading => ({
  elements: [...objects],
  length: objects.length,
});

export function isNotJson(objects: LineObjects): boolean {
  if (objects.length !== 1) return false;
  const only = (objects as Reading)[0]; // destructuring would create an iterator for every line
  return only?.kind === 'rejection' && only.reason === 'invalid-json';
}

/** Reads a line without keeping any of it, so that it may be read again. @param by undefined for no reader */
export function readApart(line: Line, by: DialectReader | undefined): WholeReading {
  if (by === undefined || (by.readApart === undefined && by.holds === true)) return NOTHING_READ;
  return wholeReading(by.readApart?.(line) ?? by.read(line));
}

const NOTHING_READ: WholeReading = { elements: [], length: 0 };

/** How to read a line in which other values replace the words. */
export interface BareReading {
  /** Reads the line without keeping any of it. Called several times, with other values each time. */
  readonly apart: (line: Line) => WholeReading;
  /** Reads the line once more, for a dialect that keeps what it reads; without it, the result is that of `apart`. */
  readonly take?: ((line: Line) => WholeReading) | undefined;
}

/** @returns undefined if the line has no such words, or is not an entry even without them */
export function readBareNumbers(
  stage: string,
  line: Line,
  reading: () => BareReading,
): WholeReading | undefined {
  const { bytes } = line;
  const words = new BareNumbers(bytes);
  if (words.count === 0) return undefined;
  try {
    words.putNumbers(bytes, 0); // in place, because the line may be of any length
    const { apart, take } = reading();
    const { elements: zeros } = apart(line);
    if (!zeros.some(({ kind }) => kind === 'entry' || kind === 'fate')) return undefined;
    const copy = copyOf(bytes);
    const isOther = (): boolean => !isSame(zeros, apart({ ...line, bytes: copy }).elements);
    const depends = (ones: number): boolean => {
      words.putNumbers(copy, ones);
      return isOther();
    };
    const isRead = depends(words.count);
    words.putTexts(copy);
    if (isRead || isOther()) {
      const at = words.placeOf(isRead ? firstRead(words.count, depends) : 0);
      const detail = 'NaN or Infinity in a value that turnmill reads';
      return { elements: [rejectLine(stage, line, 'invalid-json', detail, at)], length: 1 };
    }
    words.putTexts(bytes);
    return (take ?? apart)(line);
  } finally {
    words.putWords(bytes);
  }
}

/** Finds the first word on which the entry depends, by bisection. */
function firstRead(count: number, depends: (ones: number) => boolean): number {
  let [none, some] = [0, count];
  while (some - none > 1) {
    const middle = Math.floor((none + some) / 2);
    if (depends(middle)) some = middle;
    else none = middle;
  }
  return some - 1;
}

function isSame(a: Reading, b: Reading): boolean {
  return every(a, b, (one, other) => {
    if (one.kind === 'entry') return other.kind === 'entry' && isSameEntry(one, other);
    if (one.kind === 'fate') return other.kind === 'fate' && one.fate === other.fate;
    if (one.kind === 'repair') return other.kind === 'repair' && one.repair === other.repair;
    return other.kind === 'rejection' && one.reason === other.reason && one.detail === other.detail;
  });
}

function isSameEntry(a: Entry, b: Entry): boolean {
  return (
    a.sessionId === b.sessionId &&
    a.timestamp === b.timestamp &&
    every(a.messages, b.messages, isSameMessage) &&
    every(a.tools, b.tools, isSameTool) &&
    every(listOf(a.reply), listOf(b.reply), isSameMessage) &&
    every([...(a.sample ?? [])], [...(b.sample ?? [])], ([k, v], [l, w]) => k === l && isSameBytes(v, w)) &&
    every([...a.changes], [...b.changes], ([k, n], [l, m]) => k === l && n === m)
  );
}

function isSameMessage(a: Message, b: Message): boolean {
  if (a === b) return true;
  const hasSameNotes = every(a.notes ?? [], b.notes ?? [], (one, other) => one.message === other.message);
  return a.role === b.role && hasSameNotes && isSameBytes(a.bytes, b.bytes);
}

const isSameTool = (a: ToolDefinition, b: ToolDefinition): boolean =>
  a === b || (a.name === b.name && isSameBytes(a.bytes, b.bytes));

const listOf = <T>(one: T | undefined): readonly T[] => (one === undefined ? [] : [one]);

function every<T>(a: readonly T[], b: readonly T[], isEqual: (one: T, other: T) => boolean): boolean {
  return a.length === b.length && a.every((one, i) => isEqual(one, b[i] as T));
}
