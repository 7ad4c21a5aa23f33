/**
 * A set of 30-bit hashes that is emptied and filled again for each source: an open table, because a Set of numbers is
 * several times slower and leaves its memory to the garbage collector.
 */
const MIN_SLOTS = 16 * 1024;
const GOLDEN = 0x9e3779b1;
const WORD_BITS = 32;

export class HashTable {
  /** Each hash plus one, at the first free slot from its own on. */
  #slots = new Int32Array(MIN_SLOTS);
  #size = 0;
  /** Bits of a word that the number of a slot does not need. */
  #shift = WORD_BITS - Math.log2(MIN_SLOTS);

  get size(): number {
    return this.#size;
  }

  has(hash: number): boolean {
    return this.#slots[this.#slotOf(hash)] !== 0;
  }

  add(hash: number): void {
    const slot = this.#slotOf(hash);
    if (this.#slots[slot] !== 0) return;
    this.#slots[slot] = hash + 1;
    this.#size++;
    if (this.#size * 2 > this.#slots.length) this.#fill(this.#slots.length * 2, () => true);
  }

  /** Keeps the hashes that pass. */
  keep(stays: (hash: number) => boolean): void {
    this.#fill(this.#slots.length, stays);
  }

  clear(): void {
    if (this.#slots.length > MIN_SLOTS) this.#fill(MIN_SLOTS, () => false);
    else this.#slots.fill(0);
    this.#size = 0;
  }

  #slotOf(hash: number): number {
    const slots = this.#slots;
    const last = slots.length - 1;
    let slot = Math.imul(hash, GOLDEN) >>> this.#shift;
    while (slots[slot] !== 0 && slots[slot] !== hash + 1) slot = (slot + 1) & last;
    return slot;
  }

  #fill(length: number, stays: (hash: number) => boolean): void {
    const before = this.#slots;
    this.#slots = new Int32Array(length);
    this.#shift = WORD_BITS - Math.log2(length);
    this.#size = 0;
    for (const slot of before) if (slot !== 0 && stays(slot - 1)) this.add(slot - 1);
  }
}
