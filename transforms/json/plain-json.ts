/**
 * Writes a JSON string as JSON.stringify does: the same bytes for the same text, however it was escaped. Most strings
 * are written so already, and others differ in few places, so that nothing is decoded.
 */
import { BACKSLASH } from './bytes.ts';

const SLASH = 0x2f;
const LETTER_U = 0x75;
const { indexOf } = Buffer.prototype;

const OUT_BYTES = 64 * 1024;
const out = Buffer.allocUnsafeSlow(OUT_BYTES);
/** Length of an escape with four digits, and of the two of a surrogate pair. */
const ESCAPE_BYTES = 6;
const PAIR_BYTES = 12;
/** Copying fewer bytes one by one takes less time than a call. */
const MAX_LOOP_BYTES = 48;
/** Values of hexadecimal digits. */
const DIGITS = new Uint8Array(128);
for (let digit = 0; digit < 16; digit++) {
  const letter = digit.toString(16);
  DIGITS[letter.charCodeAt(0)] = DIGITS[letter.toUpperCase().charCodeAt(0)] = digit;
}
/** JSON.stringify's escapes of ASCII. */
const ASCII = Array.from({ length: 128 }, (_, unit) =>
  JSON.stringify(String.fromCharCode(unit)).slice(1, -1),
);

/** @param json a valid JSON string with its quotes @returns the string, or pieces that are each valid until the next one */
export function plainJson(json: Uint8Array): Uint8Array | Iterable<Uint8Array> {
  const unit = indexOf.call(json, '\\u');
  const slash = indexOf.call(json, '\\/');
  return unit < 0 && slash < 0 ? json : pieces(json, unit, slash);
}

/** @param unit index of the first `\u` @param slash index of the first `\/`; -1 if there is none */
function* pieces(json: Uint8Array, unit: number, slash: number): Generator<Uint8Array> {
  let [nextUnit, nextSlash] = [unit, slash];
  let read = 0;
  let written = 0;
  while (nextUnit >= 0 || nextSlash >= 0) {
    const isSlash = nextUnit < 0 || (nextSlash >= 0 && nextSlash < nextUnit);
    const at = isSlash ? nextSlash : nextUnit;
    const length = isEscaped(json, at) ? 0 : isSlash ? 2 : lengthOfEscape(json, at);
    if (length > 0) {
      if (written + at - read + PAIR_BYTES > OUT_BYTES) {
        yield out.subarray(0, written);
        yield json.subarray(read, at);
        read = at;
        written = 0;
      }
      written = copy(json, read, at, written);
      written = put(isSlash ? SLASH : codeAt(json, at, length), written);
      read = at + length;
    }
    const from = at + Math.max(length, 1);
    if (isSlash) nextSlash = indexOf.call(json, '\\/', from);
    else if (json[from] === BACKSLASH && json[from + 1] === LETTER_U)
      nextUnit = from; // escapes often follow each other
    else nextUnit = indexOf.call(json, '\\u', from);
  }
  yield out.subarray(0, written);
  yield json.subarray(read);
}

/** Returns whether the backslash at `at` is itself escaped. */
function isEscaped(json: Uint8Array, at: number): boolean {
  let first = at;
  while (json[first - 1] === BACKSLASH) first--;
  return (at - first) % 2 === 1;
}

/** Copies bytes to `out`. @returns the index after them */
function copy(json: Uint8Array, from: number, to: number, at: number): number {
  if (to - from > MAX_LOOP_BYTES) out.set(json.subarray(from, to), at);
  else for (let p = from; p < to; p++) out[at + p - from] = json[p] as number;
  return at + to - from;
}

const lengthOfEscape = (json: Uint8Array, at: number): number =>
  isHigh(unitAt(json, at)) && lowSurrogateAt(json, at + ESCAPE_BYTES) > 0 ? PAIR_BYTES : ESCAPE_BYTES;

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;

/** Returns the character of an escape of this length. */
function codeAt(json: Uint8Array, at: number, length: number): number {
  const unit = unitAt(json, at);
  if (length === ESCAPE_BYTES) return unit;
  return 0x10000 + ((unit - 0xd800) << 10) + lowSurrogateAt(json, at + ESCAPE_BYTES) - 0xdc00;
}

/** Returns the code unit of the escape at `at`. */
function unitAt(json: Uint8Array, at: number): number {
  let unit = 0;
  for (let p = at + 2; p < at + ESCAPE_BYTES; p++) unit = unit * 16 + (DIGITS[json[p] as number] as number);
  return unit;
}

/** Returns the second half of a surrogate pair, or 0 if there is none at `at`. */
function lowSurrogateAt(json: Uint8Array, at: number): number {
  if (json[at] !== BACKSLASH || json[at + 1] !== LETTER_U) return 0;
  const unit = unitAt(json, at);
  return unit >= 0xdc00 && unit < 0xe000 ? unit : 0;
}

/** Writes a character in UTF-8, or escaped as JSON.stringify does. @returns the index after it */
function put(code: number, at: number): number {
  if (code < 0x80 || (code >= 0xd800 && code < 0xe000)) {
    const text = ASCII[code] ?? `\\u${code.toString(16)}`;
    for (let i = 0; i < text.length; i++) out[at + i] = text.charCodeAt(i);
    return at + text.length;
  }
  let length = 1;
  if (code < 0x800) out[at] = 0xc0 | (code >> 6);
  else if (code < 0x10000) {
    out[at] = 0xe0 | (code >> 12);
    out[at + length++] = 0x80 | ((code >> 6) & 0x3f);
  } else {
    out[at] = 0xf0 | (code >> 18);
    out[at + length++] = 0x80 | ((code >> 12) & 0x3f);
    out[at + length++] = 0x80 | ((code >> 6) & 0x3f);
  }
  out[at + length++] = 0x80 | (code & 0x3f);
  return at + length;
}
