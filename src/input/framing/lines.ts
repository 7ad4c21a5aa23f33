/**
 * Framing of JSONL: cuts at 0x0A, bounds the line, tags the origin. Own code, because split2 re-splits
 * its whole buffer on every chunk and drops what is too long. One slab is reused: a line's bytes are valid until the
 * next one is asked for; a partial line is moved once per slab, and a slab grows only for a giant line.
 */
import { createHash, type Hash } from 'node:crypto';
import type { Line, Origin, Rejection } from '../../../transforms/model/element.ts';
import type { Framer, FramingCounts } from './framer.ts';
import { createSlab, hasRoom, keepFrom, roomOf, type Slab, shrinkSlab } from './slab.ts';

const LF = 0x0a;
const CR = 0x0d;
const BOM = [0xef, 0xbb, 0xbf] as const;

/** memchr; that of a plain typed array looks at one byte after the other. */
const { indexOf } = Buffer.prototype;

const NO_BYTES = new Uint8Array(0);
const NO_LINES: readonly Line[] = [];

/** What `next` gives until it gives none. One generator for all sources: one of its own for each would be a new shape each. */
function* each<T>(next: () => T | undefined): Generator<T> {
  for (let made = next(); made !== undefined; made = next()) yield made;
}

/** @param source name of the source, for the origins */
export function createLineFramer(source: string, maxLineBytes: number, slab: Slab = createSlab()): Framer {
  shrinkSlab(slab);
  let start = 0; // of the line that is not yet complete
  let have = 0; // end of the bytes in the slab
  let filled: Uint8Array = NO_BYTES; // these bytes
  let searched = 0; // no line feed before this index
  let offset = 0; // in the source, of slab index `start`
  let bytes = 0;
  let bomBytes = 0;
  let lineBytes = 0;
  let terminatorBytes = 0;
  let lines = 0;
  let crlf = 0;
  let noFinalNewline = false;
  let tooLong: { readonly hash: Hash; length: number } | undefined;

  function space(): Uint8Array {
    if (!hasRoom(slab, start, have) || tooLong !== undefined) makeRoom();
    return roomOf(slab, have);
  }

  /** Moves the incomplete line to the front. */
  function makeRoom(): void {
    keepFrom(slab, start, have, maxLineBytes);
    searched -= start;
    have -= start;
    start = 0;
  }

  /** The bytes up to `end` belong to a line that is too long: count and hash them, keep none. */
  function skip(end: number): void {
    stripBom(end);
    tooLong ??= { hash: createHash('sha256'), length: 0 };
    tooLong.hash.update(slab.bytes.subarray(start, end));
    tooLong.length += end - start;
    start = end;
  }

  function origin(at: number, length: number): Origin {
    return { source, line: lines, offset: at, length };
  }

  function take(end: number, terminator: number): Line | Rejection | undefined {
    stripBom(end);
    const carriage = terminator > 0 && end > start && slab.bytes[end - 1] === CR ? 1 : 0;
    crlf += carriage;
    if (tooLong !== undefined || end - carriage - start > maxLineBytes)
      return takeTooLong(end - carriage, terminator + carriage);
    const length = end - carriage - start;
    if (terminator === 0 && length === 0) return undefined;
    lines++;
    const line: Line = {
      kind: 'line',
      origin: origin(offset, length),
      bytes: slab.bytes.subarray(start, start + length),
    };
    account(length, terminator + carriage);
    start = end + terminator;
    return line;
  }

  function takeTooLong(end: number, terminator: number): Rejection {
    skip(end);
    const { hash, length } = tooLong as { hash: Hash; length: number };
    tooLong = undefined;
    lines++;
    const rejection: Rejection = {
      kind: 'rejection',
      scope: 'line',
      stage: 'framing',
      reason: 'line-too-long',
      detail: `${length} bytes, over the limit of ${maxLineBytes}`,
      origin: origin(offset, length),
      sha256: hash.digest('hex'),
    };
    account(length, terminator);
    start = end + terminator;
    return rejection;
  }

  function account(length: number, terminator: number): void {
    lineBytes += length;
    terminatorBytes += terminator;
    offset += length + terminator;
  }

  /** The next line that is complete; undefined when there is none. */
  function next(): Line | Rejection | undefined {
    for (let end = indexOf.call(filled, LF, searched); end >= 0; end = indexOf.call(filled, LF, searched)) {
      searched = end + 1;
      const made = take(end, 1);
      if (made !== undefined) return made;
    }
    searched = have;
    filled = NO_BYTES; // the slab's memory may be given back when a giant line is over
    if (tooLong === undefined && have - start <= maxLineBytes + BOM.length + 1) return undefined;
    skip(have > start && slab.bytes[have - 1] === CR ? have - 1 : have); // it may belong to the terminator
    return undefined;
  }

  function stripBom(end: number): void {
    if (lines > 0 || offset > 0 || tooLong !== undefined) return;
    if (end - start < BOM.length || BOM.some((byte, i) => slab.bytes[start + i] !== byte)) return;
    bomBytes = BOM.length;
    offset += BOM.length;
    start += BOM.length;
  }

  return {
    space,
    filled(count) {
      bytes += count;
      have += count;
      filled = slab.bytes.subarray(0, have);
      return each(next);
    },
    end() {
      if (have === start && tooLong === undefined) return NO_LINES;
      const made = take(have, 0);
      noFinalNewline = made !== undefined;
      return made === undefined ? NO_LINES : [made];
    },
    counts: (): FramingCounts => ({
      bytes,
      bomBytes,
      lineBytes,
      terminatorBytes,
      lines,
      crlf,
      noFinalNewline,
    }),
  };
}
