/**
 * Joins JSON strings to one. Escapes stay as they are, so a surrogate pair that was split between two strings becomes
 * whole again.
 */
import { QUOTE } from '../../json/bytes.ts';
import type { JsonView } from '../../json/json-view.ts';
import { copyOf } from '../../json/keep.ts';
import { elementsOf } from '../../json/members.ts';
import { textScanner } from '../../json/plain-scanner.ts';
import { decode, encode, parseString } from '../../json/utf8.ts';
import { arrayOf, type Piece } from '../shared/build-messages.ts';
import { present } from '../shared/logged-values.ts';

const FIRST_BYTES = 128;
/** Shorter pieces are copied byte by byte, which takes less time than creating a view. */
const SHORT_BYTES = 48;

export class GrowingText {
  #bytes = new Uint8Array(FIRST_BYTES);
  #used = 1;

  constructor() {
    this.#bytes[0] = QUOTE;
  }

  get isEmpty(): boolean {
    return this.#used === 1;
  }

  /** @param json a JSON string, quotes included */
  add(json: Uint8Array): this {
    const length = json.length - 2;
    const needed = this.#used + length + 1;
    if (needed > this.#bytes.length) {
      const grown = new Uint8Array(Math.max(needed, 2 * this.#bytes.length));
      grown.set(this.#bytes.subarray(0, this.#used));
      this.#bytes = grown;
    }
    if (length < SHORT_BYTES)
      for (let i = 0; i < length; i++) this.#bytes[this.#used + i] = json[i + 1] as number;
    else this.#bytes.set(json.subarray(1, -1), this.#used);
    this.#used += length;
    return this;
  }

  /** The string so far, with its quotes. */
  json(): Uint8Array {
    const json = copyOf(this.#bytes, 0, this.#used + 1);
    json[this.#used] = QUOTE;
    return json;
  }

  text(): string {
    const json = this.json();
    return parseString(json, 0, json.length);
  }

  /** Whether it is one complete JSON value. */
  isWhole(): boolean {
    const json = encode(this.text().trim());
    return json.length > 0 && textScanner.value(json, 0, 0) === json.length;
  }

  /** Did the JSON value in it begin, but not end? */
  get isCut(): boolean {
    return !this.isEmpty && !this.isWhole();
  }

  /** The JSON value in it; one that was cut stays a string. */
  value(): Uint8Array {
    return this.isWhole() ? encode(this.text().trim()) : this.json();
  }

  /** Is this the last byte of the text? */
  endsWith(byte: number): boolean {
    return !this.isEmpty && this.#bytes[this.#used - 1] === byte;
  }

  /** The first characters of the text. */
  head(): string {
    return decode(this.#bytes.subarray(1, Math.min(this.#used, FIRST_BYTES)));
  }
}

type Growing = GrowingText | Uint8Array[] | Uint8Array;

/** Merges objects of a stream member by member: texts and lists are joined, of other values the last one counts. */
export class GrowingMembers {
  readonly #members = new Map<string, Growing>();
  readonly #whole: ReadonlySet<string>;

  /** @param whole members that are not joined (ids, types, names): their first non-empty text counts */
  constructor(whole: readonly string[] = []) {
    this.#whole = new Set(whole);
  }

  /** Adds the members of an object; nothing of any other value. */
  add(object: JsonView | undefined, leaveOut: (key: string) => boolean = () => false): void {
    for (const [key, value] of object?.members() ?? [])
      if (present(value) && !leaveOut(key)) this.put(key, value);
  }

  put(key: string, value: JsonView): void {
    const known = this.#members.get(key);
    if (this.#whole.has(key)) {
      if (known === undefined && !value.isEmptyText) this.#members.set(key, value.copy());
    } else if (value.type === 'string') {
      const text = known instanceof GrowingText ? known : new GrowingText();
      this.#members.set(key, text.add(value.bytes));
    } else if (value.type === 'array') {
      const list = Array.isArray(known) ? known : [];
      for (const element of elementsOf(value.copy())) list.push(element);
      this.#members.set(key, list);
    } else this.#members.set(key, value.copy());
  }

  text(key: string): GrowingText | undefined {
    const known = this.#members.get(key);
    return known instanceof GrowingText ? known : undefined;
  }

  get isEmpty(): boolean {
    return this.#members.size === 0;
  }

  pieces(): Piece[] {
    return [...this.#members].map(([key, value]): Piece => [key, jsonOf(value)]);
  }
}

function jsonOf(growing: Growing): Uint8Array {
  if (growing instanceof GrowingText) return growing.json();
  return Array.isArray(growing) ? arrayOf(growing) : growing;
}
