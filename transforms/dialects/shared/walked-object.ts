/** An object that is walked as the description of its dialect says: duplicate keys, messages, tool definitions. */
import { OPEN_ARRAY, OPEN_OBJECT, QUOTE } from '../../json/bytes.ts';
import { walkMembers } from '../../json/members.ts';
import { type Scanner, skipBlanks } from '../../json/scanner.ts';
import { encode, knownText, parseString } from '../../json/utf8.ts';
import { ValueTape } from '../../json/value-tape.ts';
import type { Line, Message, Origin, Rejection, ToolDefinition } from '../../model/element.ts';
import type { DialectSpec } from '../dialect-spec.ts';
import { KeyLayouts } from './key-layouts.ts';
import { missingOrBad, rejectObject } from './line-objects.ts';
import { createMessageList, isMessage } from './logged-messages.ts';
import { createToolsReader, flattenAny, NO_TOOLS, type ToolsReader } from './tool-definitions.ts';

export class WalkedObject {
  readonly #scanner: Scanner;
  /** The path of its messages, to be named in a rejection. */
  readonly #path: string;
  readonly #messages;
  readonly #tools;
  readonly #keys: ReadonlyMap<string, PathKey>;
  readonly #messagesKey: PathKey | undefined;
  readonly #toolsKey: PathKey | undefined;
  readonly #allKeys: Set<string> | undefined;
  /** Are messages or tools read during the walk? */
  readonly #hasPaths: boolean;
  readonly #layouts = new KeyLayouts((key) => this.#allKeys !== undefined || this.#keys.has(key));
  /** Holds the values of the current object; only its members if messages or tools are read during the walk. */
  readonly tape: ValueTape = new ValueTape();
  /** Index of a duplicate key; -1 if the object has none. */
  duplicateAt = -1;
  #hasList = false;
  /** Number of objects walked so far; a key whose `seenIn` is this number is in the current object. */
  #walked = 0;

  constructor(spec: Pick<DialectSpec, 'messages' | 'tools' | 'keys' | 'allKeys'>, scanner: Scanner) {
    this.#scanner = scanner;
    this.#path = spec.messages ?? 'messages';
    this.#keys = pathKeys(spec);
    this.#allKeys = spec.allKeys && new Set();
    this.#hasPaths = spec.messages !== undefined || spec.tools !== undefined;
    this.#messagesKey = keyAt(this.#keys, spec.messages);
    this.#toolsKey = keyAt(this.#keys, spec.tools);
    this.#messages = createMessageList(scanner, depthOf(spec.messages) + 1);
    this.#tools = new ToolsText(scanner, createToolsReader(scanner, depthOf(spec.tools), flattenAny));
  }

  walk(bytes: Uint8Array, at: number): number {
    this.duplicateAt = -1;
    return this.#hasPaths ? this.#walkPaths(bytes, at) : this.#walkRows(bytes, at);
  }

  /** Walks an object whose messages and tools are not read during the walk. */
  #walkRows(bytes: Uint8Array, at: number): number {
    const tape = this.tape;
    const objectEnd = this.#scanner.tape(bytes, at, tape);
    if (objectEnd < 0) return -1;
    this.duplicateAt = this.#layouts.place(bytes, tape);
    return objectEnd;
  }

  #walkPaths(bytes: Uint8Array, at: number): number {
    this.#walked++;
    this.#allKeys?.clear();
    this.#hasList = false;
    const tape = this.tape;
    tape.beginObject(at);
    const objectEnd = walkMembers(bytes, at, this.#scanner, (keyStart, keyEnd, value) => {
      const key = knownText(bytes, keyStart, keyEnd);
      if (this.#allKeys?.has(key)) this.duplicateAt = keyStart;
      this.#allKeys?.add(key);
      const end = this.#readMember(this.#keys.get(key), bytes, keyStart, value, 1);
      tape.addMember(keyStart, keyEnd, value, end, key.length !== keyEnd - keyStart - 2);
      return end;
    });
    tape.endObject(objectEnd);
    return objectEnd;
  }

  #readMember(
    key: PathKey | undefined,
    bytes: Uint8Array,
    keyStart: number,
    at: number,
    depth: number,
  ): number {
    if (key === undefined) return this.#scanner.value(bytes, at, depth);
    if (key.seenIn === this.#walked) this.duplicateAt = keyStart;
    key.seenIn = this.#walked;
    key.at = at;
    if (key.as === 'tools') return this.#tools.read(bytes, at);
    if (key.as === 'messages' && bytes[at] === OPEN_ARRAY) {
      this.#hasList = true;
      return this.#messages.read(bytes, at);
    }
    if (key.inner.size === 0 || bytes[at] !== OPEN_OBJECT) return this.#scanner.value(bytes, at, depth);
    return walkMembers(bytes, at, this.#scanner, (start, end, value) =>
      this.#readMember(key.inner.get(knownText(bytes, start, end)), bytes, start, value, depth + 1),
    );
  }

  /** Index of a key's value; -1 if the current object does not have it. */
  #placeOf(key: PathKey | undefined): number {
    return key?.seenIn === this.#walked ? key.at : -1;
  }

  /** The messages of the object; a rejection if they are not a list of objects with a string role. */
  messages(line: Line, origin: Origin): readonly Message[] | Rejection {
    const at = this.#placeOf(this.#messagesKey);
    const bad = (detail: string): Rejection => rejectObject(line, origin, 'bad-messages', detail, at);
    if (at < 0 || !this.#hasList) return bad(missingOrBad(this.#path, at));
    const { items } = this.#messages;
    return items.every(isMessage) ? items : bad('a message is not an object with a string role');
  }

  /** The tool definitions of the object; a rejection if they are not a list of objects. */
  definitions(line: Line, origin: Origin): readonly ToolDefinition[] | Rejection {
    const at = this.#placeOf(this.#toolsKey);
    if (at < 0) return NO_TOOLS;
    return this.#tools.definitions ?? rejectTools(line, origin, this.#tools, at);
  }

  forget(): void {
    this.#messages.forget();
  }
}

