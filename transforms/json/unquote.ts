/** The text of a JSON string as bytes, for JSON that a log has in a string. */
import { BACKSLASH, LETTER_U } from './bytes.ts';
import { pooled } from './keep.ts';

/** The bytes of the escapes of one letter. */
const ESCAPED = new Uint8Array(256);
for (const [letter, byte] of ['""', '\\\\', '//', 'b\b', 'f\f', 'n\n', 'r\r', 't\t'])
  ESCAPED[(letter as string).charCodeAt(0)] = (byte as string).charCodeAt(0);
const DIGITS = 4;

/**
 * The text of a valid JSON string, with its quotes, as UTF-8 in new bytes that are soon copied again. A lone surrogate has
 * no UTF-8: it stays an escape, which a JSON text may have in its strings.
 */
export function unquote(json: Uint8Array): Uint8Array {
  const end = json.length - 1;
  const text = pooled(end - 1); // an escape is never shorter than its character
  let length = 0;
  for (let p = 1; p < end; p++) {
    const byte = json[p] as number;
    if (byte !== BACKSLASH) {
      text[length++] = byte;
      continue;
    }
    const letter = json[++p] as number;
    if (letter !== LETTER_U) {
      text[length++] = ESCAPED[letter] as number;
      continue;
    }
    let unit = unitAt(json, p + 1);
    p += DIGITS;
    if (isHigh(unit) && json[p + 1] === BACKSLASH && json[p + 2] === LETTER_U) {
      const low = unitAt(json, p + 3);
      if (isLow(low)) {
        unit = 0x10000 + ((unit - 0xd800) << 10) + (low - 0xdc00);
        p += DIGITS + 2;
      }
    }
    length = put(text, length, unit);
  }
  return text.subarray(0, length);
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;
const isLow = (unit: number): boolean => unit >= 0xdc00 && unit < 0xe000;

function unitAt(json: Uint8Array, at: number): number {
  let unit = 0;
  for (let i = at; i < at + DIGITS; i++) {
    const digit = json[i] as number;
    unit = unit * 16 + (digit & 0xf) + (digit >= 0x41 ? 9 : 0);
  }
  return unit;
}

/** Writes a character. @returns the index after it */
function put(text: Uint8Array, at: number, point: number): number {
  let next = at;
  if (isHigh(point) || isLow(point)) {
    for (const letter of `\\u${point.toString(16)}`) text[next++] = letter.charCodeAt(0);
  } else if (point < 0x80) text[next++] = point;
  else {
    if (point < 0x800) text[next++] = 0xc0 | (point >> 6);
    else {
      if (point < 0x10000) text[next++] = 0xe0 | (point >> 12);
      else {
        text[next++] = 0xf0 | (point >> 18);
        text[next++] = 0x80 | ((point >> 12) & 0x3f);
      }
      text[next++] = 0x80 | ((point >> 6) & 0x3f);
    }
    text[next++] = 0x80 | (point & 0x3f);
  }
  return next;
}
