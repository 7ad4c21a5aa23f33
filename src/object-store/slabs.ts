/**
 * Reusable memory for bytes that have arrived and are not read yet. The buffers of a connection must not be kept: V8
 * would collect its whole heap every few tens of megabytes, which takes more time than everything else.
 */

/** Size of a slab: as much as a source is read at a time. */
export const SLAB_BYTES: number = 256 * 1024;

/** Size of the slabs for the end of an object: several of them waste less than one large slab. */
const SMALL_BYTES = 64 * 1024;

export class Slabs {
  readonly #free: Buffer[] = [];
  readonly #freeSmall: Buffer[] = [];

  /** Returns memory for up to `bytes` bytes: a slab, or memory of exactly that size if a small slab is larger. */
  take(bytes: number): Buffer {
    if (bytes < SMALL_BYTES) return Buffer.allocUnsafeSlow(bytes);
    if (bytes < SLAB_BYTES) return this.#freeSmall.pop() ?? Buffer.allocUnsafeSlow(SMALL_BYTES);
    return this.#free.pop() ?? Buffer.allocUnsafeSlow(SLAB_BYTES);
  }

  /** Makes a slab available again; the caller must not use it any more. */
  release(slab: Buffer): void {
    if (slab.length === SLAB_BYTES) this.#free.push(slab);
    else if (slab.length === SMALL_BYTES) this.#freeSmall.push(slab);
  }
}
