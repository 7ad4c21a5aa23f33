/**
 * Some encoders write `\/` for a slash, in JSON in JSON with more backslashes. No rule knows that, so values are looked for
 * in the bytes without these backslashes.
 */
import { BACKSLASH } from '../json/bytes.ts';

const ESCAPED_SLASH = '\\/';

export class PlainSlashes {
  /** The bytes without backslashes before slashes: the same if there are none. */
  readonly bytes: Buffer;
  /** Where slashes are that had backslashes, and how many were left out up to each. */
  readonly #slashes: number[] = [];
  readonly #leftOut: number[] = [];

  constructor(bytes: Buffer) {
    const pieces: Buffer[] = [];
    let done = 0;
    let leftOut = 0;
    for (let at = bytes.indexOf(ESCAPED_SLASH); at >= 0; at = bytes.indexOf(ESCAPED_SLASH, at + 1)) {
      const slash = at + 1;
      let start = at;
      while (start > done && bytes[start - 1] === BACKSLASH) start--;
      pieces.push(bytes.subarray(done, start));
      leftOut += slash - start;
      this.#slashes.push(slash - leftOut);
      this.#leftOut.push(leftOut);
      done = slash;
    }
    this.bytes = done === 0 ? bytes : Buffer.concat([...pieces, bytes.subarray(done)]);
  }

  /** Returns the place in the original bytes at which a part of the others begins or ends. */
  original(at: number): number {
    let [low, high] = [0, this.#slashes.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#slashes[middle] as number) < at) low = middle + 1;
      else high = middle;
    }
    return at + (this.#leftOut[low - 1] ?? 0);
  }
}
