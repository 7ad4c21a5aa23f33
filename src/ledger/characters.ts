/** Counts the characters of UTF-8 text: all its bytes except those that continue a character. */
import { isAscii } from 'node:buffer';

const LANE_SUMS = 252; // words whose marks a byte can count, four at a time

export function charactersIn(bytes: Uint8Array): number {
  if (isAscii(bytes)) return bytes.length;
  const { buffer, byteOffset, length } = bytes;
  const head = -byteOffset & 3; // bytes in front of the first word
  if (length < head) return length - continuedIn(bytes, 0, length);
  const words = new Int32Array(buffer, byteOffset + head, (length - head) >> 2);
  const whole = words.length & ~3;
  let continued = continuedIn(bytes, 0, head) + continuedIn(bytes, head + whole * 4, length);
  for (let from = 0; from < whole; from += LANE_SUMS) {
    let sums = 0;
    const to = Math.min(whole, from + LANE_SUMS);
    for (let i = from; i < to; i += 4) {
      const a = words[i] as number;
      const b = words[i + 1] as number;
      const c = words[i + 2] as number;
      const d = words[i + 3] as number;
      if (((a | b | c | d) & 0x80808080) !== 0)
        sums = (sums + marksIn(a) + marksIn(b) + marksIn(c) + marksIn(d)) | 0;
    }
    continued += (sums & 0xff) + ((sums >>> 8) & 0xff) + ((sums >>> 16) & 0xff) + (sums >>> 24);
  }
  return length - continued;
}

/** Returns the lowest bit of each byte that is 10xxxxxx. */
function marksIn(word: number): number {
  return (word >>> 7) & ~(word >>> 6) & 0x01010101;
}

function continuedIn(bytes: Uint8Array, from: number, to: number): number {
  let continued = 0;
  for (let i = from; i < to; i++) if (((bytes[i] as number) & 0xc0) === 0x80) continued++;
  return continued;
}
