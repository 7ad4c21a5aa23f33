/**
 * Looks at the records of a format as they are written, for the columns of the card that depend on them: which members
 * records have, which lists are of plain objects, and which texts the loader would take for something else.
 */
import type { Columns, ColumnType } from '../../transforms/formats/columns.ts';
import { LF, QUOTE } from '../../transforms/json/bytes.ts';
import { elementsOf, valueBytes } from '../../transforms/json/members.ts';
import { stringValue } from '../../transforms/model/message.ts';
import { ObservedType } from './observed-type.ts';
import { looksLikeTime, TimeBlocks } from './time-blocks.ts';

/** Types that `datasets` has since version 4.7. */
export const JSON_TYPE = 'dtype: json';
export const JSON_LIST = 'list: json';
const TYPES: Readonly<Record<ColumnType, readonly string[]>> = {
  text: ['dtype: string'],
  'free-text': ['dtype: string'],
  boolean: ['dtype: bool'],
  json: [JSON_TYPE],
  'json-list': [JSON_LIST],
  'plain-list': [JSON_LIST],
  turns: ['list:', '- name: from', '  dtype: string', '- name: value', '  dtype: string'],
};
/** Members of a message, and of one of those, that may be objects. */
const CALL_OBJECTS = ['tool_calls', 'function'];
/** A text that the loader reads as another value in a column of JSON. Its parser is laxer than JSON. */
const READ_AS_JSON = /^\s*(?:[[{"\\]|[-+.\d][\d.eE+-]*\s*$|-?(?:true|false|null|nan|infinity)\s*$)/i;

const NO_TURNS = Buffer.from('[]');

/** Number of keys in JSON text: the quotes before their colons are not escaped. */
function keysIn(json: string): number {
  let keys = 0;
  for (let at = json.indexOf('":'); at >= 0; at = json.indexOf('":', at + 2))
    if (json[at - 1] !== '\\') keys++;
  return keys;
}

/** Longest text that is decoded, in bytes: times and numbers are shorter. */
const MAX_SHORT_BYTES = 64;

/** The bytes of `"name":`, and of the quote before a text. They cannot be in a text, where quotes are escaped. */
const memberNeedle = (name: string, quote: '"' | ''): Buffer => Buffer.from(`"${name}":${quote}`);

export class ObservedColumns {
  readonly #columns: Columns;
  readonly #isOpen: boolean;
  /** The columns of each type that depends on the records. */
  readonly #texts: readonly (readonly [name: string, needle: Buffer])[];
  readonly #turns: string | undefined;
  readonly #plain: readonly string[];
  /** Whether a plain list is not plain. */
  #isMixed = false;
  /** Flags that no record has had. */
  readonly #flags: Map<string, Buffer>;
  readonly #record = new ObservedType('');
  readonly #blocks = new TimeBlocks();
  readonly #readAsJson = new Set<string>();

  /** @param isOpen whether records have members that are not in `columns` */
  constructor(columns: Columns, isOpen: boolean) {
    this.#columns = columns;
    this.#isOpen = isOpen;
    const all = Object.entries(columns);
    const texts = all.filter(([, type]) => type === 'free-text');
    this.#texts = texts.map(([name]) => [name, memberNeedle(name, '"')]);
    const flags = all.filter(([, type]) => type === 'boolean');
    this.#flags = new Map(flags.map(([name]) => [name, memberNeedle(name, '')]));
    this.#turns = all.find(([, type]) => type === 'turns')?.[0];
    this.#plain = all.filter(([, type]) => type === 'plain-list').map(([name]) => name);
  }

  /** @param shard path of its shard */
  see(record: Uint8Array, shard: string): void {
    const bytes = Buffer.from(record.buffer, record.byteOffset, record.length);
    for (const [name, needle] of this.#flags) if (bytes.includes(needle)) this.#flags.delete(name);
    if (this.#isFixed) return;
    const end = record.indexOf(LF);
    if (end < 0) this.#blocks.begin(shard, record.length + 1);
    else this.#blocks.beginAlone();
    const line = end < 0 ? bytes : bytes.subarray(0, end);
    for (const [name, needle] of this.#texts) this.#seeFreeText(line, name, needle);
    if (this.#turns !== undefined) this.#seeTurns(line, this.#turns);
    if (this.#isOpen) this.#seeOthers(JSON.parse(line.toString()));
    if (this.#plain.length > 0 && !this.#isMixed) this.#seePlain(line.toString());
  }

  /** Whether the types of all columns but flags are known without the records. */
  get #isFixed(): boolean {
    return this.#texts.length + this.#plain.length === 0 && this.#turns === undefined && !this.#isOpen;
  }

  /** Returns the lines of each column's type in YAML. */
  types(): ReadonlyMap<string, readonly string[]> {
    const timed = this.#blocks.timed();
    const others = [...this.#record.members.keys()].filter((name) => this.#columns[name] === undefined);
    const names = [...Object.keys(this.#columns), ...others];
    return new Map(
      names.flatMap((name) => {
        const lines = this.#typeOf(name, timed);
        return lines === undefined ? [] : [[name, lines] as const];
      }),
    );
  }

  #seeFreeText(line: Buffer, name: string, needle: Buffer): void {
    const at = line.indexOf(needle);
    if (at < 0) return;
    const start = at + needle.length;
    const end = line.indexOf(QUOTE, start);
    this.#seeText(line.toString('utf8', start, Math.min(end, start + MAX_SHORT_BYTES)), name);
  }

  #seeTurns(line: Uint8Array, name: string): void {
    if (this.#blocks.isSafe(name)) return;
    for (const turn of elementsOf(valueBytes(line, name) ?? NO_TURNS))
      this.#blocks.see(stringValue(turn, 'value') ?? '', name);
  }

  #seePlain(line: string): void {
    const seeTime = (text: string, place: string): void => this.#blocks.see(text, place);
    const record: Readonly<Record<string, unknown>> = JSON.parse(line);
    const types = this.#plain.map((name) => this.#record.member(name));
    let members = Object.keys(record).length;
    types.forEach((type, i) => {
      members += type.see(record[this.#plain[i] as string] ?? null, seeTime, CALL_OBJECTS);
    });
    // lists that are not plain, or an object that has a key twice
    this.#isMixed = members < keysIn(line) || types.some((type) => type.isMixed);
  }

  #seeOthers(record: object): void {
    for (const [key, value] of Object.entries(record)) {
      if (this.#columns[key] !== undefined) continue;
      const isText = typeof value === 'string';
      this.#record.member(key).see(value, (text) => {
        if (isText) this.#seeText(text, key);
        else this.#blocks.see(text, key);
      });
    }
  }

  #seeText(text: string, place: string): void {
    this.#blocks.see(text, place);
    if (READ_AS_JSON.test(text) && !looksLikeTime(text)) this.#readAsJson.add(place);
  }

  /** Returns undefined for a flag that no record has. */
  #typeOf(name: string, timed: ReadonlySet<string>): readonly string[] | undefined {
    const type = this.#columns[name];
    const seen = this.#record.members.get(name);
    const isRewritten = timed.has(name) && !this.#readAsJson.has(name);
    if (type === undefined) return [(!isRewritten && seen?.scalar) || JSON_TYPE];
    if (type === 'boolean' && this.#flags.has(name)) return undefined;
    if (type === 'turns' && timed.has(name)) return [JSON_LIST];
    if (type === 'free-text' && isRewritten) return [JSON_TYPE];
    const lines = type === 'plain-list' && !this.#isMixed ? seen?.lines : undefined;
    const isTimed = [...timed].some((place) => place.startsWith(`${name}.`));
    return lines === undefined || isTimed || seen?.scalar !== undefined ? TYPES[type] : lines;
  }
}
