/** Finds a conversation by the hash of a prefix of its messages. Most traces have one conversation, which needs no table. */
import type { Leaf } from './gathered-leaf.ts';

const MAX_LISTED = 16;
const NONE: readonly string[] = [];

export class LeavesByPrefix {
  /** The only conversation, and the hashes of its prefixes besides those that it has itself. */
  #only: Leaf | undefined;
  #hashes = NONE;
  #all: Map<string, Leaf> | undefined;

  get(hash: string): Leaf | undefined {
    if (this.#all !== undefined) return this.#all.get(hash);
    const only = this.#only;
    return hash === only?.end || hash === only?.question || this.#hashes.includes(hash) ? only : undefined;
  }

  /** Sets the conversation for all hashes of its prefixes. */
  add(hashes: readonly string[], leaf: Leaf): void {
    if (hashes.length === 0) return;
    const isOnly = this.#all === undefined && hashes.length <= MAX_LISTED;
    if (isOnly && this.#known().every((hash) => hashes.includes(hash))) {
      this.#only = leaf;
      const more = hashes.filter((hash) => hash !== leaf.end && hash !== leaf.question);
      this.#hashes = more.length === 0 ? NONE : [...more]; // exact in size, which `filter` is not
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

  #known(): readonly string[] {
    const { end, question } = this.#only ?? {};
    return [
      ...this.#hashes,
      ...(end === undefined ? [] : [end]),
      ...(question === undefined ? [] : [question]),
    ];
  }

  #table(): Map<string, Leaf> {
    if (this.#all !== undefined) return this.#all;
    const leaf = this.#only as Leaf;
    this.#all = new Map(this.#known().map((hash) => [hash, leaf]));
    this.#only = undefined;
    this.#hashes = NONE;
    return this.#all;
  }
}
