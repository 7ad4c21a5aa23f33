/** Short texts that come again and again, as keys, roles and ids do: a known one is compared and not made anew. */
import { parseString } from './utf8.ts';

const SLOTS = 256;
const LONGEST = 64;
const known: (string | undefined)[] = new Array<string | undefined>(SLOTS).fill(undefined);

/** The value of the valid JSON string between its quotes (both inside `start` to `end`). */
export function knownText(bytes: Uint8Array, start: number, end: number): string {
  const length = end - start - 2;
  if (length > LONGEST) return parseString(bytes, start, end);
  const slot = (length * 7 + (bytes[start + 1] as number)) % SLOTS;
  const before = known[slot];
  if (before !== undefined && before.length === length && stands(bytes, start + 1, before)) return before;
  const text = parseString(bytes, start, end);
  if (text.length === length) known[slot] = text; // plain ASCII: an escape or a sequence would be longer than its text
  return text;
}

function stands(bytes: Uint8Array, at: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[at + i] !== text.charCodeAt(i)) return false;
  return true;
}
