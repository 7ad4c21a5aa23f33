/**
 * Reads the lines of a verified file one by one. Each block is compared with its checksum before anything in it is
 * used, because the file may have changed since. `park` releases descriptor and memory until the next line, so that any
 * number of files can be read side by side.
 */
import { closeSync, readSync } from 'node:fs';
import { ioError, TurnmillError } from '../errors.ts';
import { openOwnFile } from '../own-file.ts';
import { BLOCK_BYTES, type BlockSums } from './block-sums.ts';

/** Lines, or records of several lines, in order. */
export interface Lines {
  /** Returns the next line without its newline, valid until the next call; undefined at the end. */
  next(): Uint8Array | undefined;
  /** Releases descriptor and memory until the next line is requested. */
  park(): void;
}

const LINE_FEED = 0x0a;

export class CheckedLines implements Lines {
  readonly #path: string;
  readonly #bytes: number;
  readonly #sums: BlockSums;
  #fd: number | undefined;
  #buffer = Buffer.alloc(0);
  /** Start of the unread part of the buffer. */
  #from = 0;
  #to = 0;
  /** File position of the buffer's end, which is the start of a block. */
  #position = 0;
  /** Bytes at the start of the next block that were returned before the file was parked. */
  #used = 0;

  /**
   * @param bytes length of the valid part of the file
   * @param sums checksums of these bytes
   */
  constructor(path: string, bytes: number, sums: BlockSums) {
    this.#path = path;
    this.#bytes = bytes;
    this.#sums = sums;
  }

  /**
   * @throws TurnmillError `io` if the file has changed or cannot be read; `invalid-dataset` if it does not end at the
   * end of a line
   */
  next(): Buffer | undefined {
    let seen = 0; // bytes of the line searched so far
    for (;;) {
      const end = this.#buffer.subarray(0, this.#to).indexOf(LINE_FEED, this.#from + seen);
      if (end >= 0) {
        const line = this.#buffer.subarray(this.#from, end);
        this.#from = end + 1;
        return line;
      }
      seen = this.#to - this.#from;
      if (this.#position === this.#bytes) {
        if (seen > 0) throw damaged(this.#path, 'does not end with a line feed');
        this.park();
        return undefined;
      }
      this.#makeRoom();
      this.#readMore();
    }
  }

  park(): void {
    if (this.#fd !== undefined) closeSync(this.#fd);
    this.#fd = undefined;
    const next = this.#position + this.#used - (this.#to - this.#from);
    this.#used = next % BLOCK_BYTES;
    this.#position = next - this.#used;
    this.#buffer = Buffer.alloc(0);
    this.#from = this.#to = 0;
  }

  /** Makes room for twice the held bytes and a block; frees a buffer that one giant line needed. */
  #makeRoom(): void {
    const held = this.#to - this.#from;
    const wanted = held + Math.max(BLOCK_BYTES, held);
    const { length } = this.#buffer;
    const room = length < wanted || length > wanted * 8 ? Buffer.allocUnsafe(wanted) : this.#buffer;
    this.#buffer.copy(room, 0, this.#from, this.#to);
    this.#buffer = room;
    this.#from = 0;
    this.#to = held;
  }

  #readMore(): void {
    const room = this.#buffer.length - this.#to;
    const count = Math.min(room - (room % BLOCK_BYTES), this.#bytes - this.#position);
    const block = this.#buffer.subarray(this.#to, this.#to + count);
    this.#fill(block);
    if (!this.#sums.match(this.#position, block)) throw changedSince(this.#path);
    this.#from += this.#used;
    this.#used = 0;
    this.#to += count;
    this.#position += count;
  }

  #fill(block: Buffer): void {
    try {
      this.#fd ??= openOwnFile(this.#path);
      for (let have = 0; have < block.length; ) {
        const at = this.#position + have;
        const got = readSync(this.#fd, block, have, block.length - have, at);
        if (got === 0) throw damaged(this.#path, `ends after ${at} of ${this.#bytes} bytes`);
        have += got;
      }
    } catch (error) {
      throw error instanceof TurnmillError ? error : ioError('read', this.#path, error);
    }
  }
}

/** The error for a file that was valid when it was read before. */
export function changedSince(path: string): TurnmillError {
  const text = `${path} had other bytes when it was read again, so nothing was published; check disk and memory, then run again`;
  return new TurnmillError('io', text, { subject: path });
}

/** The error for a file that contradicts the previous run. */
export function damaged(path: string, why: string): TurnmillError {
  return new TurnmillError('invalid-dataset', `${path} ${why}`, { subject: path });
}
