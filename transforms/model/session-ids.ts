/**
 * The ids of the sessions of a source that have ended. A source may have millions: beyond the first ones, an id takes 9
 * to 19 bytes, where one in a set of strings takes 100.
 */
import { HashedSet } from './hashed-set.ts';
import { IdSet } from './id-set.ts';

/** Few ids are kept as they are, which takes less time than a key. */
const MAX_FIRST = 4_096;

export class SessionIds {
  readonly #first = new HashedSet();
  readonly #rest = new IdSet();

  get size(): number {
    return this.#first.size + this.#rest.size;
  }

  has(id: string): boolean {
    return this.#first.has(id) || this.#rest.has(id);
  }

  add(id: string): void {
    if (this.#first.size < MAX_FIRST) this.#first.add(id);
    else if (!this.#first.has(id)) this.#rest.add(id);
  }

  clear(): void {
    this.#first.clear();
    this.#rest.clear();
  }
}
