/** A range of an object: the bytes that have arrived, and how many of them were read. */
import { SLAB_BYTES, type Slabs } from './slabs.ts';

const NOTHING = Buffer.alloc(0);

export class Range {
  readonly from: number;
  readonly to: number;
  /** Are its bytes kept until `giveUp`, to be read once more? */
  readonly isKept: boolean;
  readonly #slabs: Slabs;
  /** Buffers that have arrived; unread from `#taken` in buffer `#reading` on, up to `#filled` in the last one. */
  readonly #held: Buffer[] = [];
  #reading = 0;
  #taken = 0;
  #filled = 0;
  /** Bytes that have arrived. */
  have = 0;
  /** Bytes that were read. */
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

  /** Is it worth waking the reader? A turn of the event loop for each packet takes more time than its bytes. */
  get isReady(): boolean {
    return this.have - this.#read >= SLAB_BYTES || this.have === this.length;
  }

  /** Memory for the next bytes; empty if all have arrived. */
  room(): Buffer {
    const left = this.length - this.have;
    let slab = this.#held.at(-1);
    if (left > 0 && (slab === undefined || this.#filled === slab.length)) {
      slab = this.#slabs.take(left);
      this.#held.push(slab);
      this.#filled = 0;
    }
    return slab === undefined ? NOTHING : slab.subarray(this.#filled, this.#filled + left);
  }

  /** Reports `count` new bytes in the room. */
  filled(count: number): void {
    this.#filled += count;
    this.have += count;
  }

  /** Fills the room from its start with bytes that have arrived. */
  take(room: Uint8Array): number {
    let count = 0;
    for (;;) {
      const slab = this.#held[this.#reading];
      if (slab === undefined || count === room.length) break;
      const end = this.#reading === this.#held.length - 1 ? this.#filled : slab.length;
      const copied = slab.copy(room, count, this.#taken, end);
      count += copied;
      this.#taken += copied;
      if (this.#taken < slab.length) break; // the room is full, or more will come into it
      this.#next(slab);
    }
    this.#read += count;
    return count;
  }

  /** Goes back to the start of a range that is kept. */
  rewind(): void {
    this.#reading = this.#taken = this.#read = 0;
  }

  /** Frees the memory once all bytes have arrived: until then a connection may write to it. */
  giveUp(): void {
    if (this.have < this.length) return;
    for (const slab of this.#held.splice(0)) this.#slabs.giveBack(slab);
  }

  #next(slab: Buffer): void {
    this.#taken = 0;
    if (this.isKept) {
      this.#reading++;
      return;
    }
    this.#held.shift();
    this.#slabs.giveBack(slab);
  }
}
