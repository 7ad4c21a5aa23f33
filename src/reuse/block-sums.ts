/**
 * CRC-32 of each 64 KiB of a file, computed while the whole file was being verified: a later reading, even of a part,
 * compares block by block.
 */
import { crc32 } from 'node:zlib';

export const BLOCK_BYTES: number = 64 * 1024;

export class BlockSums {
  readonly #sums: number[] = [];
  #bytes = 0;

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

  /** Are these whole blocks (the last one may be shorter) those that begin at `offset`, a multiple of the block size? */
  match(offset: number, bytes: Uint8Array): boolean {
    for (let at = 0; at < bytes.length; at += BLOCK_BYTES) {
      const sum = this.#sums[(offset + at) / BLOCK_BYTES];
      if (sum !== crc32(bytes.subarray(at, at + BLOCK_BYTES))) return false;
    }
    return true;
  }
}
