/** Lists as bytes: those of a conversation grow with its calls, and an object for each would take ten times the room. */
import { MAX_VARINT_BYTES, putVarint, VarintReader } from '../../model/varints.ts';

const NO_BYTES = new Uint8Array(0);
const MIN_BYTES = 64;

/** Writes numbers and bytes one after the other. */
export class PackedBytes {
  #bytes = NO_BYTES;
  #used = 0;

  /** The bytes so far. Later ones do not change them, unless they are cleared. */
  get bytes(): Uint8Array {
    return this.#bytes.subarray(0, this.#used);
  }

  /** Number of bytes that it has room for. */
  get size(): number {
    return this.#bytes.length;
  }

  number(value: number): void {
    this.#reserve(MAX_VARINT_BYTES);
    this.#used = putVarint(this.#bytes, this.#used, value);
  }

  /** Writes bytes after their number. */
  piece(bytes: Uint8Array): void {
    this.number(bytes.length);
    this.raw(bytes);
  }

  raw(bytes: Uint8Array): void {
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  clear(): void {
    this.#used = 0;
  }

  #reserve(length: number): void {
    const needed = this.#used + length;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(Math.max(MIN_BYTES, needed + (this.#used >> 1)));
    grown.set(this.#bytes.subarray(0, this.#used));
    this.#bytes = grown;
  }
}

export class PackedList<T> implements Iterable<T> {
  readonly #put: (to: PackedBytes, value: T) => void;
  readonly #read: (from: VarintReader) => T;
  readonly #packed = new PackedBytes();
  #length = 0;

  constructor(put: (to: PackedBytes, value: T) => void, read: (from: VarintReader) => T) {
    this.#put = put;
    this.#read = read;
  }

  get length(): number {
    return this.#length;
  }

  get bytes(): Uint8Array {
    return this.#packed.bytes;
  }

  add(value: T): void {
    this.#put(this.#packed, value);
    this.#length++;
  }

  /** @param bytes those of another list @param length number of its values */
  addPacked(bytes: Uint8Array, length: number): void {
    this.#packed.raw(bytes);
    this.#length += length;
  }

  *[Symbol.iterator](): Generator<T> {
    const from = new VarintReader(this.bytes);
    for (let i = 0; i < this.#length; i++) yield this.#read(from);
  }
}
