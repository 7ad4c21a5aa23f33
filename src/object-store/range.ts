/** A range of an object: holds the bytes that have arrived until they are read. */
import { SLAB_BYTES, type Slabs } from './byte-window.ts';

const NOTHING = Buffer.alloc(0);

export class Range {
  readonly from: number;
  readonly to: number;
  /** Whether its bytes are kept until `release`, so that they can be read again. */
  readonly isKept: boolean;
  readonly #slabs: Slabs;
  /** Slabs with bytes that have arrived: unread from `#taken` in slab `#reading` on, up to `#filled` in the last slab. */
  readonly #held: Buffer[] = [];
  #reading = 0;
  #taken = 0;
  #filled = 0;
  /** Number of bytes that have arrived. */
  arrived = 0;
  /** Number of bytes that were read. */
  #read = 0;

  constructor(from: number, to: number, slabs: Slabs, isKept: boolean) {
    this.from = from;
    this.to = to;
    this.#slabs = slabs;
    this.isKept = isKept;
  }

  get length(): number {
    return this.to - this.from;
  }

  get isRead(): boolean {
    return this.#read === this.length;
  }

  /** Whether waking the reader is worthwhile: a turn of the event loop for each packet takes more time than its bytes. */
  get isReady(): boolean {
    return this.arrived - this.#read >= SLAB_BYTES || this.arrived === this.length;
  }

  /** Returns memory for the next bytes; empty if all have arrived. */
  room(): Buffer {
    const left = this.length - this.arrived;
    let slab = this.#held.at(-1);
    if (left > 0 && (slab === undefined || this.#filled === slab.length)) {
      slab = this.#slabs.take(left);
      this.#held.push(slab);
      this.#filled = 0;
    }
    return slab === undefined ? NOTHING : slab.subarray(this.#filled, this.#filled + left);
  }

  /** Call it after `count` new bytes were written into `room()`. */
  filled(count: number): void {
    this.#filled += count;
    this.arrived += count;
  }

  /** Fills `room` from its start with bytes that have arrived, and returns their number. */
  take(room: Uint8Array): number {
    let count = 0;
    for (;;) {
      const slab = this.#held[this.#reading];
      if (slab === undefined || count === room.length) break;
      const end = this.#reading === this.#held.length - 1 ? this.#filled : slab.length;
      const copied = slab.copy(room, count, this.#taken, end);
      count += copied;
      this.#taken += copied;
      if (this.#taken < slab.length) break; // `room` is full, or the slab is not
      this.#next(slab);
    }
    this.#read += count;
    return count;
  }

  /** Goes back to the start of a range that is kept. */
  rewind(): void {
    this.#reading = this.#taken = this.#read = 0;
  }

  /** Frees the memory, if all bytes have arrived: until then, a connection may write to it. */
  release(): void {
    if (this.arrived < this.length) return;
    for (const slab of this.#held.splice(0)) this.#slabs.release(slab);
  }

  #next(slab: Buffer): void {
    this.#taken = 0;
    if (this.isKept) {
      this.#reading++;
      return;
    }
    this.#held.shift();
    this.#slabs.release(slab);
  }
}
