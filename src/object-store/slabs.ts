/**
 * Memory for bytes that wait to be read, used again and again. The pieces in which a connection delivers them must not be kept: V8
 * would then go through its whole heap each time some tens of megabytes have come, which takes more time than all the rest.
 */

/** As much as the reader of a source takes at a time. */
export const SLAB_BYTES: number = 256 * 1024;

/** For the end of an object: several of these waste less than a whole slab. */
const SMALL_BYTES = 64 * 1024;

export class Slabs {
  readonly #free: Buffer[] = [];
  readonly #freeSmall: Buffer[] = [];

  /** @param bytes that will come; for fewer than a small slab has, the memory is exactly that size */
  take(bytes: number): Buffer {
    if (bytes < SMALL_BYTES) return Buffer.allocUnsafeSlow(bytes);
    if (bytes < SLAB_BYTES) return this.#freeSmall.pop() ?? Buffer.allocUnsafeSlow(SMALL_BYTES);
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(SLAB_BYTES);
  }

  /** The slab must not be used any more by whoever had it. */
  giveBack(slab: Buffer): void {
    if (slab.length === SLAB_BYTES) this.#free.push(slab);
    else if (slab.length === SMALL_BYTES) this.#freeSmall.push(slab);
  }
}
