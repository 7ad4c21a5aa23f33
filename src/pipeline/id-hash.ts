/** Session ids as 128 bits of their SHA-256: sets of them live as long as a source, and an id may be of any length. */
import { hash } from 'node:crypto';

const BYTES = 16;

/** A character for each byte. */
export function idHash(id: string): string {
  return hash('sha256', id, 'binary').slice(0, BYTES);
}
