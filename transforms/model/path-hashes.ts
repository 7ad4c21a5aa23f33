/**
 * Tells whether one conversation continues another one: each message gets a hash of itself and all messages before it,
 * so two conversations are equal up to the last hash that they share. Reasoning and ids of calls do not count, because
 * clients drop the one from the history and change the other.
 */

import { QUOTE } from '../json/bytes.ts';
import { valuesOf } from '../json/members.ts';
import { parseJson, textPieces } from '../json/utf8.ts';
import type { Message } from './element.ts';
import { equalityKey } from './equality-key.ts';
import { hashOf, hashOfPieces } from './hashed-set.ts';
import { isObject } from './message.ts';

const SAME_ROLES: ReadonlyMap<string, string> = new Map([
  ['developer', 'system'],
  ['function', 'tool'],
]);
/** The members of a message that count. */
const COUNTED = ['role', 'content', 'tool_calls', 'tool_call_id'];
/** In characters. Longer texts are replaced by their hash. */
const LONG_TEXT = 16 * 1024;
/** A JSON string of more bytes holds a longer text, even if every character is an escape. */
const LONG_JSON_BYTES = 6 * LONG_TEXT + 2;

/** One hash per message, of itself and the messages before it. */
export function pathHashes(messages: readonly Message[]): readonly string[] {
  return pathOf(messages).hashes;
}

/** Messages with the hashes of their path. */
export interface Path {
  readonly messages: readonly Message[];
  readonly hashes: readonly string[];
  /** Ids of all calls, and the number of calls up to each message. */
  readonly ids: readonly string[];
  readonly counts: readonly number[];
}

/** Ids of the calls of a path. Paths that begin with the same calls share them. */
class CallIds {
  /** Calls of another path with which this one begins, and their number. */
  readonly #before: CallIds | undefined;
  readonly #start: number;
  #count: number;
  /** The positions of each id, in order. */
  readonly #places = new Map<string, number[]>();

  constructor(before?: CallIds, start = 0) {
    this.#before = before;
    this.#start = start;
    this.#count = start;
  }

  /** Adds an id after the first `count` ones. @returns the ids with it */
  add(count: number, id: string): CallIds {
    if (count !== this.#count) return new CallIds(this, count).add(count, id);
    const places = this.#places.get(id);
    if (places === undefined) this.#places.set(id, [count]);
    else places.push(count);
    this.#count++;
    return this;
  }

  /** The last position of an id among the first `count` ones; -1 if there is none. */
  lastOf(count: number, id: string): number {
    let limit = count;
    for (let ids: CallIds | undefined = this; ids !== undefined; ids = ids.#before) {
      const place = ids.#places.get(id)?.findLast((one) => one < limit);
      if (place !== undefined) return place;
      limit = Math.min(limit, ids.#start);
    }
    return -1;
  }
}

/** The end of a path, from which it can be continued. */
export interface PathEnd {
  /** Hash of the last message. */
  readonly hash: string;
  readonly ids: CallIds;
  /** Number of its calls. */
  readonly calls: number;
}

/** The end of a path without messages. */
export const NO_END: PathEnd = { hash: '', ids: new CallIds(), calls: 0 };

/** Continues a path, in time that depends on the new messages only. @returns their hashes, and the end after them */
export function extendPath(
  from: PathEnd,
  messages: readonly Message[],
): { readonly hashes: readonly string[]; readonly end: PathEnd } {
  let { hash, calls, ids } = from;
  const known = {
    lastIndexOf: (id: string): number => ids.lastOf(calls, id),
    push(id: string): void {
      // created late: most calls of a long chain add no ids, and each end is held
      if (calls === 0) ids = new CallIds();
      ids = ids.add(calls++, id);
    },
  };
  const hashes = messages.map(({ bytes }) => {
    hash = hashOf(hash + keyOf(bytes, known)).toString('latin1');
    return hash;
  });
  return { hashes, end: { hash, ids, calls } };
}

interface KnownIds {
  lastIndexOf(id: string): number;
  push(id: string): void;
}

const NO_PATH: Path = { messages: [], hashes: [], ids: [], counts: [] };

export const hasSameBytes = (a: Message, b: Message | undefined): boolean =>
  b !== undefined && (a.bytes === b.bytes || Buffer.compare(a.bytes, b.bytes) === 0);

/** @param known another path: leading messages with the same bytes are not hashed again */
export function pathOf(messages: readonly Message[], known: Path = NO_PATH): Path {
  let shared = 0;
  while (shared < messages.length && hasSameBytes(messages[shared] as Message, known.messages[shared]))
    shared++;
  const hashes = known.hashes.slice(0, shared);
  const counts = known.counts.slice(0, shared);
  const ids = known.ids.slice(0, counts.at(-1) ?? 0);
  for (const { bytes } of messages.slice(shared)) {
    const key = keyOf(bytes, ids);
    hashes.push(hashOf((hashes.at(-1) ?? '') + key).toString('latin1'));
    counts.push(ids.length);
  }
  return { messages, hashes, ids, counts };
}

/** @param ids of the calls so far; the position of a call replaces its id in the key of a result */
function keyOf(message: Uint8Array, ids: KnownIds): string {
  const [roleJson, content, callsJson, answered] = valuesOf(message, COUNTED);
  const role = `${valueIn(roleJson)}`;
  const name = SAME_ROLES.get(role) ?? role;
  const calls = valueIn(callsJson);
  const called = (Array.isArray(calls) ? calls.filter(isObject) : []).map(({ id, function: fn }) => {
    ids.push(`${id}`);
    const { name: tool, arguments: args } = isObject(fn) ? fn : {};
    return [tool ?? null, typeof args === 'string' ? parsedOrText(args) : (args ?? null)];
  });
  const answers = name === 'tool' ? ids.lastIndexOf(`${valueIn(answered)}`) : null;
  return equalityKey([name, ...keysOfContent(content), called, answers]);
}

const valueIn = (json: Uint8Array | undefined): unknown => (json === undefined ? undefined : parseJson(json));

function parsedOrText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
}

/** The joined texts, and the other parts. Null, an empty text and an empty list give the same key. */
function keysOfContent(json: Uint8Array | undefined): readonly [text: unknown, parts: readonly unknown[]] {
  if (json?.[0] === QUOTE && json.length > LONG_JSON_BYTES) return [longText(textPieces(json)), []];
  const content = valueIn(json);
  if (typeof content === 'string') return [keyOfText(content), []];
  if (!Array.isArray(content)) return ['', content === null || content === undefined ? [] : [content]];
  const isText = (part: unknown): part is { readonly text: string } =>
    isObject(part) && part.type === 'text' && typeof part.text === 'string';
  const texts = content.filter(isText).map(({ text }) => text);
  return [keyOfText(texts.join('\n')), content.filter((part) => !isText(part))];
}

const keyOfText = (text: string): unknown => (text.length > LONG_TEXT ? longText([text]) : text);

/** An object, so that it cannot equal a short text. */
const longText = (pieces: Iterable<string>): unknown => ({ hash: hashOfPieces(pieces).toString('latin1') });
