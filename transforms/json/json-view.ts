/** A JSON value as a view of its bytes: members are found when they are asked for, and nothing is decoded before that. */
import { copyOf } from './keep.ts';
import { elementsOf, type Member, membersOf, valueSpan } from './members.ts';
import { oneLine } from './one-line.ts';
import { decode, parseString } from './utf8.ts';

export type JsonType = 'object' | 'array' | 'string' | 'number' | 'boolean' | 'null';

/** By the first byte; any other first byte begins a number. */
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

/** One value of a line. It is valid until `read` returns; strings from `text` and bytes from `copy` stay valid. */
export class JsonView {
  readonly #line: Uint8Array;
  readonly #start: number;
  readonly #end: number;
  readonly #base: number;
  readonly #members: readonly Member[] | undefined;
  #bytes: Uint8Array | undefined;

  /**
   * @param line holds the JSON text of a valid value in `[start, end)`, without white space around it
   * @param base index of the first byte of `line` in the line that errors point into; -1 when unknown
   * @param members of the value, if it was walked already; their indexes count from `start`
   */
  constructor(
    line: Uint8Array,
    start = 0,
    end: number = line.length,
    base = -1,
    members?: readonly Member[],
  ) {
    this.#line = line;
    this.#start = start;
    this.#end = end;
    this.#base = base;
    this.#members = members;
  }

  /** The JSON text as it was logged: numbers keep their digits. Reused after `read` returns; `copy` stays valid. */
  get bytes(): Uint8Array {
    this.#bytes ??= this.#line.subarray(this.#start, this.#end);
    return this.#bytes;
  }

  /** The same text in memory of its own, on one line. */
  copy(): Uint8Array {
    return oneLine(copyOf(this.#line, this.#start, this.#end));
  }

  /** Index of the value in its line, for errors; -1 when it is not known. */
  get at(): number {
    return this.#base < 0 ? -1 : this.#base + this.#start;
  }

  get type(): JsonType {
    return TYPES[this.#line[this.#start] as number] ?? 'number';
  }

  /** The value of a member, as `JSON.parse` would have it (the last one, if a key occurs twice); undefined when there is none. */
  get(key: string): JsonView | undefined {
    if (this.type !== 'object') return undefined;
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
    return this.type === 'string' ? parseString(this.#line, this.#start, this.#end) : undefined;
  }

  /** The elements of an array; none for any other value. */
  elements(): readonly JsonView[] {
    if (this.type !== 'array') return [];
    const { bytes } = this;
    return elementsOf(bytes).map((element) => {
      const start = element.byteOffset - bytes.byteOffset;
      return this.#inner(start, start + element.length);
    });
  }

  /** The members of an object in order; none for any other value. */
  members(): readonly (readonly [key: string, value: JsonView])[] {
    if (this.type !== 'object') return [];
    const members = this.#members ?? membersOf(this.bytes);
    return members.map(({ key, valueStart, end }) => [key, this.#inner(valueStart, end)]);
  }

  /** The whole value decoded. Numbers become doubles: never write them back. */
  parsed(): unknown {
    return JSON.parse(decode(this.bytes));
  }

  #inner(start: number, end: number): JsonView {
    return new JsonView(this.#line, this.#start + start, this.#start + end, this.#base);
  }
}
