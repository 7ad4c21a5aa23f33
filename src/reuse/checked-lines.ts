/**
 * Reads the lines of a file that was found to be right, one after the other. Each block is compared with its checksum before
 * anything in it is used: the file may have changed since. It can give its descriptor and memory back (`park`) and go on later
 * where it was, so that any number of files is read side by side.
 */
import { closeSync, readSync } from 'node:fs';
import { ioError, TurnmillError } from '../errors.ts';
import { openOwnFile } from '../own-file.ts';
import { BLOCK_BYTES, type BlockSums } from './block-sums.ts';

/** Lines, or records of several lines, in their order. */
export interface Lines {
  /** Returns the next line without its line feed, valid until the next call; undefined at the end. */
  next(): Uint8Array | undefined;
  /** Gives descriptor and memory back until the next line is asked for. */
  park(): void;
}

const LINE_FEED = 0x0a;

export class CheckedLines implements Lines {
  readonly #path: string;
  readonly #bytes: number;
  readonly #sums: BlockSums;
  #fd: number | undefined;
  #buffer = Buffer.alloc(0);
  /** The part of the buffer that was not given out. */
  #from = 0;
  #to = 0;
  /** Where the buffer's end is in the file: where a block begins. */
  #position = 0;
  /** Bytes at the beginning of the next block that were given out before the file was parked. */
  #used = 0;

  /**
   * @param bytes of the file that count; there may be more
   * @param sums of these bytes
   */
  constructor(path: string, bytes: number, sums: BlockSums) {
    this.#path = path;
    this.#bytes = bytes;
    this.#sums = sums;
  }

  /** @throws TurnmillError `io` when the file has changed or cannot be read; `invalid-dataset` when its end is not that of a line */
  next(): Buffer | undefined {
    let seen = 0; // bytes of the line that were looked at
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

  /** Room for as much again as is held, and for a block; a buffer that one giant line needed is given back. */
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

/** The fault of a file that was right when it was read before. */
export function changedSince(path: string): TurnmillError {
  const text = `${path} had other bytes when it was read again, so nothing was published; check disk and memory, then run again`;
  return new TurnmillError('io', text, { subject: path });
}

/** The fault of a file that is not what the previous run says of it. */
export function damaged(path: string, why: string): TurnmillError {
  return new TurnmillError('invalid-dataset', `${path} ${why}`, { subject: path });
}
