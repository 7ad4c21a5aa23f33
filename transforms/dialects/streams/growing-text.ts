/**
 * Joins JSON strings to one. Escapes stay as they are, so a surrogate pair that was split between two strings becomes
 * whole again.
 */
import { QUOTE } from '../../json/bytes.ts';
import { copyOf } from '../../json/keep.ts';
import { decode, parseString } from '../../json/utf8.ts';

const FIRST_BYTES = 128;
/** Shorter pieces are copied byte by byte, which takes less time than creating a view. */
const SHORT_BYTES = 48;

export class GrowingText {
  #bytes = new Uint8Array(FIRST_BYTES);
  #used = 1;

  constructor() {
    this.#bytes[0] = QUOTE;
  }

  get isEmpty(): boolean {
    return this.#used === 1;
  }

  /** Bytes held. */
  get length(): number {
    return this.#used;
  }

  /** @param json a JSON string, quotes included */
  add(json: Uint8Array): this {
    const length = json.length - 2;
    const needed = this.#used + length + 1;
    if (needed > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(needed, 2 * this.#bytes.length));
      grown.set(this.#bytes.subarray(0, this.#used));
      this.#bytes = grown;
    }
    if (length < SHORT_BYTES)
      for (let i = 0; i < length; i++) this.#bytes[this.#used + i] = json[i + 1] as number;
    else this.#bytes.set(json.subarray(1, -1), this.#used);
    this.#used += length;
    return this;
  }

  /** The string so far, with its quotes. */
  json(): Uint8Array {
    const json = copyOf(this.#bytes, 0, this.#used + 1);
    json[this.#used] = QUOTE;
    return json;
  }

  text(): string {
    const json = this.json();
    return parseString(json, 0, json.length);
  }

  /** Is this the last byte of the text? */
  endsWith(byte: number): boolean {
    return !this.isEmpty && this.#bytes[this.#used - 1] === byte;
  }

  /** The first characters of the text. */
  head(): string {
    return decode(this.#bytes.subarray(1, Math.min(this.#used, FIRST_BYTES)));
  }
}
