/** Random access to the lines of a file: keeps the offset of every 64th line, and reads a page of lines from there. */

import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { LF } from '../../transforms/json/bytes.ts';

const EVERY = 64;
const SCAN_BYTES = 1024 * 1024;
const PAGE_BYTES = 256 * 1024;
/**
 * Shared by all reads, which are synchronous: a new buffer for each page would create garbage faster than it is
 * collected.
 */
const PAGE = Buffer.allocUnsafe(PAGE_BYTES);
/** Most bytes that are read of a line or a record. */
export const MAX_LINE_BYTES: number = 32 * 1024 * 1024;

export interface IndexedLine {
  readonly offset: number;
  /** Length of the whole line. */
  readonly bytes: number;
  /** Its bytes without the newline, as far as requested. */
  readonly content: Buffer;
}

/** Called with the first bytes of a line, at most `START_BYTES`, which are valid until it returns. */
export type OnLine = (start: Buffer) => void;

export const START_BYTES: number = 64;
const EMPTY: Buffer = Buffer.alloc(0);

/** How the file has changed since the last check. */
export type Growth = 'same' | 'grown' | 'replaced';

export class LineIndex {
  readonly #fd: number;
  #marks = new Float64Array(1024);
  #marked = 0;
  #lines = 0;
  /** Offset up to which the file was searched. */
  #seen = 0;
  /** Offset of the line whose end has not been written yet. */
  #open = 0;
  readonly #onLine: OnLine | undefined;
  /** First bytes of the open line, if it began in an earlier chunk. */
  #start: Buffer = EMPTY;

  /** @param onLine called for each line, in order, while the file is searched */
  constructor(path: string, onLine?: OnLine) {
    this.#onLine = onLine;
    this.#fd = openSync(path, 'r');
    this.grow();
  }

  /** Number of complete lines. */
  get lines(): number {
    return this.#lines;
  }

  get inode(): number {
    return fstatSync(this.#fd).ino;
  }

  /** Searches the bytes that were appended. A file that became shorter is searched from its beginning. */
  grow(): Growth {
    const end = fstatSync(this.#fd).size;
    const isShorter = end < this.#seen;
    if (isShorter) {
      this.#lines = this.#seen = this.#open = this.#marked = 0;
      this.#start = EMPTY;
    }
    const before = this.#lines;
    const chunk = Buffer.allocUnsafe(Math.min(SCAN_BYTES, Math.max(1, end - this.#seen)));
    while (this.#seen < end) {
      const read = readSync(this.#fd, chunk, 0, Math.min(chunk.length, end - this.#seen), this.#seen);
      if (read === 0) break;
      this.#note(chunk.subarray(0, read));
      this.#seen += read;
    }
    if (isShorter) return 'replaced';
    return this.#lines > before ? 'grown' : 'same';
  }

  #note(chunk: Buffer): void {
    for (let at = chunk.indexOf(LF); at >= 0; at = chunk.indexOf(LF, at + 1)) {
      if (this.#lines % EVERY === 0) this.#mark(this.#open);
      this.#onLine?.(this.#startOf(chunk.subarray(0, at)));
      this.#lines += 1;
      this.#open = this.#seen + at + 1;
    }
    if (this.#onLine !== undefined) this.#start = Buffer.from(this.#startOf(chunk));
  }

  /** Returns the first bytes of the open line. @param chunk up to the end of the line, or all that was read */
  #startOf(chunk: Buffer): Buffer {
    const begin = this.#open - this.#seen;
    if (begin >= 0) return chunk.subarray(begin, begin + START_BYTES);
    return Buffer.concat([this.#start, chunk.subarray(0, START_BYTES - this.#start.length)]);
  }

  #mark(offset: number): void {
    if (this.#marked === this.#marks.length) {
      const more = new Float64Array(this.#marked * 2);
      more.set(this.#marks);
      this.#marks = more;
    }
    this.#marks[this.#marked++] = offset;
  }

  /** Returns at most `count` lines from `from` on, each with at most `most` bytes. */
  page(from: number, count: number, most: number = MAX_LINE_BYTES): readonly IndexedLine[] {
    if (from < 0 || from >= this.#lines || count <= 0) return [];
    const lines: IndexedLine[] = [];
    const chunk = PAGE;
    let at = this.#marks[Math.floor(from / EVERY)] as number;
    let skip = from % EVERY;
    let start = at;
    let held: Buffer[] = [];
    let heldBytes = 0;
    const hold = (part: Buffer): void => {
      const kept = part.subarray(0, Math.max(0, most - heldBytes));
      if (kept.length > 0) held.push(Buffer.from(kept));
      heldBytes += kept.length;
    };
    while (lines.length < count && at < this.#open) {
      const read = readSync(this.#fd, chunk, 0, Math.min(chunk.length, this.#open - at), at);
      if (read === 0) break;
      const bytes = chunk.subarray(0, read);
      let begin = 0;
      for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, begin)) {
        if (skip > 0) skip -= 1;
        else {
          hold(bytes.subarray(begin, end));
          const [only = EMPTY] = held;
          const content = held.length > 1 ? Buffer.concat(held) : only;
          lines.push({ offset: start, bytes: at + end - start, content });
          if (lines.length === count) return lines;
        }
        held = [];
        heldBytes = 0;
        begin = end + 1;
        start = at + begin;
      }
      if (skip === 0) hold(bytes.subarray(begin));
      at += read;
    }
    return lines;
  }

  /** Yields the lines from `from` up to `to`, in pages of at most `count`, each with the number of its first line. */
  *pages(count: number, from = 0, to: number = this.#lines): Generator<[number, readonly IndexedLine[]]> {
    for (let at = from; at < to; ) {
      const page = this.page(at, Math.min(count, to - at));
      if (page.length === 0) return;
      yield [at, page];
      at += page.length;
    }
  }

  close(): void {
    closeSync(this.#fd);
  }
}
