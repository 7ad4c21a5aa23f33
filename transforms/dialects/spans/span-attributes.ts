/**
 * The attributes of a span as a tree, logged as flat keys with dots, as nested objects, or as OTLP's list of keys and
 * typed values.
 */

import { JsonView } from '../../json/json-view.ts';
import { encode } from '../../json/utf8.ts';
import { arrayOf, objectOf, type Piece } from '../shared/build-messages.ts';
import { unpacked } from '../shared/logged-values.ts';
import { says } from '../shared/unread-text.ts';

const NULL = encode('null');
/** Prefix of the columns with attributes in a data frame. */
const COLUMN = 'attributes.';
const INDEX = /^\d{1,6}$/;
const OTLP_PLAIN: readonly string[] = ['stringValue', 'boolValue', 'doubleValue', 'bytesValue'];

/** Attributes with the messages of a call, which its span and its events may both have. */
const LISTS: ReadonlySet<string> = new Set([
  'gen_ai.system_instructions',
  'gen_ai.input.messages',
  'gen_ai.output.messages',
]);

/** The names of attributes as a tree, each judged once: spans repeat their names. */
export interface JudgedNames {
  /** With those above it, and dots between them. */
  readonly name: string;
  /** Whether it is known, with all below it. */
  readonly isKnown: boolean;
  child(key: string): JudgedNames;
}

export class SpanAttributes {
  #value: JsonView | undefined;
  readonly #children = new Map<string, SpanAttributes>();
  #isExpanded = false;
  #isOdd = false;

  /** @param logged objects of flat or nested members, or lists of `{key, value}`; a later one replaces what is the same */
  static of(...logged: readonly (JsonView | undefined)[]): SpanAttributes {
    const root = new SpanAttributes();
    for (const one of logged) root.#add(one);
    return root;
  }

