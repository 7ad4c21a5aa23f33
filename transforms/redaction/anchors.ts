/**
 * Finds all anchors in one pass over the bytes, two at a time where no anchor can be (Wu and Manber, 1994). An anchor is
 * looked for by its three rarest bytes, because most of the time goes into texts that only begin like one.
 */

export const MIN_ANCHOR_BYTES = 3;
/** A pair of bytes is the second and third byte that an anchor is looked for by. */
const ENDS = 2;
/** A pair of bytes is the first and second one. */
const BEGINS = 1;
/** A pair of bytes is two digits. */
const DIGITS = 4;
/** Characters of conversations, the most frequent first. */
const FREQUENT = ' etaoinsrhldcumpfgyw,.bvk\n"\\:/-0123456789';

interface Anchor<T> {
  readonly bytes: Uint8Array;
  /** Where its rarest bytes begin. */
  readonly rarest: number;
  readonly of: T;
}

export class AnchorScan<T> {
  readonly #pairs = new Uint8Array(65536);
  /** Hashes of three bytes that anchors are looked for by. */
  readonly #hashes = new Uint8Array(65536);
  /** Anchors by these bytes. */
  readonly #anchors = new Map<number, Anchor<T>[]>();

  add(text: string, of: T): void {
    const bytes = Buffer.from(text, 'latin1');
    const rarest = rarestIn(text);
    const [a = 0, b = 0, c = 0] = bytes.subarray(rarest);
    this.#mark(a, b, BEGINS);
    this.#mark(b, c, ENDS);
    this.#hashes[hashOf(a, b, c)] = 1;
    const key = (a << 16) | (b << 8) | c;
    this.#anchors.set(key, [...(this.#anchors.get(key) ?? []), { bytes, rarest, of }]);
  }

  /** Looks for three or more digits in a row too. */
  addDigits(): void {
    for (let a = 0x30; a <= 0x39; a++) for (let b = 0x30; b <= 0x39; b++) this.#mark(a, b, DIGITS);
  }

  /**
   * @param found gets the position of each anchor
   * @param digitsAt gets a position of two digits, and returns up to where no others are needed
   */
  scan(bytes: Uint8Array, found: (at: number, of: T) => void, digitsAt: (at: number) => number): void {
    const pairs = this.#pairs;
    const hashes = this.#hashes;
    const end = bytes.length - 1;
    let digitsDone = 0;
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
      if ((known & DIGITS) !== 0 && at >= digitsDone) digitsDone = digitsAt(at);
      at += (known & BEGINS) === 0 ? 2 : 1;
    }
  }

  #mark(a: number, b: number, flag: number): void {
    const pair = (a << 8) | b;
    this.#pairs[pair] = (this.#pairs[pair] as number) | flag;
  }

  #compare(bytes: Uint8Array, at: number, key: number, found: (at: number, of: T) => void): void {
    for (const anchor of this.#anchors.get(key) ?? []) {
      const start = at - anchor.rarest;
      const { length } = anchor.bytes;
      let same = 0;
      while (same < length && bytes[start + same] === anchor.bytes[same]) same++;
      if (same === length) found(start, anchor.of);
    }
  }
}

const hashOf = (a: number, b: number, c: number): number => ((a << 11) ^ (b << 5) ^ c) & 0xffff;

/** Returns where the three bytes of an anchor begin that are the rarest in records. */
function rarestIn(text: string): number {
  const share = (at: number): number =>
    (FREQUENT.length - FREQUENT.indexOf(text[at] ?? '')) % (FREQUENT.length + 1);
  let rarest = 0;
  let least = Number.POSITIVE_INFINITY;
  for (let at = 0; at + MIN_ANCHOR_BYTES <= text.length; at++) {
    const shares = share(at) + 2 * share(at + 1) + share(at + 2);
    if (shares < least) [rarest, least] = [at, shares];
  }
  return rarest;
}
