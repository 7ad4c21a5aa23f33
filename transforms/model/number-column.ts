/** A list of numbers below 2^32, four bytes each. Long lists grow by chunks, so that growing copies nothing. */
const CHUNK = 16_384;
/**
 * Initial length of the first chunk, which doubles: most logs are short. V8 keeps arrays of this size in its heap.
 */
const FIRST = 16;
const NONE = new Uint32Array(0);

export class NumberColumn {
  /** The first chunk, and the only one of most columns. */
  #first = NONE;
  readonly #more: Uint32Array[] = [];

  /** The number at an index; 0 if it was never set. */
  at(index: number): number {
    if (index < CHUNK) return this.#first[index] ?? 0;
    return this.#more[Math.floor(index / CHUNK) - 1]?.[index % CHUNK] ?? 0;
  }

  set(index: number, value: number): void {
    if (index < CHUNK) {
      if (index >= this.#first.length) this.#lengthen(index);
      this.#first[index] = value;
      return;
    }
    const number = Math.floor(index / CHUNK) - 1;
    while (this.#more.length <= number) this.#more.push(new Uint32Array(CHUNK));
    (this.#more[number] as Uint32Array)[index % CHUNK] = value;
  }

  clear(): void {
    this.#first = NONE;
    this.#more.length = 0;
  }

  #lengthen(index: number): void {
    let length = Math.max(FIRST, this.#first.length);
    while (length <= index) length *= 2;
    const longer = new Uint32Array(length);
    longer.set(this.#first);
    this.#first = longer;
  }
}
