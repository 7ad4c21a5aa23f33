/** Makes a name from a log safe to print in a terminal. */

const MAX_LENGTH = 80;

/**
 * Characters that could end a line, move the cursor or reverse the direction of text: controls, separators, bidi marks,
 * lone surrogates.
 */
const UNSAFE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu;

const PLAIN = /^[\w .:/-]*$/;

/** The name in quotes, cut at 80 characters, with unprintable characters escaped; `(no name)` if there is none. */
export function shownName(name: string | undefined): string {
  if (name === undefined) return '(no name)';
  if (name.length <= MAX_LENGTH && PLAIN.test(name)) return `"${name}"`;
  const head = name.slice(0, MAX_LENGTH * 2); // enough for any 80 characters
  const characters = [...head];
  const cut = characters.length > MAX_LENGTH || head.length < name.length;
  const text = characters.slice(0, MAX_LENGTH).join('');
  const safe = text.replace(/["\\]/g, '\\$&').replace(UNSAFE, escapeCharacter);
  return `"${safe}${cut ? '...' : ''}"`;
}

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) as number).toString(16)}}`;
}
