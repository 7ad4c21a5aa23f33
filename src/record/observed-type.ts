/** The type that the values of a column or member have in common, as the YAML of a card names it. */
import { isObject } from '../../transforms/model/message.ts';

/** A `list` is an empty one. */
type Kind = 'text' | 'boolean' | 'integer' | 'number' | 'list' | 'texts' | 'object' | 'objects' | 'mixed';

const SCALARS: ReadonlyMap<Kind | undefined, string> = new Map([
  [undefined, 'dtype: string'],
  ['text', 'dtype: string'],
  ['boolean', 'dtype: bool'],
  ['integer', 'dtype: int64'],
  ['number', 'dtype: float64'],
  ['list', 'list: string'],
  ['texts', 'list: string'],
]);

/** Called with every text and its place. */
export type SeeText = (text: string, place: string) => void;

export class ObservedType {
  /** Undefined as long as there are only nulls. */
  #kind: Kind | undefined;
  readonly #members = new Map<string, ObservedType>();
  /** Names of the members that lead to it, joined with dots. */
  readonly #place: string;

  constructor(place: string) {
    this.#place = place;
  }

  /** The type of an object's member, created when it is first asked for. */
  member(name: string): ObservedType {
    const known = this.#members.get(name);
    if (known !== undefined) return known;
    const member = new ObservedType(this.#place === '' ? name : `${this.#place}.${name}`);
    this.#members.set(name, member);
    return member;
  }

  get members(): ReadonlyMap<string, ObservedType> {
    return this.#members;
  }

  /**
   * Looks at a parsed value.
   * @param objects allows objects and lists of them: names of a member that may be one too, and of one in it. Any other
   *   object makes the type mixed
   * @returns number of the members that it looked at
   */
  see(value: unknown, seeText: SeeText, objects?: readonly string[]): number {
    const kind = kindOf(value);
    if (kind === undefined) return 0;
    const isObject = kind === 'object' || kind === 'objects';
    this.#join(isObject && objects === undefined ? 'mixed' : kind);
    if (kind === 'text') seeText(value as string, this.#place);
    if (kind === 'texts') for (const text of value as string[]) seeText(text, this.#place);
    if (!isObject || objects === undefined) return 0;
    let members = 0;
    for (const one of kind === 'object' ? [value] : (value as unknown[]))
      members += this.#seeMembers(one as object, seeText, objects);
    return members;
  }

  /** Whether it has values of several kinds in it, which is not a type in YAML. */
  get isMixed(): boolean {
    return this.#kind === 'mixed' || [...this.#members.values()].some((member) => member.isMixed);
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
    this.#kind = this.#kind === undefined ? kind : common(this.#kind, kind);
  }

  #seeMembers(object: object, seeText: SeeText, objects: readonly string[]): number {
    const [own, ...inner] = objects;
    let members = 0;
    for (const [key, value] of Object.entries(object))
      members += 1 + this.member(key).see(value, seeText, key === own ? inner : undefined);
    return members;
  }
}

/** The lines of a named type in a list of YAML. */
export const namedLines = (name: string, lines: readonly string[]): readonly string[] => [
  `- name: ${yamlName(name)}`,
  ...lines.map((line) => `  ${line}`),
];

/** A word is written as it is, unless YAML would read it as a value. */
export const yamlWord = (word: string): string =>
  /^(?:true|false|yes|no|y|n|on|off|null)$/i.test(word) ? JSON.stringify(word) : word;

const yamlName = (name: string): string => (/^[a-z_]+$/i.test(name) ? yamlWord(name) : JSON.stringify(name));

/** Pairs of a kind and one that has its values too. */
const WIDER = new Set(['integer number', 'list texts', 'list objects']);

function common(one: Kind, other: Kind): Kind {
  if (one === other || WIDER.has(`${other} ${one}`)) return one;
  return WIDER.has(`${one} ${other}`) ? other : 'mixed';
}

function kindOf(value: unknown): Kind | undefined {
  if (value === null) return undefined;
  if (typeof value === 'string') return 'text';
  if (typeof value === 'boolean') return 'boolean';
  if (typeof value === 'number')
    return Number.isSafeInteger(value) ? 'integer' : Number.isInteger(value) ? 'mixed' : 'number';
  return Array.isArray(value) ? kindOfList(value) : 'object';
}

function kindOfList(list: readonly unknown[]): Kind | undefined {
  if (list.length === 0) return 'list';
  if (list.every((element) => typeof element === 'string')) return 'texts';
  return list.every(isObject) ? 'objects' : 'mixed';
}
