/**
 * White space as in Python's `str.strip`: Unicode White_Space and U+001C to U+001F. JavaScript's `\s` differs: it
 * includes U+FEFF, but not U+0085 and U+001C to U+001F.
 */

/** The characters, for use inside a character class of a regular expression. */
export const WHITE_SPACE: string =
  '\\t\\n\\v\\f\\r\\x1c-\\x1f \\x85\\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000';

const CODES = String.fromCharCode(...Array(0x3001).keys());
const SPACES = new Set(
  Array.from(CODES.match(new RegExp(`[${WHITE_SPACE}]`, 'g')) ?? [], (c) => c.charCodeAt(0)),
);

/** Whether a UTF-16 code unit is white space. */
export function isSpace(code: number): boolean {
  return code <= 0x3000 && SPACES.has(code);
}

/** Removes white space at both ends, in linear time. */
export function strip(text: string): string {
  return stripEnd(text.slice(skipSpace(text, 0)));
}

/** Removes white space at the end, in linear time. */
export function stripEnd(text: string): string {
  let end = text.length;
  while (end > 0 && isSpace(text.charCodeAt(end - 1))) end--;
  return text.slice(0, end);
}

/** Whether a text has only white space. */
export function isBlank(text: string): boolean {
  return skipSpace(text, 0) === text.length;
}

/** The index of the first character at or after `at` that is not white space. */
export function skipSpace(text: string, at: number): number {
  let p = at;
  while (p < text.length && isSpace(text.charCodeAt(p))) p++;
  return p;
}

/** Counts the words of a text, up to `limit`. */
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
