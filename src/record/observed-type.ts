/** The type that the values of a column or member have in common, as the YAML of a card names it. */
import { CLOSE_ARRAY, OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../../transforms/json/bytes.ts';
import { elementsOf, membersOf } from '../../transforms/json/members.ts';
import { decode } from '../../transforms/json/utf8.ts';
import { textOfValue } from '../../transforms/model/message.ts';

type Kind = 'text' | 'boolean' | 'integer' | 'number' | 'texts' | 'object' | 'objects' | 'mixed';

/** A whole number of 64 bits. */
const INTEGER = /^-?\d{1,18}$/;
/** A number that a double holds. */
const NUMBER = /^-?\d{1,9}\.\d{1,6}$/;

const SCALARS: ReadonlyMap<Kind | undefined, string> = new Map([
  [undefined, 'dtype: string'],
  ['text', 'dtype: string'],
  ['boolean', 'dtype: bool'],
  ['integer', 'dtype: int64'],
  ['number', 'dtype: float64'],
  ['texts', 'list: string'],
]);

/** Called with every text. @param place names of the members that lead to it, joined with dots */
export type SeeText = (text: string, place: string) => void;

export class ObservedType {
  /** Undefined as long as there are only nulls. */
  #kind: Kind | undefined;
  readonly #members = new Map<string, ObservedType>();

  /** The type of an object's member, created when it is first asked for. */
  member(name: string): ObservedType {
    const known = this.#members.get(name);
    if (known !== undefined) return known;
    const member = new ObservedType();
    this.#members.set(name, member);
    return member;
  }

  get members(): ReadonlyMap<string, ObservedType> {
    return this.#members;
  }

  /**
   * Looks at a value.
   * @param objects allows objects and lists of them: names of a member that may be one too, and of one in it. Any other
   *   object makes the type mixed
   */
  see(value: Uint8Array, place: string, seeText: SeeText, objects?: readonly string[]): void {
    const kind = kindOf(value);
    if (kind === undefined) return;
    const isObject = kind === 'object' || kind === 'objects';
    this.#join(isObject && objects === undefined ? 'mixed' : kind);
    if (kind === 'text') seeText(textOfValue(value) ?? '', place);
    if (kind === 'texts') for (const text of elementsOf(value)) seeText(textOfValue(text) ?? '', place);
    if (!isObject || objects === undefined) return;
    for (const one of kind === 'object' ? [value] : elementsOf(value))
      this.#seeMembers(one, place, seeText, objects);
  }

  /** The type of scalars or lists of texts in YAML; undefined for others. */
  get scalar(): string | undefined {
    return SCALARS.get(this.#kind);
  }

  /** The lines of the type in YAML; undefined if values of several kinds, or an empty object, are in it. */
  get lines(): readonly string[] | undefined {
    if (this.scalar !== undefined) return [this.scalar];
    if (this.#kind === 'mixed' || this.#members.size === 0) return undefined;
    const lines = [this.#kind === 'objects' ? 'list:' : 'struct:'];
    for (const [name, member] of this.#members) {
      const type = member.lines;
      if (type === undefined) return undefined;
      lines.push(...namedLines(name, type));
    }
    return lines;
  }

  #join(kind: Kind): void {
    if (this.#kind === undefined || this.#kind === kind) this.#kind = kind;
    else this.#kind = isNumber(this.#kind) && isNumber(kind) ? 'number' : 'mixed';
  }

  #seeMembers(object: Uint8Array, place: string, seeText: SeeText, [own, ...inner]: readonly string[]): void {
    const members = membersOf(object);
    if (new Set(members.map(({ key }) => key)).size < members.length) this.#join('mixed');
    for (const { key, valueStart, end } of members) {
      const value = object.subarray(valueStart, end);
      this.member(key).see(value, `${place}.${key}`, seeText, key === own ? inner : undefined);
    }
  }
}

/** The lines of a named type in a list of YAML. */
export const namedLines = (name: string, lines: readonly string[]): readonly string[] => [
  `- name: ${yamlName(name)}`,
  ...lines.map((line) => `  ${line}`),
];

/** A name of letters is written as it is, unless YAML would read it as a value. */
const yamlName = (name: string): string =>
  /^(?!(?:true|false|yes|no|y|n|on|off|null)$)[a-z_]+$/i.test(name) ? name : JSON.stringify(name);

const isNumber = (kind: Kind | undefined): boolean => kind === 'integer' || kind === 'number';

function kindOf(value: Uint8Array): Kind | undefined {
  if (value[0] === QUOTE) return 'text';
  if (value[0] === OPEN_OBJECT) return 'object';
  if (value[0] === OPEN_ARRAY) return kindOfList(value);
  const text = decode(value);
  if (text === 'null') return undefined;
  if (text === 'true' || text === 'false') return 'boolean';
  if (INTEGER.test(text)) return 'integer';
  return NUMBER.test(text) ? 'number' : 'mixed';
}

function kindOfList(list: Uint8Array): Kind | undefined {
  if (list[1] === CLOSE_ARRAY) return undefined;
  const elements = elementsOf(list);
  if (elements.every((element) => element[0] === QUOTE)) return 'texts';
  return elements.every((element) => element[0] === OPEN_OBJECT) ? 'objects' : 'mixed';
}
