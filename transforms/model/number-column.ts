/** A list of numbers below 2^32, four bytes each. A long one grows by chunks: what is there is not copied, as an array that doubles would do. */
const CHUNK = 16_384;
/** Most logs are short: the first chunk begins with this length and doubles. */
const FIRST = 64;

export class NumberColumn {
  readonly #chunks: Uint32Array[] = [];

  /** The number at an index; 0 where none was set. */
  at(index: number): number {
    return this.#chunks[Math.floor(index / CHUNK)]?.[index % CHUNK] ?? 0;
  }

  set(index: number, value: number): void {
    const number = Math.floor(index / CHUNK);
    while (this.#chunks.length <= number) this.#chunks.push(new Uint32Array(number === 0 ? FIRST : CHUNK));
    const chunk = this.#chunks[number] as Uint32Array;
    const at = index % CHUNK;
    (at < chunk.length ? chunk : this.#lengthen(number, at))[at] = value;
  }

  clear(): void {
    this.#chunks.length = 0;
  }

  #lengthen(number: number, at: number): Uint32Array {
    const chunk = this.#chunks[number] as Uint32Array;
    let { length } = chunk;
    while (length <= at) length *= 2;
    const longer = new Uint32Array(length);
    longer.set(chunk);
    this.#chunks[number] = longer;
    return longer;
  }
}
