/**
 * A set of ids in 9 to 19 bytes each, for the ids of all sessions of a source. It stores 64 bits of a random hash of each
 * key (id-table.ts). Ids with the same hash cannot be chosen on purpose, because its tables are drawn when they are first
 * used; the chance that two of a million ids have the same one is 1 in 30 million.
 *
 * It grows by linear hashing: as ids are added, one page after the other is split in two. A table that doubles needs three
 * times the room while it grows, and leaves its former memory to the garbage collector.
 */
import { fillKey, KEY_BYTES, randomWords } from './id-table.ts';

const BYTE_VALUES = 256;
/** The first word of a hash chooses the slot, the second one the page. */
const WORDS = 2;
const PAGE_WORDS = 4096;
/** Words on a page that are used on average. Pages that are not split yet have up to four thirds of them. */
const MEAN_WORDS = 0.65 * PAGE_WORDS;
const MAX_WORDS = PAGE_WORDS - WORDS;
/**
 * Pages of a block. Memory is allocated in blocks of a megabyte, because the allocator returns these to the system when
 * the source has ended, and keeps smaller ones.
 */
const BLOCK_PAGES = 64;

/**
 * Random words, two for each value of each byte of a key: a hash is the XOR of those of its bytes. Drawn on first use,
 * because most sources have few sessions.
 */
let scatter: Uint32Array | undefined;

/** The hash being looked up. */
const hash = new Uint32Array(WORDS);

function setHash(id: string): void {
  const key = fillKey(id);
  scatter ??= randomWords(WORDS * KEY_BYTES * BYTE_VALUES);
  let first = 0;
  let second = 0;
  for (let i = 0; i < KEY_BYTES; i++) {
    const at = (i * BYTE_VALUES + (key[i] as number)) * WORDS;
    first ^= scatter[at] as number;
    second ^= scatter[at + 1] as number;
  }
  hash[0] = first === 0 ? 1 : first; // a slot with 0 is free
  hash[1] = second;
}

/** The words of a page that is being split. */
const scratch = new Uint32Array(PAGE_WORDS);

/** Hashes by open addressing. */
class Page {
  readonly #words: Uint32Array;
  #used = 0;

  /** @param words all 0 */
  constructor(words: Uint32Array) {
    this.#words = words;
  }

  get isFull(): boolean {
    return this.#used >= MAX_WORDS;
  }

  has(first: number, second: number): boolean {
    return this.#words[this.#find(first, second)] !== 0;
  }

  /** @returns whether it is new */
  add(first: number, second: number): boolean {
    const at = this.#find(first, second);
    if (this.#words[at] !== 0) return false;
    this.#words[at] = first;
    this.#words[at + 1] = second;
    this.#used += WORDS;
    return true;
  }

  /** Moves the hashes whose second word has a bit to another page. */
  split(bit: number, to: Page): void {
    scratch.set(this.#words);
    this.#words.fill(0);
    this.#used = 0;
    for (let at = 0; at < PAGE_WORDS; at += WORDS) {
      const first = scratch[at] as number;
      const second = scratch[at + 1] as number;
      if (first !== 0) ((second & bit) === 0 ? this : to).add(first, second);
    }
  }

  /** Where a hash is, or the free slot for it. */
  #find(first: number, second: number): number {
    const words = this.#words;
    let at = (first * WORDS) % PAGE_WORDS;
    while (words[at] !== 0 && (words[at] !== first || words[at + 1] !== second))
      at = (at + WORDS) % PAGE_WORDS;
    return at;
  }
}

export class IdSet {
  readonly #pages: Page[] = [];
  /** A power of two: the number of pages before the current round of splits. */
  #round = 1;
  #size = 0;
  /** The block of the newest page. */
  #block: ArrayBuffer | undefined;

  get size(): number {
    return this.#size;
  }

  has(id: string): boolean {
    if (this.#size === 0) return false;
    setHash(id);
    return this.#pageOf(hash[1] as number).has(hash[0] as number, hash[1] as number);
  }

  add(id: string): void {
    setHash(id);
    if (this.#pages.length === 0) this.#pages.push(this.#newPage());
    const [first, second] = [hash[0] as number, hash[1] as number];
    while (this.#pageOf(second).isFull) this.#split();
    if (!this.#pageOf(second).add(first, second)) return;
    this.#size++;
    if (this.#size * WORDS > this.#pages.length * MEAN_WORDS) this.#split();
  }

  clear(): void {
    this.#pages.length = this.#size = 0;
    this.#round = 1;
    this.#block = undefined;
  }

  #newPage(): Page {
    const pageBytes = PAGE_WORDS * Uint32Array.BYTES_PER_ELEMENT;
    const at = this.#pages.length % BLOCK_PAGES;
    if (at === 0 || this.#block === undefined) this.#block = new ArrayBuffer(BLOCK_PAGES * pageBytes);
    return new Page(new Uint32Array(this.#block, at * pageBytes, PAGE_WORDS));
  }

  #pageOf(second: number): Page {
    const number = second & (2 * this.#round - 1);
    return this.#pages[number < this.#pages.length ? number : number - this.#round] as Page;
  }

  /** Splits the next page. */
  #split(): void {
    const page = this.#newPage();
    this.#pages[this.#pages.length - this.#round]?.split(this.#round, page);
    this.#pages.push(page);
    if (this.#pages.length === 2 * this.#round) this.#round *= 2;
  }
}
