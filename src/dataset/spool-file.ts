/**
 * A file of blocks, written once and read back once: what is held of a source until it counts. Lengths and checksums
 * of the blocks stay in memory, so that a damaged file is told before anything of it is used.
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

export class SpoolFile {
  readonly #path: string;
  readonly #fd: number;
  readonly #blocks: Block[] = [];

  /** Makes the file, which must not exist, and takes its name away at once: it is gone with the process. */
  constructor(path: string) {
    this.#path = path;
    this.#fd = this.#attempt('make', () => fs.openSync(path, 'wx+', 0o600));
    this.#attempt('unlink', () => fs.unlinkSync(path));
  }

  write(block: Uint8Array): void {
    this.#blocks.push({ bytes: block.length, crc32: crc32(block) });
    writeAll(this.#fd, block, this.#path);
  }

  /** The blocks in the order in which they were written. Throws `io` when one is not what was written. */
  *read(): Generator<Buffer> {
    let at = 0;
    for (const { bytes, crc32: checksum } of this.#blocks) {
      const block = this.#readAt(at, bytes);
      if (crc32(block) !== checksum) throw notAsWritten(this.#path);
      yield block;
      at += bytes;
    }
  }

  /** Frees the space. */
  close(): void {
    this.#attempt('close', () => fs.closeSync(this.#fd));
  }

  #readAt(position: number, count: number): Buffer {
    const bytes = Buffer.allocUnsafe(count);
    for (let have = 0; have < count; ) {
      const got = this.#attempt('read', () =>
        fs.readSync(this.#fd, bytes, have, count - have, position + have),
      );
      if (got === 0)
        throw ioError('read', this.#path, new Error('it is shorter than what was written to it'));
      have += got;
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
