/** Session ids as 128 bits of their SHA-256: sets of them live as long as a run, and an id may be of any length. */
import { createHash } from 'node:crypto';

const BYTES = 16;

export function idHash(id: string): Buffer {
  return createHash('sha256').update(id).digest().subarray(0, BYTES);
}

/** The same as the key of a map: a character for each byte. */
export function idKey(id: string): string {
  return idHash(id).toString('latin1');
}
