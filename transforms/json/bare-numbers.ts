/**
 * Finds NaN, Infinity and -Infinity in place of JSON values: Python's json.dumps writes them, although JSON does not
 * have them. Searches outside strings only, and can overwrite them with other values of the same length, so that no
 * offset moves.
 */

import { QUOTE, SPACE, ZERO } from './bytes.ts';
import { trustingScanner } from './trusting-scanner.ts';
import { encode, spells } from './utf8.ts';

/** A line with more words than this is left as it is, so it is rejected as invalid JSON. */
const MOST = 100_000;

const POINT = 0x2e;

const WORDS = ['NaN', 'Infinity', '-Infinity'];
/** Bytes that may come before a value, and after one. */
const BEFORE = new Set<number | undefined>(encode(' \t\r\n:,['));
const AFTER = new Set<number | undefined>([...encode(' \t\r\n,]}'), undefined]);

const { indexOf } = Buffer.prototype;

interface PlacedWord {
  readonly at: number;
  readonly word: string;
}

export class BareNumbers {
  readonly #found: readonly PlacedWord[];

  /** @param bytes a line, or the beginning of a document */
  constructor(bytes: Uint8Array) {
    const maybe = indexOf.call(bytes, 'NaN') >= 0 || indexOf.call(bytes, 'Infinity') >= 0;
    this.#found = maybe ? find(bytes) : [];
  }

  /** Number of the words; 0 if there are too many. */
  get count(): number {
    return this.#found.length;
  }

  /** Index of the first byte of a word in the line. */
  placeOf(index: number): number {
    return (this.#found[index] as PlacedWord).at;
  }

  /**
   * Overwrites the words with numbers: 1 for the first `ones` words, 0 for the others.
   * @param bytes the line, or a copy of it
   */
  putNumbers(bytes: Uint8Array, ones: number): void {
    for (const [i, { at, word }] of this.#found.entries()) {
      bytes.fill(ZERO, at, at + word.length);
      bytes[at] = ZERO + (i < ones ? 1 : 0);
      bytes[at + 1] = POINT;
    }
  }

  /** Overwrites the words with empty strings. Metadata leaves these out, because it takes only numbers there. */
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

function find(bytes: Uint8Array): readonly PlacedWord[] {
  const found: PlacedWord[] = [];
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
