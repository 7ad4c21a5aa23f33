/** Counts the characters of UTF-8: its bytes without those that continue one. */
import { isAscii } from 'node:buffer';

export function charactersIn(bytes: Uint8Array): number {
  if (isAscii(bytes)) return bytes.length;
  let characters = 0;
  for (let i = 0; i < bytes.length; i++) if (((bytes[i] as number) & 0xc0) !== 0x80) characters++;
  return characters;
}
