/** Finds a conversation by the hash of a prefix of its messages. Most traces have one conversation, which needs no table. */
import type { Leaf } from './gathered-leaf.ts';

const MAX_LISTED = 16;
const NONE: readonly string[] = [];

export class LeavesByPrefix {
  /** The only conversation, and the hashes of its prefixes. */
  #only: Leaf | undefined;
  #hashes = NONE;
  #all: Map<string, Leaf> | undefined;

  get(hash: string): Leaf | undefined {
    if (this.#all !== undefined) return this.#all.get(hash);
    return this.#hashes.includes(hash) ? this.#only : undefined;
  }

  /** Sets the conversation for all hashes of its prefixes. */
  add(hashes: readonly string[], leaf: Leaf): void {
    const isOnly = this.#all === undefined && hashes.length <= MAX_LISTED;
    if (isOnly && this.#hashes.every((hash) => hashes.includes(hash))) {
      this.#only = leaf;
      this.#hashes = [...hashes];
    } else for (const hash of hashes) this.set(hash, leaf);
  }

  set(hash: string, leaf: Leaf): void {
    this.#table().set(hash, leaf);
  }

  delete(hash: string): void {
    this.#table().delete(hash);
  }

  clear(): void {
    this.#only = this.#all = undefined;
    this.#hashes = NONE;
  }

  #table(): Map<string, Leaf> {
    if (this.#all !== undefined) return this.#all;
    const leaf = this.#only as Leaf;
    this.#all = new Map(this.#hashes.map((hash) => [hash, leaf]));
    this.#only = undefined;
    this.#hashes = NONE;
    return this.#all;
  }
}