  #add(packed: JsonView | undefined): void {
    const logged = unpacked(packed);
    if (logged?.type === 'array') {
      for (const pair of logged.elements()) {
        const key = pair.get('key')?.text();
        const value = pair.get('value');
        if (key !== undefined && value !== undefined) this.#put(key, new JsonView(plainValue(value)));
        else if (key === undefined) this.#isOdd ||= says(pair);
        else if (pair.keys().length > 1) this.#put(key, pair);
      }
    } else if (logged?.type === 'string') this.#isOdd ||= says(logged);
    else for (const [key, value] of logged?.members() ?? []) this.#put(key, value);
  }

  /** Reads the attributes in a row of a data frame, whose columns are named after them. */
  static ofRow(row: JsonView): SpanAttributes {
    const root = new SpanAttributes();
    for (const [key, value] of row.members())
      if (key.startsWith(COLUMN) && value.type !== 'null') root.#put(key.slice(COLUMN.length), value);
    return root;
  }

  /** The node at a path of names; an empty node if there is nothing. */
  at(...path: readonly string[]): SpanAttributes {
    let node: SpanAttributes | undefined = this;
    for (const part of path) {
      for (const name of namesIn(part)) {
        node.#expand();
        node = node.#children.get(name);
        if (node === undefined) return NOTHING;
      }
    }
    return node;
  }

  /** The value logged at this node; undefined if absent or null. */
  get value(): JsonView | undefined {
    return this.#value?.type === 'null' ? undefined : this.#value;
  }

  text(): string | undefined {
    return this.#value?.text();
  }

  /** Whether something in the attributes is not read: they have another form, or two different lists of messages. */
  get isOdd(): boolean {
    return this.#isOdd;
  }

  /** Whether there is something other than members or elements. */
  get isText(): boolean {
    this.#expand();
    return this.#children.size === 0 && says(this.value);
  }

  /** The nodes of a list, in order. */
  items(): readonly SpanAttributes[] {
    this.#expand();
    const indexes = [...this.#children.keys()].filter((key) => INDEX.test(key));
    return indexes
      .sort((a, b) => Number(a) - Number(b))
      .map((key) => this.#children.get(key) as SpanAttributes);
  }

  /** Whether the indexes of its elements are not `first`, `first + 1` ... */
  hasGap(first = 0): boolean {
    this.#expand();
    const indexes = [...this.#children.keys()].filter((key) => INDEX.test(key)).map(Number);
    return indexes.some((index) => index < first || index >= first + indexes.length);
  }

  /** The names of the nodes below that are not among these. */
  others(names: ReadonlySet<string>): readonly string[] {
    this.#expand();
    return [...this.#children.keys()].filter((name) => !names.has(name));
  }

  /** Lists the texts and lists here and below whose names are not known. */
  unknown(names: JudgedNames, found: (readonly [name: string, value: JsonView])[] = []): typeof found {
    this.#expand();
    for (const [key, child] of this.#children) {
      const judged = names.child(key);
      if (judged.isKnown) continue;
      const value = child.#value;
      if (value?.type === 'string' || value?.type === 'array') found.push([judged.name, value]);
      // the members of JSON in a text are a part of its value
      if (value?.type !== 'array' && unpacked(value) === value) child.unknown(judged, found);
    }
    return found;
  }

  /** The values logged at nodes below, as members with these names. */
  pieces(names: readonly string[]): Piece[] {
    return names.flatMap((name): Piece[] => {
      const { value } = this.at(name);
      return value === undefined ? [] : [[name, value.copy()]];
    });
  }

  /** Whether there is no value here or below. */
  get isEmpty(): boolean {
    return this.value === undefined && this.#children.size === 0;
  }

  /** Everything at and below this node as one JSON value. */
  json(): JsonView | undefined {
    if (this.value !== undefined || this.#children.size === 0) return this.value;
    const pieces = [...this.#children].flatMap(([key, child]): Piece[] => {
      const json = child.json();
      return json === undefined ? [] : [[key, json.copy()]];
    });
    return new JsonView(objectOf(pieces));
  }

  #put(path: string, value: JsonView): void {
    let node: SpanAttributes = this;
    for (const name of path.split('.')) {
      const next = node.#children.get(name) ?? new SpanAttributes();
      node.#children.set(name, next);
      node = next;
    }
    const known = node.#value;
    if (known?.type === 'object' && value.type === 'object') node.#merge(value);
    else if (known === undefined) node.#value = value;
    else if (LISTS.has(path)) node.#value = this.#oneOf(known, value);
    else if (value.type !== 'null') node.#value = value;
  }

  /** The list of two that says something. If both do, they must be the same. */
  #oneOf(known: JsonView, value: JsonView): JsonView {
    const [before, after] = [unpacked(known), unpacked(value)];
    if (!says(after)) return known;
    this.#isOdd ||= says(before) && JSON.stringify(before?.parsed()) !== JSON.stringify(after?.parsed());
    return value;
  }

  /** Adds the members of an object to those of the object here. */
  #merge(value: JsonView): void {
    this.#expand();
    this.#value = undefined;
    for (const [key, member] of value.members()) this.#put(key, member);
  }

  /** Creates the nodes for members of an object and elements of a list. */
  #expand(): void {
    if (this.#isExpanded) return;
    this.#isExpanded = true;
    const value = unpacked(this.#value);
    for (const [key, member] of value?.members() ?? []) this.#put(key, member);
    for (const [i, element] of (value?.elements() ?? []).entries()) this.#put(`${i}`, element);
  }
}

/** An empty node. */
const NOTHING = new SpanAttributes();

/** The names in the paths that conventions have. */
const names = new Map<string, readonly string[]>();
const MAX_PATHS = 1000;

/** The names in a path. Most are constants of the code, which are split once. */
function namesIn(path: string): readonly string[] {
  const known = names.get(path);
  if (known !== undefined) return known;
  const split = path.split('.');
  if (names.size < MAX_PATHS) names.set(path, split);
  return split;
}

/** Unwraps a typed value of OTLP (`{"stringValue": ...}`, or `string_value`); returns other JSON text as it is. */
export function plainValue(value: JsonView): Uint8Array {
  const [member] = value.members();
  if (member === undefined) return value.type === 'object' ? NULL : jsonOf(value);
  const [key, inner] = member;
  const type = key.replace(TYPE_NAME, 'Value');
  if (OTLP_PLAIN.includes(type)) return jsonOf(inner);
  if (type === 'intValue')
    return INTEGER.test(inner.text() ?? '') ? encode(inner.text() as string) : inner.copy();
  const list = inner.get('values');
  const isOdd = list === undefined ? says(inner) : list.type !== 'array' && says(list);
  if (isOdd && (type === 'arrayValue' || type === 'kvlistValue')) return value.copy();
  if (type === 'arrayValue') return arrayOf((list?.elements() ?? []).map(plainValue));
  if (type === 'kvlistValue') {
    const pairs = list?.elements() ?? [];
    return objectOf(
      pairs.flatMap((pair): Piece[] => {
        const key = pair.get('key')?.text();
        const json = pair.get('value');
        if (key !== undefined && json !== undefined) return [[key, plainValue(json)]];
        return (key === undefined ? says(pair) : pair.keys().length > 1) ? [[key ?? '?', pair.copy()]] : [];
      }),
    );
  }
  return value.copy();
}

/** How the names of types end in the words of protocol buffers. */
const TYPE_NAME = /_value$/;

/** The JSON text on one line. Strings are not copied: they may be giant. */
const jsonOf = (value: JsonView): Uint8Array => (value.type === 'string' ? value.bytes : value.copy());

const INTEGER = /^-?\d+$/;
