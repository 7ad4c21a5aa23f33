/**
 * A file of blocks, written once and read back. It holds the results of a source until it is certain that they count.
 * The lengths and checksums of the blocks are kept in memory, so that damage is detected before a block is used.
 */
import { crc32 } from 'node:zlib';
import { notAsWritten } from './fs-faults.ts';
import { UnlinkedFile } from './unlinked-file.ts';

interface Block {
  readonly bytes: number;
  readonly crc32: number;
}

export class HeldFile {
  readonly #file: UnlinkedFile;
  readonly #blocks: Block[] = [];
  /** Reused for all blocks that are read. */
  #memory = Buffer.alloc(0);

  /** Creates the file, which must not exist. */
  constructor(path: string) {
    this.#file = new UnlinkedFile(path);
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
    for (const piece of pieces) this.#file.append(piece);
  }

  /**
   * Yields the blocks in the order they were written. Each is valid until the next one: they share a buffer, because V8
   * is slow to free buffers outside its heap. Throws `io` if a block differs from what was written.
   */
  *read(): Generator<Buffer> {
    let at = 0;
    for (const { bytes, crc32: checksum } of this.#blocks) {
      if (this.#memory.length < bytes) this.#memory = Buffer.allocUnsafeSlow(bytes);
      const block = this.#memory.subarray(0, bytes);
      this.#file.read(at, block);
      if (crc32(block) !== checksum) throw notAsWritten(this.#file.path);
      yield block;
      at += bytes;
    }
  }

  /** Closes the file, which frees its disk space. */
  close(): void {
    this.#file.close();
  }
}
