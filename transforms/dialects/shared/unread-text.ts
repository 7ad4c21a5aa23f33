/**
 * Finds what a dialect would lose without a trace in the objects in which it reads what was said: words in members that
 * no version of an API or a client has, and values of an unknown form where a text is expected. The conversation is
 * then rejected, unless `--on-finding unread-text=keep` is set.
 */
import type { JsonType, JsonView } from '../../json/json-view.ts';
import type { ReadingNote } from '../../model/element.ts';
import { parseTimestamp } from '../../model/timestamp.ts';
import { structured } from './logged-values.ts';
import { shownType, unreadText } from './reading-notes.ts';

/** The members that one kind of object has. */
export interface KnownObject {
  readonly names: ReadonlySet<string>;
  /** Members that are a text, or null; a list of parts, if `within` describes these. */
  readonly texts: readonly string[];
  /** Members of which one says what the object is for: without them, an unknown member may hold a single word of it. */
  readonly main: readonly string[];
  readonly within: readonly Within[];
  /** The kinds of an object that names its type. A type that is not listed is not looked at. */
  readonly kinds?: { readonly member: string; readonly of: ReadonlyMap<string, KnownObject> };
  /**
   * The objects within that an object had, by the hash of its members, if these were known and its texts were texts: most
   * objects have the same members.
   */
  readonly seen: Map<number, readonly Within[]>;
}

type Within = readonly [member: string, known: KnownObject, shape: Shape];

/**
 * The form of a member with objects. An empty value has any form.
 * - `one`: one of them, or a text
 * - `objects`: one of them, or a list
 * - `json`: a list of them, or its JSON in a string
 * - `parts`: a list of them and of texts, or a text
 * - `any`: the dialect looks itself
 */
type Shape = 'object' | 'one' | 'list' | 'objects' | 'json' | 'parts' | 'any';

const MAX_SEEN = 256;
/** Names of members with times. */
const TIME = /(?:^|[._-])(?:ts|time|timestamp|date|at)$|[a-z](?:Ts|Time|Timestamp|Date|At)$/;
const MARKS = /(?::(text|object|one|list|json|parts|any))?!?$/;

/**
 * Describes an object.
 * @param names separated by blanks; those of texts end in `:text`, the main ones then in `!`
 * @param within objects in it, by member: with their shape, if that is not `objects`
 */
export function known(names: string, within: Readonly<Record<string, KnownObject>> = {}): KnownObject {
  const bare = (marked: string): string => marked.replace(MARKS, '');
  const objects = Object.entries(within).map(([key, inner]) => [bare(key), inner, shapeIn(key)] as const);
  const all = [...names.split(' '), ...Object.keys(within)];
  return {
    names: new Set(all.map(bare)),
    texts: all.filter((name) => name.includes(':text')).map(bare),
    main: all.filter((name) => name.endsWith('!')).map(bare),
    within: objects,
    seen: new Map(),
  };
}

function shapeIn(marked: string): Shape {
  const shape = MARKS.exec(marked)?.[1] ?? 'objects';
  return shape === 'text' ? 'parts' : (shape as Shape);
}

/** An object with any members. */
export const ANYTHING: KnownObject = knownByType('', {});

/** The same object, in which a client writes other members too, as `known` describes them. */
export function withMembers(kind: KnownObject, ...more: Parameters<typeof known>): KnownObject {
  const { names, within } = known(...more);
  return {
    ...kind,
    names: new Set([...kind.names, ...names]),
    within: [...kind.within, ...within],
    seen: new Map(),
  };
}

/** Describes objects whose members depend on a type. @param member holds the type @param of known types */
export function knownByType(member: string, of: Readonly<Record<string, KnownObject>>): KnownObject {
  return { ...known(member), kinds: { member, of: new Map(Object.entries(of)) } };
}

/** The same objects by type, and those of other types. */
export const withKinds = ({ kinds }: KnownObject, more: Readonly<Record<string, KnownObject>>): KnownObject =>
  knownByType(kinds?.member ?? '', { ...Object.fromEntries(kinds?.of ?? []), ...more });

/** Finding about the first thing in an object that would be lost; undefined if there is none. @param place of the object */
export function unreadIn(object: JsonView, kind: KnownObject, place: string): ReadingNote | undefined {
  const found = unreadAt(object, kind);
  if (found === undefined) return undefined;
  const { path, name, isKnown } = found;
  return isKnown
    ? unreadMember(`${place}${path}`, name, 'a member of another form than it always has')
    : unreadMember(`${place}${path}`, name);
}

/** The same as a list, which is empty if there is none. */
export function unreadNotes(object: JsonView, kind: KnownObject, place: string): readonly ReadingNote[] {
  const note = unreadIn(object, kind, place);
  return note === undefined ? [] : [note];
}

/** Finding about a member that is not read. @param place of its object */
export const unreadMember = (
  place: string,
  name: string,
  what = 'a member with words that turnmill does not know',
): ReadingNote => unreadText(`${place} has ${what}: ${shownType(name)}`);

/** Whether an object has a list under an unknown name: the one that it lacks may be there. */
export const hasUnknownList = (object: JsonView, { names }: KnownObject): boolean =>
  object.others(names).some(([, value]) => value.elements().length > 0);

