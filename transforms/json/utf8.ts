/** Text and bytes: decoding JSON text that was validated, and finding where bytes are not UTF-8. */
import { sequenceLength } from './scanner.ts';

const encoder = new TextEncoder();
const decoder = new TextDecoder('utf-8', { ignoreBOM: true });

/** UTF-8 of a string without lone surrogates (JSON text never has them: JSON.stringify escapes them). */
export function encode(text: string): Uint8Array {
  return encoder.encode(text);
}

/** The text of bytes that are known to be UTF-8. */
export function decode(bytes: Uint8Array): string {
  return decoder.decode(bytes);
}

/** The value of JSON text that is known to be valid. Numbers are rounded: never write them back. */
export function parseJson(bytes: Uint8Array): unknown {
  return JSON.parse(decode(bytes));
}

/** The index of the first byte that is not well-formed UTF-8, or -1. */
export function invalidUtf8At(bytes: Uint8Array): number {
  const end = bytes.length;
  for (let p = 0; p < end; ) {
    if ((bytes[p] as number) < 0x80) p++;
    else {
      const length = sequenceLength(bytes, p);
      if (length === 0 || p + length > end) return p;
      p += length;
    }
  }
  return -1;
}
