/** Finds all anchors in one pass over the bytes, two at a time where no anchor can begin (Wu and Manber, 1994). */

export const MIN_ANCHOR_BYTES = 3;
/** A pair of bytes is the second and third byte of an anchor. */
const ENDS = 2;
/** A pair of bytes is the first and second byte of an anchor. */
const BEGINS = 1;

interface Anchor<T> {
  readonly bytes: Uint8Array;
  readonly of: T;
}

export class AnchorScan<T> {
  readonly #pairs = new Uint8Array(65536);
  /** Hashes of the first three bytes of anchors. */
  readonly #hashes = new Uint8Array(65536);
  /** Anchors by their first three bytes. */
  readonly #anchors = new Map<number, Anchor<T>[]>();

  add(text: string, of: T): void {
    const bytes = Buffer.from(text, 'latin1');
    const [a = 0, b = 0, c = 0] = bytes;
    this.#pairs[(a << 8) | b] = (this.#pairs[(a << 8) | b] as number) | BEGINS;
    this.#pairs[(b << 8) | c] = (this.#pairs[(b << 8) | c] as number) | ENDS;
    this.#hashes[hashOf(a, b, c)] = 1;
    const key = (a << 16) | (b << 8) | c;
    this.#anchors.set(key, [...(this.#anchors.get(key) ?? []), { bytes, of }]);
  }

  /** Calls `found` with the position of each anchor. */
  scan(bytes: Uint8Array, found: (at: number, of: T) => void): void {
    const pairs = this.#pairs;
    const hashes = this.#hashes;
    const end = bytes.length - 1;
    let at = 1; // where the second byte of an anchor may be
    while (at < end) {
      const b = bytes[at] as number;
      const c = bytes[at + 1] as number;
      const known = pairs[(b << 8) | c] as number;
      if (known === 0) {
        at += 2;
        continue;
      }
      if ((known & ENDS) !== 0) {
        const a = bytes[at - 1] as number;
        if (hashes[hashOf(a, b, c)] === 1) this.#compare(bytes, at - 1, (a << 16) | (b << 8) | c, found);
      }
      at += (known & BEGINS) === 0 ? 2 : 1;
    }
  }

  #compare(bytes: Uint8Array, at: number, key: number, found: (at: number, of: T) => void): void {
    for (const anchor of this.#anchors.get(key) ?? []) {
      const { length } = anchor.bytes;
      let same = MIN_ANCHOR_BYTES;
      while (same < length && bytes[at + same] === anchor.bytes[same]) same++;
      if (same === length) found(at, anchor.of);
    }
  }
}

const hashOf = (a: number, b: number, c: number): number => ((a << 11) ^ (b << 5) ^ c) & 0xffff;