/** Nesting depth of the value at a path. */
function depthOf(path = ''): number {
  return path.split('.').length;
}

/** The keys that a dialect reads, as a tree: built from the paths in its `DialectSpec`. */
interface PathKey {
  /** How to read the value. */
  as: 'messages' | 'tools' | 'value';
  /** The keys to read inside the value, if that is an object. */
  readonly inner: Map<string, PathKey>;
  /** Number of the last object that had this key. */
  seenIn: number;
  /** Where its value begins in that object. */
  at: number;
}

/** Returns the top-level keys. */
function pathKeys({
  messages,
  tools,
  keys = [],
}: Pick<DialectSpec, 'messages' | 'tools' | 'keys'>): ReadonlyMap<string, PathKey> {
  const top = new Map<string, PathKey>();
  const add = (path: readonly string[], as: PathKey['as']): void => {
    let level = top;
    for (const [i, key] of path.entries()) {
      const known: PathKey = level.get(key) ?? { as: 'value', inner: new Map(), seenIn: 0, at: -1 };
      if (i === path.length - 1) known.as = as;
      level.set(key, known);
      level = known.inner;
    }
  };
  for (const key of keys) add([key], 'value');
  if (messages !== undefined) add(messages.split('.'), 'messages');
  if (tools !== undefined) add(tools.split('.'), 'tools');
  return top;
}

/** The key at the end of a path. */
function keyAt(keys: ReadonlyMap<string, PathKey>, path: string | undefined): PathKey | undefined {
  let level = keys;
  let key: PathKey | undefined;
  for (const name of path?.split('.') ?? []) {
    key = level.get(name);
    level = key?.inner ?? new Map();
  }
  return key;
}

/** Reads tool definitions that may be JSON in a string, as formats for loaders with typed columns have them. */
class ToolsText {
  readonly #scanner: Scanner;
  readonly #list: ToolsReader;
  definitions: readonly ToolDefinition[] | undefined;
  /** Whether the list in the string read last had too many elements; then it has no definitions. */
  isCrowded = false;

  /** @param list reads the list itself, with the same scanner */
  constructor(scanner: Scanner, list: ToolsReader) {
    this.#scanner = scanner;
    this.#list = list;
  }

  read(bytes: Uint8Array, at: number): number {
    this.isCrowded = false;
    const isText = bytes[at] === QUOTE;
    const end = isText ? this.#scanner.string(bytes, at) : this.#list.read(bytes, at);
    if (!isText) this.definitions = this.#list.definitions;
    else if (end >= 0) this.definitions = this.#definitionsIn(parseString(bytes, at, end));
    return end;
  }

  /** The definitions in a text: none if it is empty; undefined if it is not a list of objects. */
  #definitionsIn(text: string): readonly ToolDefinition[] | undefined {
    if (!text.isWellFormed()) return undefined; // a lone surrogate has no UTF-8
    const json = encode(text);
    const start = skipBlanks(json, 0);
    if (start === json.length) return NO_TOOLS;
    const end = this.#list.read(json, start);
    this.isCrowded = end < 0 && this.#scanner.crowdAt >= 0;
    return end < 0 || skipBlanks(json, end) < json.length ? undefined : this.#list.definitions;
  }
}

/** Rejects an object whose tools, at `at`, are not valid. */
function rejectTools(line: Line, origin: Origin, { isCrowded }: ToolsText, at: number): Rejection {
  return isCrowded
    ? rejectObject(
        line,
        origin,
        'too-many-elements',
        'the list in the string tools has too many elements',
        at,
      )
    : rejectObject(line, origin, 'bad-tools', 'tools is not valid', at);
}
