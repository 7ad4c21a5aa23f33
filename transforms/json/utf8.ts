/** Decodes validated JSON text, and finds bytes that are not UTF-8. */
import { BACKSLASH, LETTER_U } from './bytes.ts';
import { pooledText } from './keep.ts';

/** Node's internal slices: they take any Uint8Array, and a tenth of the time of a TextDecoder for short texts. */
const { utf8Slice, latin1Slice } = Buffer.prototype as unknown as Record<
  'utf8Slice' | 'latin1Slice',
  (this: Uint8Array, start: number, end: number) => string
>;

const { indexOf } = Buffer.prototype;

/** UTF-8 of a string without lone surrogates (JSON text never has them: JSON.stringify escapes them). */
export const encode: (text: string) => Uint8Array = pooledText;

/** The JSON of an empty text. */
export const NO_TEXT: Uint8Array = encode('""');
/** The JSON of the arguments of a call without any: an empty object in a string. */
export const NO_ARGUMENTS: Uint8Array = encode('"{}"');

/** The text of bytes that are known to be UTF-8. */
export function decode(bytes: Uint8Array): string {
  return utf8Slice.call(bytes, 0, bytes.length);
}

/** One character per byte, for searching ASCII without decoding. */
export function latin1(bytes: Uint8Array): string {
  return latin1Slice.call(bytes, 0, bytes.length);
}

/** The value of valid JSON text. Numbers are rounded: never write them back. */
export function parseJson(bytes: Uint8Array): unknown {
  return JSON.parse(decode(bytes));
}

/** The value of the valid JSON string in `[start, end)`, quotes included. */
export function parseString(bytes: Uint8Array, start: number, end: number): string {
  for (let p = start + 1; p < end - 1; p++) {
    const byte = bytes[p] as number;
    if (byte >= 0x80 || byte === BACKSLASH) return JSON.parse(utf8Slice.call(bytes, start, end)) as string;
  }
  return latin1Slice.call(bytes, start + 1, end - 1);
}

const PIECE_BYTES = 64 * 1024;
const FIRST_OF_SEQUENCE = 0x80;
const LETTER_D = 0x64;
/** Makes a letter lower case. */
const LOWER_CASE = 0x20;
const SURROGATE_PAIR = /^\\ud[89ab]..\\ud[c-f]/i;
/** Length of an escape with four digits, and of the two of a surrogate pair. */
const ESCAPE_BYTES = 6;
const PAIR_BYTES = 12;

/** The value of a valid JSON string with its quotes, in pieces: a giant one is never decoded as a whole. */
export function* textPieces(json: Uint8Array): Generator<string> {
  const end = json.length - 1;
  for (let from = 1; from < end; ) {
    let to = from;
    while (to < end && to - from < PIECE_BYTES) to += tokenLength(json, to);
    yield JSON.parse(`"${utf8Slice.call(json, from, to)}"`) as string;
    from = to;
  }
}

/** Length of the character at `at` in bytes: as UTF-8, as an escape, or as the two escapes of a surrogate pair. */
function tokenLength(json: Uint8Array, at: number): number {
  const byte = json[at] as number;
  if (byte >= FIRST_OF_SEQUENCE) return sequenceLength(json, at);
  if (byte !== BACKSLASH) return 1;
  if (json[at + 1] !== LETTER_U) return 2;
  if (((json[at + 2] as number) | LOWER_CASE) !== LETTER_D) return ESCAPE_BYTES;
  const escapes = latin1Slice.call(json, at, Math.min(at + PAIR_BYTES, json.length));
  return SURROGATE_PAIR.test(escapes) ? PAIR_BYTES : ESCAPE_BYTES;
}

/**
 * May a string of this JSON text contain the ASCII word? True may be wrong, because any ASCII escape could be part of
 * it; false is certain.
 */
export function mayHold(json: Uint8Array, word: string): boolean {
  return indexOf.call(json, word) >= 0 || indexOf.call(json, '\\u00') >= 0;
}

/** The length of the UTF-8 sequence whose lead byte is at `p`, or 0 if it is malformed. */
export function sequenceLength(bytes: Uint8Array, p: number): number {
  const lead = bytes[p] as number;
  const second = bytes[p + 1] as number;
  if (lead < 0xc2 || lead > 0xf4 || (second & 0xc0) !== 0x80) return 0;
  if (lead < 0xe0) return 2;
  if (((bytes[p + 2] as number) & 0xc0) !== 0x80) return 0;
  if (lead < 0xf0) return (lead === 0xe0 && second < 0xa0) || (lead === 0xed && second > 0x9f) ? 0 : 3;
  if (((bytes[p + 3] as number) & 0xc0) !== 0x80) return 0;
  return (lead === 0xf0 && second < 0x90) || (lead === 0xf4 && second > 0x8f) ? 0 : 4;
}

/** The index of the first byte that is not well-formed UTF-8, or -1. */
export function invalidUtf8At(bytes: Uint8Array): number {
  for (let p = 0; p < bytes.length; ) {
    const length = (bytes[p] as number) < 0x80 ? 1 : sequenceLength(bytes, p);
    if (length === 0) return p;
    p += length;
  }
  return -1;
}

const KNOWN_SLOTS = 256;
const MAX_KNOWN = 64;
const known: (string | undefined)[] = new Array<string | undefined>(KNOWN_SLOTS).fill(undefined);

/**
 * `parseString` for short texts that repeat, such as keys, roles and ids: compares with a known string instead of
 * creating a new one.
 */
export function knownText(bytes: Uint8Array, start: number, end: number): string {
  const length = end - start - 2;
  if (length > MAX_KNOWN) return parseString(bytes, start, end);
  const slot = (length * 7 + (bytes[start + 1] as number)) % KNOWN_SLOTS;
  const before = known[slot];
  if (before !== undefined && spells(bytes, start + 1, end - 1, before)) return before;
  const text = parseString(bytes, start, end);
  if (text.length === length) known[slot] = text; // plain ASCII: an escape or a sequence would be longer than its text
  return text;
}

/** Do the bytes in `[start, end)` spell this ASCII text? */
export function spells(bytes: Uint8Array, start: number, end: number, text: string): boolean {
  const { length } = text;
  if (end - start !== length) return false;
  for (let i = 0; i < length; i++) if (bytes[start + i] !== text.charCodeAt(i)) return false;
  return true;
}
