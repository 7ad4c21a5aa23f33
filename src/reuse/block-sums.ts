/**
 * CRC-32 of each block of 64 KiB of a file, computed while the whole file is verified. A later reading, even of a part
 * of the file, is compared block by block.
 */
import { crc32 } from '../crc32.ts';

export const BLOCK_BYTES: number = 64 * 1024;

export class BlockSums {
  readonly #sums: number[] = [];
  #bytes = 0;

  /** Number of bytes that were added. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Adds the file's next bytes, in pieces of any size. */
  add(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const index = Math.floor(this.#bytes / BLOCK_BYTES);
      const piece = bytes.subarray(at, at + BLOCK_BYTES - (this.#bytes % BLOCK_BYTES));
      this.#sums[index] = crc32(piece, this.#sums[index] ?? 0);
      this.#bytes += piece.length;
      at += piece.length;
    }
  }

  /**
   * Returns whether these are the blocks of the file from `offset` on, a multiple of the block size. They must be whole;
   * only the last one may be shorter.
   */
  match(offset: number, bytes: Uint8Array): boolean {
    for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
      const sum = this.#sums[(offset + at) / BLOCK_BYTES];
      if (sum !== crc32(bytes.subarray(at, at + BLOCK_BYTES))) return false;
    }
    return true;
  }
}
