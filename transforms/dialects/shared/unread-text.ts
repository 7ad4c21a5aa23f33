/**
 * Finds members with words in objects of an API or a client where no version of it has them: what they say would be
 * lost without a trace. The conversation is then rejected, unless `--on-finding unread-text=keep` is set.
 */
import type { JsonView } from '../../json/json-view.ts';
import type { ReadingNote } from '../../model/element.ts';
import { shownType } from './reading-notes.ts';

/** The members that one kind of object has. */
export interface KnownObject {
  readonly names: ReadonlySet<string>;
  /** Objects in it, by member: the value is one, or a list of them. */
  readonly within: readonly (readonly [member: string, known: KnownObject])[];
  /** The kinds of an object that names its type. A type that is not listed is not looked at. */
  readonly kinds?: { readonly member: string; readonly of: ReadonlyMap<string, KnownObject> };
}

/** Describes an object. @param names separated by blanks @param within objects in it, by member */
export function known(names: string, within: Readonly<Record<string, KnownObject>> = {}): KnownObject {
  const objects = Object.entries(within);
  return { names: new Set([...names.split(' '), ...objects.map(([name]) => name)]), within: objects };
}

/** Describes objects whose members depend on a type. @param member holds the type @param of known types */
export function knownByType(member: string, of: Readonly<Record<string, KnownObject>>): KnownObject {
  return { names: new Set(), within: [], kinds: { member, of: new Map(Object.entries(of)) } };
}

/** Finding about the first unknown member with words in an object; undefined if there is none. @param place of the object */
export function unreadIn(object: JsonView, kind: KnownObject, place: string): ReadingNote | undefined {
  const found = unreadAt(object, kind);
  if (found === undefined) return undefined;
  const { path, name } = found;
  const message = `${place}${path} has a member with words that turnmill does not know: ${shownType(name)}`;
  return { rule: 'unread-text', severity: 'ERROR', message };
}

interface Unread {
  /** From the object that was searched to the one with the member. */
  readonly path: string;
  readonly name: string;
}

function unreadAt(value: JsonView, kind: KnownObject): Unread | undefined {
  if (value.type === 'array') {
    for (const [i, one] of value.elements().entries()) {
      const found = unreadAt(one, kind);
      if (found !== undefined) return { ...found, path: `[${i}]${found.path}` };
    }
    return undefined;
  }
  const own = kind.kinds === undefined ? kind : kind.kinds.of.get(value.textOf(kind.kinds.member) ?? '');
  if (own === undefined) return undefined;
  for (const [name, member] of value.others(own.names)) if (holdsWords(member, 0)) return { path: '', name };
  for (const [name, inner] of own.within) {
    const held = value.get(name);
    const found = held && unreadAt(held, inner);
    if (found !== undefined) return { ...found, path: `.${name}${found.path}` };
  }
  return undefined;
}

/** Words of a language with blanks between them, or several letters of one without. */
const WORDS =
  /\p{L}\p{P}*\s+[\p{P}\p{S}]*[\p{L}\p{N}]|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]{3}/u;
/** Members that hold what was said, in any API. */
const SAID: ReadonlySet<string> = new Set(['text', 'content']);
const MAX_DEPTH = 8;

function holdsWords(value: JsonView, depth: number): boolean {
  if (value.type === 'string') return WORDS.test(value.text() ?? '');
  if (depth === MAX_DEPTH) return false;
  if (value.type === 'array') return value.elements().some((one) => holdsWords(one, depth + 1));
  return value
    .members()
    .some(([name, one]) => (SAID.has(name) && saysSomething(one)) || holdsWords(one, depth + 1));
}

const saysSomething = (value: JsonView): boolean =>
  (value.type === 'string' && value.text() !== '') ||
  value.elements().length > 0 ||
  value.members().length > 0;
