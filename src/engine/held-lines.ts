/**
 * Keeps copies of the lines of a session while the shortcut reads it: if a line is odd, the stages read the session
 * from its start.
 */

import type { Line } from '../../transforms/model/element.ts';

/** Sessions with more bytes are left to the stages. */
const MAX_BYTES = 64 * 1024 * 1024;
const FIRST_BYTES = 64 * 1024;

export class HeldLines {
  #bytes = new Uint8Array(0);
  #used = 0;
  #origins: Line['origin'][] = [];

  /** Offset of the first line. */
  get offset(): number | undefined {
    return this.#origins[0]?.offset;
  }

  /** Copies a line. @returns false if that would exceed the limit */
  add({ bytes, origin }: Line): boolean {
    const end = this.#used + bytes.length;
    if (end > MAX_BYTES) return false;
    if (end > this.#bytes.length) this.#grow(end);
    this.#bytes.set(bytes, this.#used);
    this.#used = end;
    this.#origins.push(origin);
    return true;
  }

  /** Returns the lines and removes them. Their bytes are valid until the next `add`. */
  take(): readonly Line[] {
    let at = 0;
    const lines = this.#origins.map((origin): Line => {
      at += origin.length;
      return { kind: 'line', origin, bytes: this.#bytes.subarray(at - origin.length, at) };
    });
    this.clear();
    return lines;
  }

  clear(): void {
    this.#used = 0;
    this.#origins.length = 0;
  }

  /** Removes the lines and frees the memory. */
  release(): void {
    this.clear();
    this.#bytes = new Uint8Array(0);
  }

  #grow(needed: number): void {
    const grown = new Uint8Array(Math.min(MAX_BYTES, Math.max(FIRST_BYTES, needed * 2)));
    grown.set(this.#bytes.subarray(0, this.#used));
    this.#bytes = grown;
  }
}
