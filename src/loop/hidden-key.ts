/** Replaces an API key in texts that come from the endpoint, which may repeat what it was sent. */

const REPLACEMENT = '[key]';
/** Shorter keys (EMPTY, none) are words that a model may write; they protect nothing. */
const MIN_SECRET_CHARS = 8;
const SPECIAL = /[\\^$.*+?()[\]{}|/-]/;
const BYTES_PER_GROUP = 3;

/** Returns a function that replaces the key: as it is, with escapes of JSON or of a URL in it, and in base64. */
export function hideKey(key: string | undefined): (text: string) => string {
  if (key === undefined || key.length < MIN_SECRET_CHARS) return (text) => text;
  const pattern = new RegExp([spelled(key), ...encoded(key).map(spelled)].join('|'), 'g');
  return (text) => text.replace(pattern, REPLACEMENT);
}

/** Matches a text in which any character may be escaped: `\/`, `\u002f`, `%2f`. */
function spelled(text: string): string {
  return Array.from(text, (char) => {
    const literal = SPECIAL.test(char) ? `\\${char}` : char;
    const inUrl = Array.from(Buffer.from(char), (byte) => `%${anyCase(byte.toString(16).padStart(2, '0'))}`);
    const inJson = Array.from({ length: char.length }, (_, i) => {
      const code = char.charCodeAt(i).toString(16).padStart(4, '0');
      return `\\\\u${anyCase(code)}`;
    });
    return `(?:\\\\?${literal}|${inUrl.join('')}|${inJson.join('')})`;
  }).join('');
}

const anyCase = (hex: string): string => hex.replace(/[a-f]/g, (digit) => `[${digit}${digit.toUpperCase()}]`);

/**
 * The characters of base64 that depend on the key alone, at each of its three places in a group of bytes; with both
 * alphabets.
 */
function encoded(key: string): readonly string[] {
  const bytes = Buffer.from(key);
  const texts = Array.from({ length: BYTES_PER_GROUP }, (_, before) => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
      .toString('base64')
      .replaceAll('=', '');
    const isMixedEnd = (before + bytes.length) % BYTES_PER_GROUP !== 0;
    return text.slice(before === 0 ? 0 : before + 1, isMixedEnd ? -1 : undefined);
  });
  return [...new Set(texts.flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_')]))];
}
