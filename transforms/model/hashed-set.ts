/**
 * A set of texts that stores long ones as 128 bits of their SHA-256: ids and names may be as long as a line, and a set
 * lives as long as a source or a run. The hash must be cryptographic: if two ids had the same one, a session would be
 * lost.
 */
import { createHash, type Hash, hash } from 'node:crypto';

/** Length of `hashOf`. */
export const HASH_BYTES = 16;
/** Texts up to this length are stored as they are: a hash would take as much memory, and more time. */
const MAX_KEY = 40;
/** Prefix of hashes, so that they differ from all short texts. */
const MARK = '\0';

export class HashedSet {
  #keys = new Set<string>();

  get size(): number {
    return this.#keys.size;
  }

  has(text: string): boolean {
    return this.#keys.size > 0 && this.#keys.has(keyOf(text));
  }

  /** Adds a text or bytes (a set must not mix both). @returns whether it is new */
  add(text: string | Uint8Array): boolean {
    const before = this.#keys.size;
    return this.#keys.add(keyOf(text)).size > before;
  }

  clear(): void {
    this.#keys = new Set();
  }
}

/** A short key for a text or bytes, for use in a set or map. */
export function keyOf(text: string | Uint8Array): string {
  if (typeof text === 'string' && text.length <= MAX_KEY && !text.startsWith(MARK)) return text;
  return MARK + shortHash(text);
}

/** 128 bits of SHA-256. Texts are hashed as UTF-16, because UTF-8 cannot encode lone surrogates. */
export function hashOf(text: string | Uint8Array): Buffer {
  return Buffer.from(shortHash(text), 'latin1');
}

/** Like `hashOf`, with a character for each byte, which takes half the time. */
export function shortHash(text: string | Uint8Array): string {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'utf16le') : text;
  return shortened(hash('sha256', bytes, 'binary'));
}

/** Writes `hashOf` of bytes at this index of a buffer. */
export function putHash(bytes: Uint8Array, to: Buffer, index: number): void {
  to.write(hash('sha256', bytes, 'binary'), index, HASH_BYTES, 'latin1');
}

/** Like `shortHash`, of data in pieces. */
export const shortHashOf = (pieces: Hash): string => shortened(pieces.digest('binary'));

const hashBytes = Buffer.allocUnsafeSlow(HASH_BYTES);

/** Copies the first bytes of a hash: a slice of the text would keep all of it. */
function shortened(whole: string): string {
  hashBytes.write(whole, 'latin1');
  return hashBytes.toString('latin1');
}

/** Computes the SHA-256 of data in pieces. */
export function createSha256(): Hash {
  return createHash('sha256');
}
