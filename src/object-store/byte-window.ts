import { Slabs } from './slabs.ts';

/** Limits the bytes fetched ahead of use, and holds the memory for them. */
export class ByteWindow {
  readonly slabs: Slabs = new Slabs();
  readonly #bytes: number;
  #taken = 0;
  #most = 0;

  constructor(bytes: number) {
    this.#bytes = bytes;
  }

  /** Most bytes ever in use at a time. */
  get most(): number {
    return this.#most;
  }

  /** Takes room; returns false if there is not enough. */
  tryTake(bytes: number): boolean {
    if (this.#taken + bytes > this.#bytes) return false;
    this.take(bytes);
    return true;
  }

  /** Takes room that the work cannot do without, even beyond the limit. */
  take(bytes: number): void {
    this.#taken += bytes;
    this.#most = Math.max(this.#most, this.#taken);
  }

  giveBack(bytes: number): void {
    this.#taken -= bytes;
  }
}
