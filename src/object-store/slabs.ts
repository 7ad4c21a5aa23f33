/**
 * Reusable memory for bytes that wait to be read. The buffers that a connection delivers must not be kept: V8 would
 * then collect its whole heap every few tens of megabytes, which takes more time than everything else.
 */

/** As much as the reader of a source takes at a time. */
export const SLAB_BYTES: number = 256 * 1024;

/** For the end of an object: several of these waste less than one whole slab. */
const SMALL_BYTES = 64 * 1024;

export class Slabs {
  readonly #free: Buffer[] = [];
  readonly #freeSmall: Buffer[] = [];

  /** @param bytes bytes expected; for fewer than a small slab has, the memory has exactly that size */
  take(bytes: number): Buffer {
    if (bytes < SMALL_BYTES) return Buffer.allocUnsafeSlow(bytes);
    if (bytes < SLAB_BYTES) return this.#freeSmall.pop() ?? Buffer.allocUnsafeSlow(SMALL_BYTES);
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(SLAB_BYTES);
  }

  /** Takes a slab back; the caller must not use it any more. */
  giveBack(slab: Buffer): void {
    if (slab.length === SLAB_BYTES) this.#free.push(slab);
    else if (slab.length === SMALL_BYTES) this.#freeSmall.push(slab);
  }
}
