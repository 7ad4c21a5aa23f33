/**
 * Makes text from outside (names, ids, paths) safe for one line of a log or a terminal: nothing in it can move the
 * cursor, end the line or reverse the direction of text.
 */

/** Controls, DEL, the 8-bit controls, line and paragraph separators, bidi embeddings and isolates, lone surrogates. */
const UNSAFE: RegExp =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: this pattern has to match control characters.
  /[\u0000-\u001f\u007f-\u009f\u2028\u2029\u202a-\u202e\u2066-\u2069\u200e\u200f\ufeff]|\p{Cs}/gu;

/** Replaces each unsafe character by `\uXXXX`, which inside a JSON string means the same. */
export function printable(text: string): string {
  return text.replace(UNSAFE, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
