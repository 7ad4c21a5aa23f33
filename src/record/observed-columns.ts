/**
 * Looks at the records of a format as they are written, for the columns of the card that depend on them: which members
 * records have, which lists are of plain objects, and which texts the loader would take for something else.
 */
import type { Columns, ColumnType } from '../../transforms/formats/columns.ts';
import { LF } from '../../transforms/json/bytes.ts';
import { elementsOf, membersOf, valueBytes, valuesOf } from '../../transforms/json/members.ts';
import { textOfValue } from '../../transforms/model/message.ts';
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
const READ_AS_JSON = /^\s*(?:[[{"]|[-+.\d][\d.eE+-]*\s*$|-?(?:true|false|null|nan|infinity)\s*$)/i;

export class ObservedColumns {
  readonly #columns: Columns;
  readonly #isOpen: boolean;
  /** The columns to look at: the types of the others do not depend on the records. */
  readonly #names: readonly string[];
  readonly #record = new ObservedType();
  readonly #blocks = new TimeBlocks();
  readonly #present = new Set<string>();
  readonly #readAsJson = new Set<string>();

  /** @param isOpen whether records have members that are not in `columns` */
  constructor(columns: Columns, isOpen: boolean) {
    this.#columns = columns;
    this.#isOpen = isOpen;
    this.#names = Object.keys(columns).filter(
      (name) => !/^(?:text|json|json-list)$/.test(columns[name] ?? ''),
    );
  }

  /** @param shard path of its shard */
  see(record: Uint8Array, shard: string): void {
    if (this.#names.length === 0 && !this.#isOpen) return;
    const end = record.indexOf(LF);
    if (end < 0) this.#blocks.begin(shard, record.length + 1);
    else this.#blocks.beginAlone();
    const object = end < 0 ? record : record.subarray(0, end);
    const names = this.#isOpen ? [...new Set(membersOf(object).map(({ key }) => key))] : this.#names;
    valuesOf(object, names).forEach((value, i) => {
      if (value !== undefined) this.#seeColumn(names[i] as string, value);
    });
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

  #seeColumn(name: string, value: Uint8Array): void {
    const type = this.#columns[name];
    this.#present.add(name);
    const seeText = (text: string, place: string): void => this.#seeText(text, place);
    if (type === 'turns') this.#seeTurns(name, value);
    else if (type === undefined || type === 'free-text' || type === 'plain-list')
      this.#record.member(name).see(value, name, seeText, type && CALL_OBJECTS);
  }

  #seeTurns(name: string, turns: Uint8Array): void {
    for (const turn of elementsOf(turns)) {
      if (this.#blocks.isSafe(name)) return;
      this.#blocks.see(textOfValue(valueBytes(turn, 'value')) ?? '', name);
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
    if (type === undefined) return [(!timed.has(name) && seen?.scalar) || JSON_TYPE];
    if (type === 'boolean' && !this.#present.has(name)) return undefined;
    if (type === 'turns' && timed.has(name)) return [JSON_LIST];
    if (type === 'free-text' && timed.has(name) && !this.#readAsJson.has(name)) return [JSON_TYPE];
    const lines = type === 'plain-list' ? seen?.lines : undefined;
    const isTimed = [...timed].some((place) => place.startsWith(`${name}.`));
    return lines === undefined || isTimed || seen?.scalar !== undefined ? TYPES[type] : lines;
  }
}
