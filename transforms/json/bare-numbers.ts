/**
 * Finds NaN, Infinity and -Infinity in place of JSON values: Python's json.dumps writes them, although JSON does not
 * have them. They are found outside strings, and can be overwritten by numbers of the same length, so that no offset
 * moves.
 */

import { BACKSLASH, QUOTE, ZERO } from './bytes.ts';

/** A line with more of them is not read. */
const MOST = 100_000;

const POINT = 0x2e;
const SPACE = 0x20;

const ascii = (text: string): readonly number[] => [...text].map((c) => c.charCodeAt(0));
const WORDS = ['NaN', 'Infinity', '-Infinity'].map(ascii);
const BY_FIRST: ReadonlyMap<number, readonly number[]> = new Map(
  WORDS.map((word) => [word[0] as number, word]),
);

/** Bytes that may be in front of a value, and after one. */
const BEFORE = new Set<number | undefined>(ascii(' \t\r\n:,['));
const AFTER = new Set<number | undefined>([...ascii(' \t\r\n,]}'), undefined]);

const { indexOf } = Buffer.prototype;

interface Found {
  readonly at: number;
  readonly word: readonly number[];
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
    for (const { at, word } of this.#found) bytes.set(word, at);
  }
}

function find(bytes: Uint8Array): readonly Found[] {
  const found: Found[] = [];
  for (let p = 0; p < bytes.length; ) {
    if (bytes[p] === QUOTE) {
      p = endOfString(bytes, p);
      continue;
    }
    const word = BY_FIRST.get(bytes[p] as number);
    if (word === undefined || !BEFORE.has(bytes[p - 1]) || !isAt(bytes, p, word)) p++;
    else {
      if (found.length === MOST) return [];
      found.push({ at: p, word });
      p += word.length;
    }
  }
  return found;
}

function isAt(bytes: Uint8Array, at: number, word: readonly number[]): boolean {
  return word.every((byte, i) => bytes[at + i] === byte) && AFTER.has(bytes[at + word.length]);
}

function endOfString(bytes: Uint8Array, at: number): number {
  let p = at + 1;
  while (p < bytes.length && bytes[p] !== QUOTE) p += bytes[p] === BACKSLASH ? 2 : 1;
  return p + 1;
}
