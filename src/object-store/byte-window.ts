/** Limits the number of prefetched bytes, and provides the memory for them. */
export class ByteWindow {
  readonly slabs: Slabs = new Slabs();
  readonly #bytes: number;
  #reserved = 0;
  #most = 0;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** The highest number of bytes that were ever reserved at the same time. */
  get most(): number {
    return this.#most;
  }

  /** Reserves bytes; returns false if that would exceed the limit. */
  tryReserve(bytes: number): boolean {
    if (this.#reserved + bytes > this.#bytes) return false;
    this.reserve(bytes);
    return true;
  }

  /** Reserves bytes without which the work would stall, even beyond the limit. */
  reserve(bytes: number): void {
    this.#reserved += bytes;
    this.#most = Math.max(this.#most, this.#reserved);
  }

  release(bytes: number): void {
    this.#reserved -= bytes;
  }
}

/** Size of a slab: as much as a source is read at a time. */
export const SLAB_BYTES: number = 256 * 1024;

/** Size of the slabs for the end of an object: several of them waste less than one large slab. */
const SMALL_BYTES = 64 * 1024;

/**
 * Reusable memory for bytes that have arrived and are not read yet. The buffers of a connection must not be kept: V8
 * would collect its whole heap every few tens of megabytes, which takes more time than everything else.
 */
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
