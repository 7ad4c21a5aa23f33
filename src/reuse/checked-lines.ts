/**
 * Reads the lines of a verified file one by one. Each block is compared with its checksum before anything in it is
 * used, because the file may have changed since. `park` releases descriptor and memory until the next line, so that any
 * number of files can be read at the same time.
 */

import { closeSync, readSync } from 'node:fs';
import { LF } from '../../transforms/json/bytes.ts';
import { io, TurnmillError } from '../errors.ts';
import { openOwnFile } from '../own-file.ts';
import { BLOCK_BYTES, type BlockSums } from './block-sums.ts';

/** Lines, or records of several lines, in order. */
export interface Lines {
  /** Returns the next line without its newline, valid until the next call; undefined at the end. */
  next(): Uint8Array | undefined;
  /** Releases descriptor and memory until the next line is requested. */
  park(): void;
}

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
  /** Number of bytes at the start of the next block that were returned before the file was parked. */
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
   * Returns the next line.
   * @throws TurnmillError `io` if the file has changed or cannot be read; `invalid-dataset` if it does not end at the
   * end of a line
   */
  next(): Buffer | undefined {
    let searched = 0; // number of bytes of the line that have no line feed
    for (;;) {
      const end = this.#buffer.subarray(0, this.#to).indexOf(LF, this.#from + searched);
      if (end >= 0) {
        const line = this.#buffer.subarray(this.#from, end);
        this.#from = end + 1;
        return line;
      }
      searched = this.#to - this.#from;
      if (this.#position === this.#bytes) {
        if (searched > 0) throw damaged(this.#path, 'does not end with a line feed');
        this.park();
        return undefined;
      }
      this.#makeRoom();
      this.#readMore();
    }
  }

  /**
   * Returns the next bytes, whatever they are; undefined at the end of the file.
   * @throws TurnmillError as `next`, and `invalid-dataset` if fewer are left
   */
  take(count: number): Buffer | undefined {
    const unread = (): number => this.#to - this.#from;
    const left = unread() + this.#bytes - this.#position - this.#used;
    if (left === 0) return undefined;
    if (left < count) throw damaged(this.#path, 'is cut');
    while (unread() < count) {
      this.#makeRoom();
      this.#readMore();
    }
    this.#from += count;
    return this.#buffer.subarray(this.#from - count, this.#from);
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

  /** Makes room for as many bytes as are unread, at least a block; frees a buffer that a giant line needed. */
  #makeRoom(): void {
    const unread = this.#to - this.#from;
    const wanted = unread + Math.max(BLOCK_BYTES, unread);
    const { length } = this.#buffer;
    const room = length < wanted || length > wanted * 8 ? Buffer.allocUnsafe(wanted) : this.#buffer;
    this.#buffer.copy(room, 0, this.#from, this.#to);
    this.#buffer = room;
    this.#from = 0;
    this.#to = unread;
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
    io('read', this.#path, () => {
      this.#fd ??= openOwnFile(this.#path);
      for (let filled = 0; filled < block.length; ) {
        const at = this.#position + filled;
        const count = readSync(this.#fd, block, filled, block.length - filled, at);
        if (count === 0) throw damaged(this.#path, `ends after ${at} of ${this.#bytes} bytes`);
        filled += count;
      }
    });
  }
}

/** Returns the error for a file that was valid when it was first read. */
export function changedSince(path: string): TurnmillError {
  const text = `${path} had other bytes when it was read again, so nothing was published; check disk and memory, then run again`;
  return new TurnmillError('io', text, { subject: path });
}

/** Returns the error for a file of a previous run that is damaged. */
export function damaged(path: string, why: string): TurnmillError {
  return new TurnmillError('invalid-dataset', `${path} ${why}`, { subject: path });
}
