/**
 * Some encoders escape more than they must: `\/` for a slash, `\u003d` for `=` (Gson), `\u002B` and `\u0022` (.NET), in
 * JSON in JSON with more backslashes. No rule knows that, so values are looked for in bytes as other encoders write them.
 */
import { BACKSLASH, DELETE, SPACE } from '../json/bytes.ts';

const ESCAPED_SLASH = '\\/';
const ESCAPED_ASCII = '\\u00';
/** Bytes that other encoders escape too, and the letter that they write. */
const SHORT: ReadonlyMap<number, string> = new Map([
  [0x22, '"'],
  [0x09, 't'],
  [0x0a, 'n'],
  [0x0d, 'r'],
]);

/** Bytes of which one is left. */
interface Escape {
  readonly start: number;
  readonly end: number;
  readonly left: string;
}

export class PlainEscapes {
  /** The bytes without these escapes: the same if there are none. */
  readonly bytes: Buffer;
  /** Where the bytes are that were escaped, and how many were left out up to each. */
  readonly #places: number[] = [];
  readonly #leftOut: number[] = [];

  constructor(bytes: Buffer) {
    const pieces: Buffer[] = [];
    let done = 0;
    let leftOut = 0;
    for (const { start, end, left } of escapesIn(bytes)) {
      pieces.push(bytes.subarray(done, start), Buffer.from(left, 'latin1'));
      leftOut += end - start - 1;
      this.#places.push(end - 1 - leftOut);
      this.#leftOut.push(leftOut);
      done = end;
    }
    this.bytes = done === 0 ? bytes : Buffer.concat([...pieces, bytes.subarray(done)]);
  }

  /** Returns the place in the original bytes at which a part of the others begins or ends. */
  original(at: number): number {
    let [low, high] = [0, this.#places.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((this.#places[middle] as number) < at) low = middle + 1;
      else high = middle;
    }
    return at + (this.#leftOut[low - 1] ?? 0);
  }
}

function* escapesIn(bytes: Buffer): Generator<Escape> {
  const next = (text: string, from: number): number => {
    const at = bytes.indexOf(text, from);
    return at < 0 ? Infinity : at;
  };
  let slash = next(ESCAPED_SLASH, 0);
  let ascii = next(ESCAPED_ASCII, 0);
  while (slash !== ascii) {
    if (slash < ascii) {
      yield { start: runStart(bytes, slash), end: slash + ESCAPED_SLASH.length, left: '/' };
      slash = next(ESCAPED_SLASH, slash + 1);
    } else {
      const found = asciiAt(bytes, ascii);
      if (found !== undefined) yield found;
      ascii = next(ESCAPED_ASCII, ascii + 1);
    }
  }
}

/** Returns the escape of a visible byte, of which only the byte is left, or of one in `SHORT`; a backslash stays escaped. */
function asciiAt(bytes: Buffer, at: number): Escape | undefined {
  const end = at + ESCAPED_ASCII.length + 2;
  const digits = bytes.toString('latin1', end - 2, end);
  if (!/^[0-9a-f]{2}$/i.test(digits)) return undefined;
  const byte = Number.parseInt(digits, 16);
  const letter = SHORT.get(byte);
  if (letter !== undefined) return { start: at + 1, end, left: letter };
  if (byte < SPACE || byte >= DELETE || byte === BACKSLASH) return undefined;
  return { start: runStart(bytes, at), end, left: String.fromCharCode(byte) };
}

/** Returns the beginning of the backslashes that end at a place. */
function runStart(bytes: Buffer, at: number): number {
  let start = at;
  while (bytes[start - 1] === BACKSLASH) start--;
  return start;
}
