import { Slabs } from './slabs.ts';

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
