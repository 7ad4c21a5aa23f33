/**
 * A set of texts that keeps 128 bits of each one's SHA-256: ids and names may be as long as a line, and a set that lives as long as a
 * source or a run must not hold them. Cryptographic, because two ids with one hash would cost a session.
 */
import { createHash } from 'node:crypto';

const HASH_BYTES = 16;

export class HashedSet {
  readonly #hashes = new Set<string>();

  get size(): number {
    return this.#hashes.size;
  }

  has(text: string | Uint8Array): boolean {
    return this.#hashes.size > 0 && this.#hashes.has(hashOf(text));
  }

  /** Returns whether the text is new. */
  add(text: string | Uint8Array): boolean {
    const before = this.#hashes.size;
    return this.#hashes.add(hashOf(text)).size > before;
  }

  clear(): void {
    this.#hashes.clear();
  }
}

/** 128 bits as a string of 16 characters. UTF-16 tells lone surrogates apart, which UTF-8 cannot write. */
export function hashOf(text: string | Uint8Array): string {
  const hash = createHash('sha256');
  if (typeof text === 'string') hash.update(text, 'utf16le');
  else hash.update(text);
  return hash.digest().toString('latin1', 0, HASH_BYTES);
}
