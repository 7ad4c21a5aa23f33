/** A JSON value as a view of its bytes: members are found on demand, and nothing is decoded before that. */
import { LETTER_F, LETTER_N, LETTER_T, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from './bytes.ts';
import { pooledCopy } from './keep.ts';
import { oneLine } from './one-line.ts';
import { knownText, parseJson, parseString } from './utf8.ts';
import { ValueTape } from './value-tape.ts';

export type JsonType = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

/** Types by first byte; any other first byte begins a number. */
const TYPES: (JsonType | undefined)[] = [];
TYPES[OPEN_OBJECT] = 'object';
TYPES[OPEN_ARRAY] = 'array';
TYPES[QUOTE] = 'string';
TYPES[LETTER_T] = TYPES[LETTER_F] = 'boolean';
TYPES[LETTER_N] = 'null';

const NONE: readonly never[] = [];

/** Strings up to this length are often names or ids that repeat, so they are looked up in the cache of `knownText`. */
const NAME_BYTES = 40;
/** Views of the elements of a longer array are made each time: kept, they would take many times its bytes. */
const MAX_KEPT_ELEMENTS = 16_384;
/** The value in a longer string is not kept until the next line. */
const MAX_INNER_BYTES = 16 * 1024 * 1024;

/** One value of a line. It is valid until `read` returns; strings from `text` and bytes from `copy` stay valid. */
export class JsonView {
  readonly #line: Uint8Array;
  readonly #start: number;
  readonly #end: number;
  readonly #base: number;
  /** Has rows for the contents of the value, if the value is open there. */
  #tape: ValueTape | undefined;
  #row: number;
  #bytes: Uint8Array | undefined;
  #elements: readonly JsonView[] | undefined;
  /** Row of the member that was read last, and its value. */
  #lastRow = -1;
  #last: JsonView | undefined;

  /**
   * @param line holds the JSON text of a valid value in `[start, end)`, without white space around it
   * @param base index of the first byte of `line` in the line that errors point into; -1 if unknown
   */
  constructor(line: Uint8Array, start = 0, end: number = line.length, base = -1, tape?: ValueTape, row = 0) {
    this.#line = line;
    this.#start = start;
    this.#end = end;
    this.#base = base;
    this.#tape = tape;
    this.#row = row;
  }

  /** The value walked last into the tape. @param base as in the constructor */
  static onTape(line: Uint8Array, tape: ValueTape, base = 0): JsonView {
    return new JsonView(line, tape.start(0), tape.end(0), base, tape);
  }

  /** The JSON text as logged: numbers keep their digits. Reused after `read` returns; `copy` stays valid. */
  get bytes(): Uint8Array {
    this.#bytes ??= this.#line.subarray(this.#start, this.#end);
    return this.#bytes;
  }

  /** Length of `bytes`. */
  get length(): number {
    return this.#end - this.#start;
  }

  /** A copy of `bytes`, on one line. */
  copy(): Uint8Array {
    const copy = pooledCopy(this.#line, this.#start, this.#end);
    return copy[0] === OPEN_OBJECT || copy[0] === OPEN_ARRAY ? oneLine(copy) : copy;
  }

  /** Index of the value in its line, for errors; -1 if unknown. */
  get at(): number {
    return this.#base < 0 ? -1 : this.#base + this.#start;
  }

  /** Whether it is a string without a character, told without decoding it. */
  get isEmptyText(): boolean {
    return this.length === 2 && this.type === 'string';
  }

  get type(): JsonType {
    return typeOfValue(this.#line, this.#start);
  }

  /** The value of a member: the last one if a key occurs twice, as in `JSON.parse`; undefined if there is none. */
  get(key: string): JsonView | undefined {
    const row = this.#find(key);
    if (row < 0) return undefined;
    if (row !== this.#lastRow) this.#last = this.#on(this.#tape as ValueTape, row);
    this.#lastRow = row;
    return this.#last;
  }

  /** The text of a string; undefined for any other value. */
  text(): string | undefined {
    return textIn(this.#line, this.#start, this.#end);
  }

  /** The text of a member that is a string; undefined for any other member, or none. */
  textOf(key: string): string | undefined {
    const row = this.#find(key);
    const tape = this.#tape as ValueTape;
    return row < 0 ? undefined : textIn(this.#line, tape.start(row), tape.end(row));
  }

  /** The type of a member; undefined if there is none. */
  typeOf(key: string): JsonType | undefined {
    const row = this.#find(key);
    if (row < 0) return undefined;
    return typeOfValue(this.#line, (this.#tape as ValueTape).start(row));
  }

  /** The elements of an array; none for any other value. */
  elements(): readonly JsonView[] {
    if (this.#elements !== undefined) return this.#elements;
    const elements = this.#each(OPEN_ARRAY, (tape, row) => this.#on(tape, row));
    if (elements.length <= MAX_KEPT_ELEMENTS) this.#elements = elements;
    return elements;
  }

  /** The elements one by one, without a list of them: the view of each can be freed before the next. */
  *each(): Generator<JsonView, undefined> {
    if (this.#elements !== undefined) yield* this.#elements;
    else if (this.#line[this.#start] === OPEN_ARRAY) {
      const tape = this.#walked();
      for (let row = this.#row + 1, end = tape.next(this.#row); row < end; row = tape.next(row))
        yield this.#on(tape, row);
    }
  }

  /** Whether the type of each element of an array passes; true for any other value. Makes no views. */
  everyType(test: (type: JsonType) => boolean): boolean {
    if (this.#line[this.#start] !== OPEN_ARRAY) return true;
    const tape = this.#walked();
    for (let row = this.#row + 1, end = tape.next(this.#row); row < end; row = tape.next(row))
      if (!test(typeOfValue(this.#line, tape.start(row)))) return false;
    return true;
  }

  /** The members of an object in order; none for any other value. */
  members(): readonly (readonly [key: string, value: JsonView])[] {
    return this.#each(OPEN_OBJECT, (tape, row) => [this.#keyOf(tape, row), this.#on(tape, row)]);
  }

  /** The keys of an object in order; none for any other value. */
  keys(): readonly string[] {
    return this.#each(OPEN_OBJECT, (tape, row) => this.#keyOf(tape, row));
  }

  /** The members of an object whose keys are not among these. */
  others(keys: ReadonlySet<string>): readonly (readonly [key: string, value: JsonView])[] {
    if (this.#line[this.#start] !== OPEN_OBJECT) return NONE;
    const tape = this.#walked();
    let others: (readonly [string, JsonView])[] | undefined; // none is usual: then nothing is created
    for (let row = this.#row + 1, end = tape.next(this.#row); row < end; row = tape.next(row)) {
      const key = this.#keyOf(tape, row);
      if (keys.has(key)) continue;
      others ??= [];
      others.push([key, this.#on(tape, row)]);
    }
    return others ?? NONE;
  }

  /**
   * A number that objects share whose members have the same keys and types in the same order; others hardly ever.
   * Decodes nothing.
   */
  get membersHash(): number {
    if (this.#line[this.#start] !== OPEN_OBJECT) return 0;
    const tape = this.#walked();
    const line = this.#line;
    let hash = 0x811c9dc5;
    for (let row = this.#row + 1, end = tape.next(this.#row); row < end; row = tape.next(row)) {
      for (let at = tape.keyStart(row), keyEnd = tape.keyEnd(row); at < keyEnd; at++)
        hash = Math.imul(hash ^ (line[at] as number), 0x01000193);
      const type = typeOfValue(line, tape.start(row));
      hash = Math.imul(hash ^ (type.charCodeAt(0) << 8) ^ type.charCodeAt(1), 0x01000193);
    }
    return hash;
  }

  /**
   * The JSON value that a string holds.
   * @param read finds it, and is called once for all views of the string; undefined if there is none
   */
  inner(read: (string: JsonView) => JsonView | undefined): JsonView | undefined {
    const tape = this.#tape;
    if (tape === undefined || this.length > MAX_INNER_BYTES) return read(this);
    return tape.made(this.#row, () => read(this));
  }

  /** The whole value decoded. Numbers become doubles: never write them back. */
  parsed(): unknown {
    return parseJson(this.bytes);
  }

  /** The tape with the contents of the value at `#row`. Walks the value if no tape has them yet. */
  #walked(): ValueTape {
    if (this.#tape?.isOpen(this.#row) === true) return this.#tape;
    const tape = new ValueTape();
    tape.fill(this.#line, this.#start);
    this.#tape = tape;
    this.#row = 0;
    return tape;
  }

  /** Row of a member on `#tape`; -1 if there is none. */
  #find(key: string): number {
    if (this.#line[this.#start] !== OPEN_OBJECT) return -1;
    return this.#walked().find(this.#line, this.#row, key);
  }

  /** Maps the contained values, in order; returns an empty list if the value does not begin with `first`. */
  #each<T>(first: number, make: (tape: ValueTape, row: number) => T): T[] {
    if (this.#line[this.#start] !== first) return [];
    const tape = this.#walked();
    const [begin, end] = [this.#row + 1, tape.next(this.#row)];
    let count = 0;
    for (let row = begin; row < end; row = tape.next(row)) count++;
    const results = new Array<T>(count); // a list that grows takes at least seventeen places
    for (let row = begin, i = 0; row < end; row = tape.next(row)) results[i++] = make(tape, row);
    return results;
  }

  #keyOf(tape: ValueTape, row: number): string {
    return knownText(this.#line, tape.keyStart(row), tape.keyEnd(row));
  }

  #on(tape: ValueTape, row: number): JsonView {
    return new JsonView(this.#line, tape.start(row), tape.end(row), this.#base, tape, row);
  }
}

const typeOfValue = (bytes: Uint8Array, start: number): JsonType => TYPES[bytes[start] as number] ?? 'number';

function textIn(bytes: Uint8Array, start: number, end: number): string | undefined {
  if (bytes[start] !== QUOTE) return undefined;
  return end - start <= NAME_BYTES ? knownText(bytes, start, end) : parseString(bytes, start, end);
}
