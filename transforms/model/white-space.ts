/**
 * White space as Python's `str.strip` defines it: Unicode White_Space and U+001C to U+001F. JS's `\s` differs: it has
 * U+FEFF and lacks U+0085 and U+001C to U+001F.
 */

/** The characters, for a class in a regular expression. */
export const WHITE_SPACE: string =
  '\\t\\n\\v\\f\\r\\x1c-\\x1f \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';

const CODES = String.fromCharCode(...Array(0x3001).keys());
const SPACES = new Set(
  Array.from(CODES.match(new RegExp(`[${WHITE_SPACE}]`, 'g')) ?? [], (c) => c.charCodeAt(0)),
);

/** Is the UTF-16 code unit white space? */
export function isSpace(code: number): boolean {
  return code <= 0x3000 && SPACES.has(code);
}

/** The text without white space at its ends. Linear. */
export function strip(text: string): string {
  let start = 0;
  let end = text.length;
  while (start < end && isSpace(text.charCodeAt(start))) start++;
  while (end > start && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(start, end);
}

/** Is there nothing but white space? */
export function isBlank(text: string): boolean {
  return skipSpace(text, 0) === text.length;
}

/** The index of the first character at or after `at` that is not white space. */
export function skipSpace(text: string, at: number): number {
  let p = at;
  while (p < text.length && isSpace(text.charCodeAt(p))) p++;
  return p;
}

/** Counts the words of the text, up to `limit`. */
export function countWords(text: string, limit: number): number {
  let words = 0;
  let p = skipSpace(text, 0);
  while (p < text.length && words < limit) {
    words++;
    while (p < text.length && !isSpace(text.charCodeAt(p))) p++;
    p = skipSpace(text, p);
  }
  return words;
}
