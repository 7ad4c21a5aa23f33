/** Packs whole numbers from 0 into as few bytes as they need, seven bits each: the last byte is below 128. */

const SEVEN_BITS = 0x80;
/** The bytes of the largest safe integer. */
export const MAX_VARINT_BYTES = 8;

/** Writes a number at `at`, where there is room. @returns the index after it */
export function putVarint(bytes: Uint8Array, at: number, value: number): number {
  let end = at;
  let rest = value;
  for (; rest >= SEVEN_BITS; rest = Math.floor(rest / SEVEN_BITS))
    bytes[end++] = (rest % SEVEN_BITS) | SEVEN_BITS;
  bytes[end++] = rest;
  return end;
}

/** Maps small negative numbers to small whole numbers: 0, -1, 1, -2 to 0, 1, 2, 3. */
export const unsignedOf = (value: number): number => (value < 0 ? -2 * value - 1 : 2 * value);

export const signedOf = (value: number): number => (value % 2 === 0 ? value / 2 : -(value + 1) / 2);

/** Reads numbers one after the other. */
export class VarintReader {
  readonly #bytes: Uint8Array;
  #at = 0;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
  }

  number(): number {
    let value = 0;
    for (let factor = 1; ; factor *= SEVEN_BITS) {
      const byte = this.#bytes[this.#at++] as number;
      value += (byte % SEVEN_BITS) * factor;
      if (byte < SEVEN_BITS) return value;
    }
  }

  /** The next bytes. */
  bytes(length: number): Uint8Array {
    const start = this.#at;
    this.#at += length;
    return this.#bytes.subarray(start, this.#at);
  }
}
