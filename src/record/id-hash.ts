/** Session ids as 128 bits of their SHA-256: sets of them live as long as a run, and an id may be of any length. */
import { hash } from 'node:crypto';

const BYTES = 16;

/** Returns a string with one character for each byte. A Buffer would take four times as long. */
export function idHash(id: string): string {
  return hash('sha256', id, 'binary').slice(0, BYTES);
}
