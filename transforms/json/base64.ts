/**
 * Decodes base64 from the bytes of a JSON string, piece by piece, so that giant data never becomes a JavaScript string.
 * Follows https://infra.spec.whatwg.org/#forgiving-base64-decode: white space may occur anywhere, and padding may be
 * absent. Also accepts the URL-safe alphabet, which Google's clients write.
 */
import { BACKSLASH, CR, LETTER_U, LF, SPACE } from './bytes.ts';
import { latin1 } from './utf8.ts';

/** A multiple of 3, so that a piece ends where a group of four digits does. */
const PIECE_BYTES = 48 * 1024;
const GROUP_DIGITS = 4;
const MAX_PADDING = 2;

const TAB = 0x09;
const FORM_FEED = 0x0c;
const BACKSPACE = 0x08;
const EQUALS = 0x3d;
/** Bytes of an escape with four hexadecimal digits, and of any other. */
const LONG_ESCAPE = 6;
const SHORT_ESCAPE = 2;

const WHITE: ReadonlySet<number> = new Set([TAB, LF, FORM_FEED, CR, SPACE]);
/** Codes of the letters after a backslash that write another character, and of these characters. */
const ESCAPED: ReadonlyMap<number, number> = new Map(
  [...'bfnrt'].map((letter, i) => [letter.charCodeAt(0), [BACKSPACE, FORM_FEED, LF, CR, TAB][i] as number]),
);

/** Values of the digits by byte; -1 for other bytes. */
const DIGITS = new Int32Array(256).fill(-1);
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
[...ALPHABET].forEach((digit, value) => {
  DIGITS[digit.charCodeAt(0)] = value;
});
DIGITS['-'.charCodeAt(0)] = DIGITS['+'.charCodeAt(0)] as number;
DIGITS['_'.charCodeAt(0)] = DIGITS['/'.charCodeAt(0)] as number;

/**
 * @param json holds the inside of a valid JSON string in `[start, end)`
 * @param take receives the decoded bytes in pieces, each valid until it returns
 * @returns the number of decoded bytes; -1 if the text is not base64, possibly after some pieces
 */
export function decodeBase64(
  json: Uint8Array,
  start: number,
  end: number,
  take: (piece: Uint8Array) => void,
): number {
  const decoding = new Base64Decoding(take);
  for (let p = start; p < end; ) {
    p = decoding.groups(json, p, end);
    if (p === end) break;
    const length = json[p] !== BACKSLASH ? 1 : json[p + 1] === LETTER_U ? LONG_ESCAPE : SHORT_ESCAPE;
    if (!decoding.add(length === 1 ? (json[p] as number) : escapedAt(json, p, length))) return -1;
    p += length;
  }
  return decoding.finish();
}

/** The character code of the escape at `p`. */
function escapedAt(json: Uint8Array, p: number, length: number): number {
  const letter = json[p + 1] as number;
  if (length === SHORT_ESCAPE) return ESCAPED.get(letter) ?? letter;
  return Number.parseInt(latin1(json.subarray(p + SHORT_ESCAPE, p + length)), 16);
}

class Base64Decoding {
  readonly #take: (piece: Uint8Array) => void;
  readonly #piece = new Uint8Array(PIECE_BYTES);
  #used = 0;
  #taken = 0;
  /** Values of the digits in the open group, and their number. */
  #bits = 0;
  #digits = 0;
  #padding = 0;

  constructor(take: (piece: Uint8Array) => void) {
    this.#take = take;
  }

  /** Decodes whole groups of unescaped digits. @returns the index after them */
  groups(json: Uint8Array, start: number, end: number): number {
    let p = start;
    if (this.#digits > 0 || this.#padding > 0) return p;
    for (; p + GROUP_DIGITS <= end; p += GROUP_DIGITS) {
      const bits =
        ((DIGITS[json[p] as number] as number) << 18) |
        ((DIGITS[json[p + 1] as number] as number) << 12) |
        ((DIGITS[json[p + 2] as number] as number) << 6) |
        (DIGITS[json[p + 3] as number] as number);
      if (bits < 0) break;
      this.#group(bits);
    }
    return p;
  }

  /** Adds one character. @returns false if it cannot follow those before it */
  add(code: number): boolean {
    if (WHITE.has(code)) return true;
    if (code === EQUALS) return ++this.#padding <= MAX_PADDING;
    const digit = DIGITS[code] ?? -1; // code may be beyond the table
    if (digit < 0 || this.#padding > 0) return false;
    this.#bits = (this.#bits << 6) | digit;
    if (++this.#digits < GROUP_DIGITS) return true;
    this.#group(this.#bits);
    this.#bits = this.#digits = 0;
    return true;
  }

  /** Decodes the last group. @returns the number of all bytes, or -1 */
  finish(): number {
    const digits = this.#digits;
    if (digits === 1 || (this.#padding > 0 && digits + this.#padding !== GROUP_DIGITS)) return -1;
    // two digits hold a byte and 4 more bits, three hold two bytes and 2 more bits
    if (digits === 2) this.#piece[this.#used++] = this.#bits >> 4;
    if (digits === 3) {
      this.#piece[this.#used++] = this.#bits >> 10;
      this.#piece[this.#used++] = this.#bits >> 2;
    }
    this.#flush();
    return this.#taken;
  }

  #group(bits: number): void {
    const piece = this.#piece;
    piece[this.#used++] = bits >> 16;
    piece[this.#used++] = bits >> 8;
    piece[this.#used++] = bits;
    if (this.#used === PIECE_BYTES) this.#flush();
  }

  #flush(): void {
    if (this.#used > 0) this.#take(this.#piece.subarray(0, this.#used));
    this.#taken += this.#used;
    this.#used = 0;
  }
}
