/**
 * Finds where the elements of JSON documents begin and end, by brackets and quotes alone. It does not check the
 * grammar, so callers must limit it to bytes that a verifier has accepted. It looks at each byte once.
 */
import {
  BACKSLASH,
  CLOSE_ARRAY,
  COMMA,
  OPEN_ARRAY,
  OPEN_OBJECT,
  QUOTE,
} from '../../../transforms/json/bytes.ts';

/**
 * Why the cutter stops: an element has ended, one is nested too deeply, the limit was reached, or a list that is a
 * member of a top-level object has just opened (`enter` then makes the list's elements those of the document).
 */
export type Cut = 'element' | 'too-deep' | 'limit' | 'list';

/** 1 for a byte that opens an object or array, 2 for one that closes it. */
const BRACKET = new Uint8Array(256);
for (const c of '{[') BRACKET[c.charCodeAt(0)] = 1;
for (const c of '}]') BRACKET[c.charCodeAt(0)] = 2;
const BLANK = new Uint8Array(256);
for (const c of ' \t\r\n') BLANK[c.charCodeAt(0)] = 1;
/** Bytes that end a number or literal. */
const ENDS_SCALAR = new Uint8Array(256);
for (const c of ' \t\r\n{}[],:"') ENDS_SCALAR[c.charCodeAt(0)] = 1;

export class ElementCutter {
  readonly #maxDepth: number;
  #at = 0;
  #begin = 0;
  #inside = false;
  #betweenBytes = 0;
  #lists = 0;
  readonly #showsLists: boolean;
  /** Whether the elements belong to a top-level array, or to a list that was entered. */
  #inArray = false;
  /** Whether that list is a member of a top-level object. */
  #isMember = false;
  /** Whether the cutter is after that list and before the end of its object. */
  #inTail = false;
  /** Whether the element is a top-level object. */
  #isObject = false;
  /** Number of open brackets of the element. */
  #open = 0;
  #inString = false;
  #scalar = false;
  /** Whether the end of the element was reported. */
  #ended = false;

  /**
   * @param maxDepth how deeply an element may be nested: the verifier needs memory for each level
   * @param showsLists whether to stop at lists that are members of a top-level object
   */
  constructor(maxDepth: number, showsLists = false) {
    this.#maxDepth = maxDepth;
    this.#showsLists = showsLists;
  }

  /** Index up to which the bytes were examined; after an element, its end. */
  get at(): number {
    return this.#at;
  }

  /** Whether it is inside an element, or one has just ended. */
  get inside(): boolean {
    return this.#inside;
  }

  /** Start of that element; negative once its first bytes have left the slab. */
  get begin(): number {
    return this.#begin;
  }

  /** Number of bytes between elements so far. */
  get betweenBytes(): number {
    return this.#betweenBytes;
  }

  /** Number of top-level arrays so far. */
  get lists(): number {
    return this.#lists;
  }

  /** Continues to `limit`, or to the end of the next element. */
  cut(bytes: Uint8Array, limit: number): Cut {
    if (this.#ended) this.#inside = this.#ended = false;
    while (!this.#inside && this.#at < limit) {
      if (this.#inTail) this.#passTail(bytes, limit);
      else this.#passBetween(bytes, limit);
    }
    if (!this.#inside) return 'limit';
    const cut = this.#passElement(bytes, limit);
    this.#ended = cut === 'element';
    return cut;
  }

  /**
   * Enters the list at which `cut` has stopped: its elements become those of the document, and the members after it in
   * its object are skipped.
   */
  enter(): void {
    this.#inside = false;
    this.#inArray = this.#isMember = true;
  }

  /** Adjusts positions after the bytes were moved to the front by `distance`. */
  moved(distance: number): void {
    this.#at -= distance;
    this.#begin -= distance;
  }

  /** Skips the bytes between elements and the first byte of the next one. */
  #passBetween(bytes: Uint8Array, limit: number): void {
    const from = this.#at;
    let at = from;
    for (; at < limit; at++) {
      const c = bytes[at] as number;
      if (BLANK[c] === 1 || c === COMMA) continue;
      if (c !== (this.#inArray ? CLOSE_ARRAY : OPEN_ARRAY)) break;
      this.#inArray = !this.#inArray;
      if (this.#inArray) this.#lists++;
      if (this.#isMember && !this.#inArray) break;
    }
    const endsMember = at < limit && this.#isMember && !this.#inArray;
    if (endsMember) at++;
    this.#at = at;
    this.#betweenBytes += at - from;
    if (endsMember) this.#beginTail();
    else if (at < limit) this.#beginElement(bytes[at] as number);
  }

  #beginTail(): void {
    this.#isMember = this.#scalar = this.#inString = this.#isObject = false;
    this.#inTail = true;
    this.#open = 1;
  }

  /** Skips the rest of an object whose list was entered. */
  #passTail(bytes: Uint8Array, limit: number): void {
    const from = this.#at;
    this.#inTail = this.#passElement(bytes, limit) === 'limit';
    this.#betweenBytes += this.#at - from;
  }

  #beginElement(first: number): void {
    this.#begin = this.#at++;
    this.#inside = true;
    this.#inString = first === QUOTE;
    this.#open = BRACKET[first] === 1 ? 1 : 0;
    this.#scalar = !this.#inString && this.#open === 0;
    this.#isObject = first === OPEN_OBJECT && !this.#inArray;
  }

  #passElement(bytes: Uint8Array, limit: number): Cut {
    if (this.#scalar) return this.#passScalar(bytes, limit);
    if (this.#inString) {
      if (!this.#passString(bytes, limit)) return 'limit';
      if (this.#open === 0) return 'element';
    }
    return this.#passNested(bytes, limit);
  }

  /** Skips to after the closing quote of the string; returns false if it has not arrived. */
  #passString(bytes: Uint8Array, limit: number): boolean {
    let p = this.#at;
    while (p < limit) {
      const c = bytes[p] as number;
      if (c === QUOTE) {
        this.#at = p + 1;
        this.#inString = false;
        return true;
      }
      p += c === BACKSLASH ? 2 : 1;
    }
    this.#at = p; // may exceed the limit by one, because the byte after a backslash is skipped
    return false;
  }

  #passScalar(bytes: Uint8Array, limit: number): Cut {
    let at = this.#at;
    while (at < limit && ENDS_SCALAR[bytes[at] as number] === 0) at++;
    this.#at = at;
    return at < limit ? 'element' : 'limit';
  }

  #passNested(bytes: Uint8Array, limit: number): Cut {
    let at = this.#at;
    while (at < limit) {
      const c = bytes[at++] as number;
      if (c === QUOTE) {
        this.#at = at;
        this.#inString = true;
        if (!this.#passString(bytes, limit)) return 'limit';
        at = this.#at;
      } else if (BRACKET[c] === 1) {
        if (++this.#open > this.#maxDepth) {
          this.#at = at;
          return 'too-deep';
        }
        if (this.#showsLists && this.#open === 2 && this.#isObject && c === OPEN_ARRAY) {
          this.#at = at;
          return 'list';
        }
      } else if (BRACKET[c] === 2 && --this.#open === 0) {
        this.#at = at;
        return 'element';
      }
    }
    this.#at = at;
    return 'limit';
  }
}
