/** A JSON value as a view of its bytes: members are found on demand, and nothing is decoded before that. */
import { OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './bytes.ts';
import { copyOf } from './keep.ts';
import { elementsOf, type Member, membersOf, valueSpan } from './members.ts';
import { oneLine } from './one-line.ts';
import { decode, knownText, parseString } from './utf8.ts';
import type { ValueTape } from './value-tape.ts';

export type JsonType = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

/** Types by first byte; any other first byte begins a number. */
const TYPES: readonly (JsonType | undefined)[] = (() => {
  const types: (JsonType | undefined)[] = [];
  const named = {
    '{': 'object',
    '[': 'array',
    '"': 'string',
    t: 'boolean',
    f: 'boolean',
    n: 'null',
  } as const;
  for (const [first, type] of Object.entries(named)) types[first.charCodeAt(0)] = type;
  return types;
})();

/** Texts up to this length may be names that repeat. */
const NAME_BYTES = 24;

/** One value of a line. It is valid until `read` returns; strings from `text` and bytes from `copy` stay valid. */
export class JsonView {
  readonly #line: Uint8Array;
  readonly #start: number;
  readonly #end: number;
  readonly #base: number;
  readonly #members: readonly Member[] | undefined;
  /** Holds the rows of the value's contents; undefined if it was not walked, or is not open there. */
  readonly #tape: ValueTape | undefined;
  readonly #row: number;
  #bytes: Uint8Array | undefined;

  /**
   * @param line holds the JSON text of a valid value in `[start, end)`, without white space around it
   * @param base index of the first byte of `line` in the line that errors point into; -1 if unknown
   * @param members members of the value if it was walked already; their indexes count from `start`
   */
  constructor(
    line: Uint8Array,
    start = 0,
    end: number = line.length,
    base = -1,
    members?: readonly Member[],
    tape?: ValueTape,
    row = 0,
  ) {
    this.#line = line;
    this.#start = start;
    this.#end = end;
    this.#base = base;
    this.#members = members;
    this.#tape = tape?.isOpen(row) === true ? tape : undefined;
    this.#row = row;
  }

  /** The value walked last into the tape. @param base as in the constructor */
  static onTape(line: Uint8Array, tape: ValueTape, base = 0): JsonView {
    return new JsonView(line, tape.start(0), tape.end(0), base, undefined, tape);
  }

  /** The JSON text as logged: numbers keep their digits. Reused after `read` returns; `copy` stays valid. */
  get bytes(): Uint8Array {
    this.#bytes ??= this.#line.subarray(this.#start, this.#end);
    return this.#bytes;
  }

  /** Length of that text. */
  get length(): number {
    return this.#end - this.#start;
  }

  /** The same text as a copy, on one line. */
  copy(): Uint8Array {
    const copy = copyOf(this.#line, this.#start, this.#end);
    return copy[0] === OPEN_OBJECT || copy[0] === OPEN_ARRAY ? oneLine(copy) : copy;
  }

  /** Index of the value in its line, for errors; -1 if unknown. */
  get at(): number {
    return this.#base < 0 ? -1 : this.#base + this.#start;
  }

  get type(): JsonType {
    return TYPES[this.#line[this.#start] as number] ?? 'number';
  }

  /**
   * The value of a member, as `JSON.parse` would have it (the last one, if a key occurs twice); undefined if there is
   * none.
   */
  get(key: string): JsonView | undefined {
    if (this.#line[this.#start] !== OPEN_OBJECT) return undefined;
    if (this.#tape !== undefined) {
      const row = this.#tape.find(this.#line, this.#row, key);
      return row < 0 ? undefined : this.#on(this.#tape, row);
    }
    if (this.#members === undefined) {
      const span = valueSpan(this.bytes, key);
      return span && this.#inner(span.valueStart, span.end);
    }
    for (let i = this.#members.length - 1; i >= 0; i--) {
      const member = this.#members[i] as Member;
      if (member.key === key) return this.#inner(member.valueStart, member.end);
    }
    return undefined;
  }

  /** The text of a string; undefined for any other value. */
  text(): string | undefined {
    return textIn(this.#line, this.#start, this.#end);
  }

  /** The text of a member that is a string; undefined for any other member, or none. */
  textOf(key: string): string | undefined {
    const tape = this.#tape;
    if (tape === undefined || this.#line[this.#start] !== OPEN_OBJECT) return this.get(key)?.text();
    const row = tape.find(this.#line, this.#row, key);
    return row < 0 ? undefined : textIn(this.#line, tape.start(row), tape.end(row));
  }

  /** The elements of an array; none for any other value. */
  elements(): readonly JsonView[] {
    if (this.#line[this.#start] !== OPEN_ARRAY) return [];
    if (this.#tape !== undefined) return this.#rowsOf(this.#tape, (view) => view);
    const { bytes } = this;
    return elementsOf(bytes).map((element) => {
      const start = element.byteOffset - bytes.byteOffset;
      return this.#inner(start, start + element.length);
    });
  }

  /** The members of an object in order; none for any other value. */
  members(): readonly (readonly [key: string, value: JsonView])[] {
    if (this.#line[this.#start] !== OPEN_OBJECT) return [];
    const line = this.#line;
    const tape = this.#tape;
    if (tape !== undefined)
      return this.#rowsOf(tape, (view, row) => [knownText(line, tape.keyStart(row), tape.keyEnd(row)), view]);
    const members = this.#members ?? membersOf(this.bytes);
    return members.map(({ key, valueStart, end }) => [key, this.#inner(valueStart, end)]);
  }

  /** The keys of an object in order; none for any other value. */
  keys(): readonly string[] {
    const tape = this.#tape;
    if (tape === undefined || this.#line[this.#start] !== OPEN_OBJECT)
      return this.members().map(([key]) => key);
    const keys: string[] = [];
    for (let row = this.#row + 1, end = tape.next(this.#row); row < end; row = tape.next(row))
      keys.push(knownText(this.#line, tape.keyStart(row), tape.keyEnd(row)));
    return keys;
  }

  /** The whole value decoded. Numbers become doubles: never write them back. */
  parsed(): unknown {
    return JSON.parse(decode(this.bytes));
  }

  /** Creates something for each contained value, in order. */
  #rowsOf<T>(tape: ValueTape, make: (view: JsonView, row: number) => T): T[] {
    const results: T[] = [];
    for (let row = this.#row + 1, end = tape.next(this.#row); row < end; row = tape.next(row))
      results.push(make(this.#on(tape, row), row));
    return results;
  }

  #on(tape: ValueTape, row: number): JsonView {
    return new JsonView(this.#line, tape.start(row), tape.end(row), this.#base, undefined, tape, row);
  }

  #inner(start: number, end: number): JsonView {
    return new JsonView(this.#line, this.#start + start, this.#start + end, this.#base);
  }
}

function textIn(bytes: Uint8Array, start: number, end: number): string | undefined {
  if (bytes[start] !== QUOTE) return undefined;
  return end - start <= NAME_BYTES ? knownText(bytes, start, end) : parseString(bytes, start, end);
}
