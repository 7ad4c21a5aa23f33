/**
 * Text that came from outside (names, ids, paths), made fit for one line of a log or a terminal: nothing in it moves the
 * cursor, ends the line or turns the text around.
 */

/** Controls, DEL, the 8-bit controls, line and paragraph separators, bidi embeddings and isolates, lone surrogates. */
const UNSAFE: RegExp =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for.
  /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\u200e\u200f\ufeff]|\p{Cs}/gu;

/** Each of them as `\uXXXX`: inside a JSON string it stays the same string. */
export function printable(text: string): string {
  return text.replace(UNSAFE, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
