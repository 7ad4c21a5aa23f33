/** Counts the characters of UTF-8 text: all its bytes except those that continue a character. */
import { isAscii } from 'node:buffer';

export function charactersIn(bytes: Uint8Array): number {
  if (isAscii(bytes)) return bytes.length;
  const { buffer, byteOffset, length } = bytes;
  const head = Math.min(length, -byteOffset & 3);
  const words = new Uint32Array(buffer, byteOffset + head, (length - head) >> 2);
  let continued = continuedIn(bytes, 0, head) + continuedIn(bytes, head + words.length * 4, length);
  for (let i = 0; i < words.length; i++) {
    const word = words[i] as number;
    const marks = (word >>> 7) & ~(word >>> 6) & 0x01010101; // the lowest bit of each byte that is 10xxxxxx
    continued += Math.imul(marks, 0x01010101) >>> 24;
  }
  return length - continued;
}

function continuedIn(bytes: Uint8Array, from: number, to: number): number {
  let continued = 0;
  for (let i = from; i < to; i++) if (((bytes[i] as number) & 0xc0) === 0x80) continued++;
  return continued;
}
