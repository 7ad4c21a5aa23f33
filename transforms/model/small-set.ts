/** A set that mostly has one value: it then needs no table, which takes 200 bytes. */
export class SmallSet<T extends string | object> implements Iterable<T> {
  #one: T | undefined;
  #many: Set<T> | undefined;

  get size(): number {
    return this.#many?.size ?? (this.#one === undefined ? 0 : 1);
  }

  has(value: T): boolean {
    return this.#many?.has(value) ?? this.#one === value;
  }

  add(value: T): void {
    if (this.#many !== undefined) this.#many.add(value);
    else if (this.#one === undefined) this.#one = value;
    else if (this.#one !== value) {
      this.#many = new Set([this.#one, value]);
      this.#one = undefined;
    }
  }

  delete(value: T): void {
    if (this.#many !== undefined) this.#many.delete(value);
    else if (this.#one === value) this.#one = undefined;
  }

  [Symbol.iterator](): Iterator<T> {
    return (this.#many ?? (this.#one === undefined ? [] : [this.#one]))[Symbol.iterator]();
  }
}
