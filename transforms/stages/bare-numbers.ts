/**
 * Reads a line whose only error is NaN or Infinity in place of a number. Such a word does no harm in a value that
 * turnmill does not read; otherwise the line is rejected. To tell, the line is read twice, with zeros and with ones in
 * place of the words: the entry is the same both times if it does not depend on them. This works for every dialect.
 */
import type { LineObjects, ReadElement } from '../dialects/dialect.ts';
import { BareNumbers } from '../json/bare-numbers.ts';
import { copyOf } from '../json/keep.ts';
import type { Entry, Line, Message, ToolDefinition } from '../model/element.ts';
import { rejectLine } from '../model/rejection.ts';

type Reading = readonly ReadElement[];

export function isNotJson(objects: LineObjects): boolean {
  if (objects.length !== 1) return false;
  const only = (objects as Reading)[0]; // destructuring would create an iterator for every line
  return only?.kind === 'rejection' && only.reason === 'invalid-json';
}

/**
 * @param read reads a line; called several times, with numbers in place of the words
 * @returns undefined if the line has no such words, or is not an entry even with numbers
 */
export function readBareNumbers(
  stage: string,
  line: Line,
  read: (line: Line) => Reading,
): Reading | undefined {
  const { bytes } = line;
  const words = new BareNumbers(bytes);
  if (words.count === 0 || line.created !== undefined) return undefined;
  try {
    words.putNumbers(bytes, 0); // in place: a copy of the line could be large
    const reading = read(line);
    if (!reading.some(({ kind }) => kind === 'entry')) return undefined;
    const copy = copyOf(bytes);
    const depends = (ones: number): boolean => {
      words.putNumbers(copy, ones);
      return !isSame(reading, read({ ...line, bytes: copy }));
    };
    if (!depends(words.count)) return reading;
    const at = words.placeOf(firstThatMatters(words.count, depends));
    return [rejectLine(stage, line, 'invalid-json', 'NaN or Infinity in a value that turnmill reads', at)];
  } finally {
    words.putWords(bytes);
  }
}

/** Finds the first word that affects the entry, by bisection. */
function firstThatMatters(count: number, depends: (ones: number) => boolean): number {
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
    every([...(a.meta ?? [])], [...(b.meta ?? [])], ([k, v], [l, w]) => k === l && isSameBytes(v, w)) &&
    every([...(a.sample ?? [])], [...(b.sample ?? [])], ([k, v], [l, w]) => k === l && isSameBytes(v, w)) &&
    every([...a.changes], [...b.changes], ([k, n], [l, m]) => k === l && n === m)
  );
}

function isSameMessage(a: Message, b: Message): boolean {
  if (a === b) return true;
  const isNoted = every(a.notes ?? [], b.notes ?? [], (one, other) => one.message === other.message);
  return a.role === b.role && isNoted && isSameBytes(a.bytes, b.bytes);
}

const isSameTool = (a: ToolDefinition, b: ToolDefinition): boolean =>
  a === b || (a.name === b.name && isSameBytes(a.bytes, b.bytes));

const isSameBytes = (a: Uint8Array, b: Uint8Array): boolean => Buffer.compare(a, b) === 0;

const listOf = <T>(one: T | undefined): readonly T[] => (one === undefined ? [] : [one]);

function every<T>(a: readonly T[], b: readonly T[], isEqual: (one: T, other: T) => boolean): boolean {
  return a.length === b.length && a.every((one, i) => isEqual(one, b[i] as T));
}