/** Whether an object down to those within has an unknown list, lacks what it is for, or has that in another form. */
export function hasStrayList(value: JsonView, kind: KnownObject): boolean {
  if (value.type === 'array') return value.elements().some((one) => hasStrayList(one, kind));
  if (value.type !== 'object' || kind === ANYTHING) return false;
  if (hasUnknownList(value, kind)) return true;
  if (lacksMain(value, kind) && value.others(kind.names).some(mayBeMain)) return true;
  return kind.within.some(([name, inner, shape]) => {
    const held = value.get(name);
    return held !== undefined && says(held) && (!hasShape(held, shape) || hasStrayList(held, inner));
  });
}

const lacksMain = (value: JsonView, { main }: KnownObject): boolean =>
  main.length > 0 && main.every((name) => isNothing(value.typeOf(name)));

/** Whether an unknown member may hold the text that its object lacks. A wrapper may add a time to each line. */
const mayBeMain = ([name, value]: readonly [key: string, value: JsonView]): boolean =>
  says(value) && !(TIME.test(name) && parseTimestamp(value.text() ?? '') !== undefined);

interface Unread {
  /** From the object that was searched to the one with the member. */
  readonly path: string;
  readonly name: string;
  readonly isKnown: boolean;
}

function unreadAt(value: JsonView, kind: KnownObject): Unread | undefined {
  if (value.type === 'array') return unreadAmong(value, kind);
  const own = kind.kinds === undefined ? kind : kind.kinds.of.get(value.textOf(kind.kinds.member) ?? '');
  if (own === undefined || value.type !== 'object') return undefined;
  const hash = value.membersHash;
  let within = own.seen.get(hash);
  if (within === undefined) {
    const others = value.others(own.names);
    const found = strayIn(value, own, others);
    if (found !== undefined) return found;
    within = own.within.filter(([name]) => value.typeOf(name) !== undefined);
    if (others.length === 0 && own.seen.size < MAX_SEEN) own.seen.set(hash, within);
  }
  return within.length === 0 ? undefined : unreadWithin(value, within);
}

function unreadAmong(list: JsonView, kind: KnownObject): Unread | undefined {
  let i = 0;
  for (const element of list.each()) {
    const found = unreadAt(element, kind);
    if (found !== undefined) return { ...found, path: `[${i}]${found.path}` };
    i++;
  }
  return undefined;
}

function unreadWithin(value: JsonView, within: readonly Within[]): Unread | undefined {
  for (const [name, inner, shape] of within) {
    const held = value.get(name) as JsonView;
    const logged = shape === 'json' ? (structured(held) as JsonView) : held;
    if (!hasShape(logged, shape) && says(logged)) return { path: '', name, isKnown: true };
    const found = unreadAt(logged, inner);
    if (found !== undefined) return { ...found, path: `.${name}${found.path}` };
  }
  return undefined;
}

const OF_ONE: ReadonlySet<Shape> = new Set(['object', 'one']);

export function hasShape(value: JsonView, shape: Shape): boolean {
  const { type } = value;
  if (shape === 'any') return true;
  if (type === 'object') return OF_ONE.has(shape) || shape === 'objects';
  if (type === 'string') return shape === 'parts' || shape === 'one';
  return type === 'array' && !OF_ONE.has(shape) && value.everyType((one) => mayBeIn(shape, one));
}

const mayBeIn = (shape: Shape, type: JsonType): boolean =>
  type === 'object' || type === 'null' || (type === 'string' && shape === 'parts');

/** The first unknown member with words, or else the first text that is none. */
function strayIn(
  value: JsonView,
  kind: KnownObject,
  others: readonly (readonly [key: string, value: JsonView])[],
): Unread | undefined {
  const isEmpty = others.length > 0 && lacksMain(value, kind);
  const other = others.find((member) => (isEmpty ? mayBeMain(member) : holdsWords(member[1])))?.[0];
  if (other !== undefined) return { path: '', name: other, isKnown: false };
  const odd = kind.texts.find((name) => isOddText(value.typeOf(name), name, kind));
  return odd === undefined ? undefined : { path: '', name: odd, isKnown: true };
}

const isNothing = (type: JsonType | undefined): boolean => type === undefined || type === 'null';

/** Is it no text, although the member is one or, if `within` describes its parts, a list? */
function isOddText(type: JsonType | undefined, name: string, { within }: KnownObject): boolean {
  if (isNothing(type) || type === 'string') return false;
  return type !== 'array' || !within.some(([key]) => key === name);
}

/** Words of a language with blanks between them, or several letters of one without. */
const WORDS =
  /\p{L}\p{P}*\s+[\p{P}\p{S}]*[\p{L}\p{N}]|[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}]{3}/u;
/** Members that hold what was said, called or answered, in any API. */
const SAID: ReadonlySet<string> = new Set([
  ...['text', 'content', 'parts', 'arguments', 'args', 'input', 'output', 'result', 'response'],
]);
const MAX_DEPTH = 8;

/** Whether there are words in a value, or something under a name of what is said. */
export function holdsWords(value: JsonView, depth = 0): boolean {
  if (value.type === 'string') return WORDS.test(value.text() ?? '');
  if (depth === MAX_DEPTH) return false;
  if (value.type === 'array') return value.elements().some((one) => holdsWords(one, depth + 1));
  return value.members().some(([name, one]) => (SAID.has(name) && says(one)) || holdsWords(one, depth + 1));
}

/** Is it something that says something, where a list is expected? */
export const isOtherThanList = (value: JsonView | undefined): boolean =>
  value?.type !== 'array' && says(value);

/** Is it a text, a list or an object that is not empty? */
export const says = (value: JsonView | undefined): boolean =>
  value !== undefined &&
  (value.type === 'string' ? !value.isEmptyText : value.elements().length > 0 || value.keys().length > 0);
