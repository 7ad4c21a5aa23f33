/**
 * A set of texts of any length that stores long ones as 128 bits of their SHA-256: ids and names may be as long as a
 * line, and such a set lives as long as a source or a run. Cryptographic, because two ids with one hash would cost a
 * session.
 */
import { createHash, hash } from 'node:crypto';

const HASH_BYTES = 16;
/** Texts up to this length are their own key: a hash would take as much memory, and time. */
const LONGEST_KEY = 40;
/** Prefix of the keys of hashed texts only. */
const MARK = '\0';

export class HashedSet {
  readonly #keys = new Set<string>();

  get size(): number {
    return this.#keys.size;
  }

  has(text: string): boolean {
    return this.#keys.size > 0 && this.#keys.has(keyOf(text));
  }

  /** Adds the text, or the bytes; returns whether they are new. A set holds one or the other. */
  add(text: string | Uint8Array): boolean {
    const before = this.#keys.size;
    return this.#keys.add(keyOf(text)).size > before;
  }

  clear(): void {
    this.#keys.clear();
  }
}

/** Key of a text in a set: short, and different for every text. */
export function keyOf(text: string | Uint8Array): string {
  if (typeof text === 'string' && text.length <= LONGEST_KEY && !text.startsWith(MARK)) return text;
  return MARK + hashOf(text).toString('latin1');
}

/** 128 bits. UTF-16, because UTF-8 cannot encode lone surrogates. */
export function hashOf(text: string | Uint8Array): Buffer {
  const bytes = typeof text === 'string' ? Buffer.from(text, 'utf16le') : text;
  return hash('sha256', bytes, 'buffer').subarray(0, HASH_BYTES);
}

/** The same hash, of a text that comes in pieces. */
export function hashOfPieces(pieces: Iterable<string>): Buffer {
  const all = createHash('sha256');
  for (const piece of pieces) all.update(Buffer.from(piece, 'utf16le'));
  return all.digest().subarray(0, HASH_BYTES);
}
