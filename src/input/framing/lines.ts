/**
 * Framing of JSONL: cuts at 0x0A, limits the length of a line and adds the origin. split2 is not used, because it
 * splits its whole buffer again for every chunk and drops lines that are too long. The slab is reused: a line's bytes
 * are valid until the next one is requested, a partial line is moved once per slab, and only a giant line makes the slab
 * grow.
 */

import { createHash, type Hash } from 'node:crypto';
import { CR, LF } from '../../../transforms/json/bytes.ts';
import type { Line, Origin, Rejection } from '../../../transforms/model/element.ts';
import type { Framer, FramingCounts } from './framer.ts';
import { createSlab, hasRoom, keepFrom, roomOf, type Slab, shrinkSlab } from './slab.ts';

const BOM = [0xef, 0xbb, 0xbf] as const;

/** Uses memchr, whereas the method of a plain typed array looks at one byte at a time. */
const { indexOf } = Buffer.prototype;

const NO_BYTES = new Uint8Array(0);
const NO_LINES: readonly Line[] = [];

/** A line over the limit: its bytes are hashed, not kept. */
interface TooLong {
  readonly hash: Hash;
  length: number;
}

export class LineFramer implements Framer {
  readonly #source: string;
  readonly #maxLine: number;
  readonly #slab: Slab;
  /** Index of the incomplete line. */
  #start = 0;
  /** End of the bytes in the slab. */
  #have = 0;
  #filled: Uint8Array = NO_BYTES;
  /** There is no line feed before this index. */
  #searched = 0;
  /** Source offset of slab index `#start`. */
  #offset = 0;
  #bytes = 0;
  #bomBytes = 0;
  #lineBytes = 0;
  #terminatorBytes = 0;
  #lines = 0;
  #crlf = 0;
  #noFinalNewline = false;
  #tooLong: TooLong | undefined;

  /** @param source name of the source, for the origins */
  constructor(source: string, maxLine: number, slab: Slab = createSlab()) {
    shrinkSlab(slab);
    this.#source = source;
    this.#maxLine = maxLine;
    this.#slab = slab;
  }

  space(): Uint8Array {
    if (!hasRoom(this.#slab, this.#start, this.#have) || this.#tooLong !== undefined) this.#makeRoom();
    return roomOf(this.#slab, this.#have);
  }

  /** Moves the incomplete line to the front. */
  #makeRoom(): void {
    keepFrom(this.#slab, this.#start, this.#have, this.#maxLine);
    this.#searched -= this.#start;
    this.#have -= this.#start;
    this.#start = 0;
  }

  filled(count: number): Iterable<Line | Rejection> {
    this.#bytes += count;
    this.#have += count;
    this.#filled = this.#slab.bytes.subarray(0, this.#have);
    return this.#complete();
  }

  *#complete(): Generator<Line | Rejection> {
    for (let element = this.#next(); element !== undefined; element = this.#next()) yield element;
  }

  end(): Iterable<Line | Rejection> {
    if (this.#have === this.#start && this.#tooLong === undefined) return NO_LINES;
    const element = this.#take(this.#have, 0);
    this.#noFinalNewline = element !== undefined;
    if (element === undefined) return NO_LINES;
    return [element.kind === 'line' ? { ...element, isOpen: true } : element];
  }

  counts(): FramingCounts {
    return {
      bytes: this.#bytes,
      bomBytes: this.#bomBytes,
      lineBytes: this.#lineBytes,
      terminatorBytes: this.#terminatorBytes,
      lines: this.#lines,
      crlf: this.#crlf,
      noFinalNewline: this.#noFinalNewline,
    };
  }

  /** Returns the next complete line, if there is one. */
  #next(): Line | Rejection | undefined {
    for (;;) {
      const end = indexOf.call(this.#filled, LF, this.#searched);
      if (end < 0) break;
      this.#searched = end + 1;
      const element = this.#take(end, 1);
      if (element !== undefined) return element;
    }
    this.#searched = this.#have;
    this.#filled = NO_BYTES; // the slab's memory may be freed when a giant line has ended
    const [start, have] = [this.#start, this.#have];
    if (this.#tooLong === undefined && have - start <= this.#maxLine + BOM.length + 1) return undefined;
    // a carriage return at the end may be part of the terminator
    this.#skip(have > start && this.#slab.bytes[have - 1] === CR ? have - 1 : have);
    return undefined;
  }

  #take(end: number, terminator: number): Line | Rejection | undefined {
    this.#stripBom(end);
    const start = this.#start;
    const { bytes } = this.#slab;
    const carriage = terminator > 0 && end > start && bytes[end - 1] === CR ? 1 : 0;
    this.#crlf += carriage;
    const length = end - carriage - start;
    if (this.#tooLong !== undefined || length > this.#maxLine)
      return this.#takeTooLong(end - carriage, terminator + carriage);
    if (terminator === 0 && length === 0) return undefined;
    this.#lines++;
    const line: Line = {
      kind: 'line',
      origin: this.#origin(length),
      bytes: bytes.subarray(start, start + length),
    };
    this.#account(length, terminator + carriage);
    this.#start = end + terminator;
    return line;
  }

  #takeTooLong(end: number, terminator: number): Rejection {
    const { hash, length } = this.#skip(end);
    this.#tooLong = undefined;
    this.#lines++;
    const rejection: Rejection = {
      kind: 'rejection',
      scope: 'line',
      stage: 'framing',
      reason: 'line-too-long',
      detail: `${length} bytes, over the limit of ${this.#maxLine}`,
      origin: this.#origin(length),
      sha256: hash.digest('hex'),
    };
    this.#account(length, terminator);
    this.#start = end + terminator;
    return rejection;
  }

  /** Counts and hashes the bytes up to `end` of a line that is too long, without keeping them. */
  #skip(end: number): TooLong {
    this.#stripBom(end);
    this.#tooLong ??= { hash: createHash('sha256'), length: 0 };
    this.#tooLong.hash.update(this.#slab.bytes.subarray(this.#start, end));
    this.#tooLong.length += end - this.#start;
    this.#start = end;
    return this.#tooLong;
  }

  #origin(length: number): Origin {
    return { source: this.#source, line: this.#lines, offset: this.#offset, length };
  }

  #account(length: number, terminator: number): void {
    this.#lineBytes += length;
    this.#terminatorBytes += terminator;
    this.#offset += length + terminator;
  }

  #stripBom(end: number): void {
    if (this.#lines > 0 || this.#offset > 0 || this.#tooLong !== undefined) return;
    const { bytes } = this.#slab;
    const start = this.#start;
    if (end - start < BOM.length || BOM.some((byte, i) => bytes[start + i] !== byte)) return;
    this.#bomBytes = BOM.length;
    this.#offset += BOM.length;
    this.#start += BOM.length;
  }
}
