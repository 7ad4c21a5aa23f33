/**
 * Remembers the source in which each id first occurred. It is a table of hashes, because a run may have a million ids, and
 * a Map takes three times the memory. An id takes 30 to 50 bytes, and 80 while the table grows.
 */
import { EndTable, HASH_WORDS, NONE } from './end-table.ts';

export class FirstSources {
  readonly #table = new EndTable(0);
  readonly #key = new Uint32Array(HASH_WORDS);
  /** Number of ids that it may still remember. */
  #left: number;

  /** @param most number of ids that are remembered; any other is new each time */
  constructor(most: number = Number.POSITIVE_INFINITY) {
    this.#left = most;
  }

  /**
   * Returns the index of the first source with the id: `source`, if the id is new.
   * @param isLast whether no source follows, so that a new id need not be remembered
   */
  of(id: string, source: number, isLast: boolean): number {
    quickHash(id, this.#key);
    const known = this.#table.firstOf(this.#key, 0);
    if (known !== NONE) return known;
    if (isLast || this.#left === 0) return source;
    this.#left--;
    this.#table.add(this.#key, 0, source);
    return source;
  }
}

const [C1, C2, C3, C4] = [0x239b961b, 0xab0e9789, 0x38b34ae5, 0xa1e38b93] as const;
const BLOCK_UNITS = 8;

const rotate = (x: number, by: number): number => (x << by) | (x >>> (32 - by));

function finish(x: number): number {
  const a = Math.imul(x ^ (x >>> 16), 0x85ebca6b);
  const b = Math.imul(a ^ (a >>> 13), 0xc2b2ae35);
  return b ^ (b >>> 16);
}

/** Returns the two UTF-16 units at `at`, with zeros beyond the end. */
function pair(text: string, at: number): number {
  const low = at < text.length ? text.charCodeAt(at) : 0;
  const high = at + 1 < text.length ? text.charCodeAt(at + 1) : 0;
  return low | (high << 16);
}

/**
 * Hashes a text to 128 bits without OpenSSL: MurmurHash3 (x86, 128 bits) over its UTF-16 units. SHA-256 of each session
 * id took 2 % of a run over small files. Collisions can be constructed, so use it only for reports, never to reject.
 * @param into four words that receive the hash
 */
export function quickHash(text: string, into: Uint32Array): void {
  let [a, b, c, d] = [0, 0, 0, 0];
  for (let at = 0; at < text.length; at += BLOCK_UNITS) {
    a ^= Math.imul(rotate(Math.imul(pair(text, at), C1), 15), C2);
    a = (Math.imul((rotate(a, 19) + b) | 0, 5) + 0x561ccd1b) | 0;
    b ^= Math.imul(rotate(Math.imul(pair(text, at + 2), C2), 16), C3);
    b = (Math.imul((rotate(b, 17) + c) | 0, 5) + 0x0bcaa747) | 0;
    c ^= Math.imul(rotate(Math.imul(pair(text, at + 4), C3), 17), C4);
    c = (Math.imul((rotate(c, 15) + d) | 0, 5) + 0x96cd1c35) | 0;
    d ^= Math.imul(rotate(Math.imul(pair(text, at + 6), C4), 18), C1);
    d = (Math.imul((rotate(d, 13) + a) | 0, 5) + 0x32ac3b17) | 0;
  }
  const length = text.length;
  a = finish((a ^ length) + (b ^ length) + (c ^ length) + (d ^ length));
  b = finish((b ^ length) + a);
  c = finish((c ^ length) + a);
  d = finish((d ^ length) + a);
  into[0] = a + b + c + d;
  into[1] = b + a;
  into[2] = c + a;
  into[3] = d + a;
}
