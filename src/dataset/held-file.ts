/**
 * A file of blocks, written once and read back. It holds the results of a source until it is certain that they count.
 * The lengths and checksums of the blocks are kept in memory, so that damage is detected before a block is used.
 */
import { crc32 } from 'node:zlib';
import { ioError } from '../errors.ts';
import { fileSystem as fs } from './file-system.ts';
import { writeAll } from './fs-calls.ts';
import { notAsWritten } from './fs-faults.ts';

interface Block {
  readonly bytes: number;
  readonly crc32: number;
}

export class HeldFile {
  readonly #path: string;
  readonly #fd: number;
  readonly #blocks: Block[] = [];
  /** Reused for all blocks that are read. */
  #memory = Buffer.alloc(0);

  /** Creates the file, which must not exist, and unlinks it immediately, so that it disappears with the process. */
  constructor(path: string) {
    this.#path = path;
    this.#fd = this.#attempt('make', () => fs.openSync(path, 'wx+', 0o600));
    this.#attempt('unlink', () => fs.unlinkSync(path));
  }

  /** Writes one block. Its pieces are written one after the other, so that none is copied. */
  write(pieces: readonly Uint8Array[]): void {
    let bytes = 0;
    let checksum = 0;
    for (const piece of pieces) {
      bytes += piece.length;
      checksum = crc32(piece, checksum);
    }
    this.#blocks.push({ bytes, crc32: checksum });
    for (const piece of pieces) writeAll(this.#fd, piece, this.#path);
  }

  /**
   * Yields the blocks in the order they were written. Each is valid until the next one: they share a buffer, because V8
   * is slow to free buffers outside its heap. Throws `io` if a block differs from what was written.
   */
  *read(): Generator<Buffer> {
    let at = 0;
    for (const { bytes, crc32: checksum } of this.#blocks) {
      const block = this.#readAt(at, bytes);
      if (crc32(block) !== checksum) throw notAsWritten(this.#path);
      yield block;
      at += bytes;
    }
  }

  /** Closes the file, which frees its disk space. */
  close(): void {
    this.#attempt('close', () => fs.closeSync(this.#fd));
  }

  #readAt(position: number, count: number): Buffer {
    if (this.#memory.length < count) this.#memory = Buffer.allocUnsafeSlow(count);
    const bytes = this.#memory.subarray(0, count);
    for (let filled = 0; filled < count; ) {
      const bytesRead = this.#attempt('read', () =>
        fs.readSync(this.#fd, bytes, filled, count - filled, position + filled),
      );
      if (bytesRead === 0)
        throw ioError('read', this.#path, new Error('it is shorter than what was written to it'));
      filled += bytesRead;
    }
    return bytes;
  }

  #attempt<T>(doing: string, call: () => T): T {
    try {
      return call();
    } catch (error) {
      throw ioError(doing, this.#path, error);
    }
  }
}
