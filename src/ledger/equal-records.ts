/**
 * Counts records that equal an earlier one byte for byte, by length and CRC-32: a cryptographic hash of each record would
 * take 2 to 4 % of a build. Two different records of one length have the same CRC-32 once in 4 billion pairs. It takes
 * 8 to 16 bytes for each record, and 24 while it grows.
 */
import { crc32 } from 'node:zlib';

const FIRST_KEYS = 64;
const CRC_VALUES = 2 ** 32;
/** A length modulo this, times `CRC_VALUES`, is still exact in a double. */
const LENGTHS = 2 ** 21;

export class EqualRecords {
  #keys = new Float64Array(FIRST_KEYS);
  #count = 0;

  add(record: Uint8Array): void {
    this.#addKey((record.length % LENGTHS) * CRC_VALUES + crc32(record));
  }

  /** Adds the keys of another one. */
  addKeys(keys: readonly number[]): void {
    for (const key of keys) this.#addKey(key);
  }

  /** Returns the keys as plain data. */
  keys(): readonly number[] {
    return [...this.#keys.subarray(0, this.#count)];
  }

  /** Returns the number of records that equal an earlier one. */
  repeated(): number {
    const sorted = this.#keys.subarray(0, this.#count).sort();
    let repeated = 0;
    for (let i = 1; i < sorted.length; i++) if (sorted[i] === sorted[i - 1]) repeated++;
    return repeated;
  }

  #addKey(key: number): void {
    if (this.#count === this.#keys.length) {
      const more = new Float64Array(2 * this.#count);
      more.set(this.#keys);
      this.#keys = more;
    }
    this.#keys[this.#count++] = key;
  }
}
