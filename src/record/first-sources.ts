/**
 * Remembers the source in which each id first occurred. It is a hash table in one typed array, because a run may have a
 * million ids, and a Map takes three times the memory. An id takes 40 to 80 bytes, and 120 while the table grows.
 */
const HASH_WORDS = 4;
/** A slot holds the hash, and the index of the source plus 1; 0 marks a free slot. */
const SLOT_WORDS = HASH_WORDS + 1;
const FIRST_SLOTS = 1024;

export class FirstSources {
  #slots = FIRST_SLOTS;
  #words = new Uint32Array(FIRST_SLOTS * SLOT_WORDS);
  readonly #key = new Uint32Array(HASH_WORDS);
  readonly #most: number;
  #used = 0;

  /** @param most number of ids that are remembered; any other is new each time */
  constructor(most: number = Number.POSITIVE_INFINITY) {
    this.#most = most;
  }

  /**
   * Returns the index of the first source with the id: `source`, if the id is new.
   * @param isLast whether no source follows, so that a new id need not be remembered
   */
  of(id: string, source: number, isLast: boolean): number {
    const key = this.#key;
    quickHash(id, key);
    let at = this.#find(key);
    const known = this.#words[at + HASH_WORDS] as number;
    if (known > 0) return known - 1;
    if (isLast || this.#used >= this.#most) return source;
    if (this.#used * 2 >= this.#slots) {
      this.#grow();
      at = this.#find(key);
    }
    this.#words.set(key, at);
    this.#words[at + HASH_WORDS] = source + 1;
    this.#used++;
    return source;
  }

  /** Returns where the slot of a hash begins, or the free slot for it. */
  #find(key: Uint32Array): number {
    for (let slot = (key[0] as number) % this.#slots; ; slot = (slot + 1) % this.#slots) {
      const at = slot * SLOT_WORDS;
      if (this.#words[at + HASH_WORDS] === 0 || this.#isAt(at, key)) return at;
    }
  }

  #isAt(at: number, key: Uint32Array): boolean {
    for (let i = 0; i < HASH_WORDS; i++) if (this.#words[at + i] !== key[i]) return false;
    return true;
  }

  #grow(): void {
    const before = this.#words;
    this.#slots *= 2;
    this.#words = new Uint32Array(this.#slots * SLOT_WORDS);
    for (let at = 0; at < before.length; at += SLOT_WORDS) {
      if (before[at + HASH_WORDS] === 0) continue;
      const slot = before.subarray(at, at + SLOT_WORDS);
      this.#words.set(slot, this.#find(slot));
    }
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
