/**
 * Finds NaN, Infinity and -Infinity in place of JSON values: Python's json.dumps writes them, although JSON does not
 * have them. They are found outside strings, and can be overwritten by numbers of the same length, so that no offset
 * moves.
 */

import { QUOTE, ZERO } from './bytes.ts';
import { trustingScanner } from './trusting-scanner.ts';
import { encode, spells } from './utf8.ts';

/** A line with more of them is not read. */
const MOST = 100_000;

const POINT = 0x2e;
const SPACE = 0x20;

const WORDS = ['NaN', 'Infinity', '-Infinity'];
/** Bytes that may be in front of a value, and after one. */
const BEFORE = new Set<number | undefined>(encode(' \t\r\n:,['));
const AFTER = new Set<number | undefined>([...encode(' \t\r\n,]}'), undefined]);

const { indexOf } = Buffer.prototype;

interface Found {
  readonly at: number;
  readonly word: string;
}

export class BareNumbers {
  readonly #found: readonly Found[];

  /** @param bytes of a line */
  constructor(bytes: Uint8Array) {
    const maybe = indexOf.call(bytes, 'NaN') >= 0 || indexOf.call(bytes, 'Infinity') >= 0;
    this.#found = maybe ? find(bytes) : [];
  }

  /** 0 if there are none, or too many. */
  get count(): number {
    return this.#found.length;
  }

  /** The index in the line of the first byte of one of them. */
  placeOf(index: number): number {
    return (this.#found[index] as Found).at;
  }

  /** Overwrites the words with numbers, in the line or a copy of it: 1 for the first `ones`, 0 for the others. */
  putNumbers(bytes: Uint8Array, ones: number): void {
    for (const [i, { at, word }] of this.#found.entries()) {
      bytes.fill(ZERO, at, at + word.length);
      bytes[at] = ZERO + (i < ones ? 1 : 0);
      bytes[at + 1] = POINT;
    }
  }

  /** Overwrites the words with empty texts: metadata, which wants numbers, leaves them out. */
  putTexts(bytes: Uint8Array): void {
    for (const { at, word } of this.#found) {
      bytes.fill(SPACE, at, at + word.length);
      bytes[at] = bytes[at + 1] = QUOTE;
    }
  }

  /** Restores the words. */
  putWords(bytes: Uint8Array): void {
    for (const { at, word } of this.#found) bytes.set(encode(word), at);
  }
}

function find(bytes: Uint8Array): readonly Found[] {
  const found: Found[] = [];
  for (let p = 0; p < bytes.length; p++) {
    if (bytes[p] === QUOTE) p = trustingScanner.string(bytes, p) - 1;
    else if (BEFORE.has(bytes[p - 1])) {
      const word = WORDS.find((one) => spells(bytes, p, p + one.length, one));
      if (word === undefined || !AFTER.has(bytes[p + word.length])) continue;
      if (found.length === MOST) return [];
      found.push({ at: p, word });
      p += word.length - 1;
    }
  }
  return found;
}
