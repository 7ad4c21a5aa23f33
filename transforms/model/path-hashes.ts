/**
 * Tells whether one conversation continues another one: each message gets a hash of its key (message-key.ts) and all
 * messages before it, so two conversations are equal up to the last hash that they share.
 */
import type { Message } from './element.ts';
import { shortHash } from './hashed-set.ts';
import { keyOf, messageReader } from './message-key.ts';
import type { MessageKey } from './message-reader.ts';

const scratch = Buffer.allocUnsafeSlow(1024);

/** One hash per message, of itself and the messages before it. */
export function pathHashes(messages: readonly Message[]): readonly string[] {
  return pathOf(messages).hashes;
}

/** The same as bytes, one hash after the other. */
export function pathBytes(messages: readonly Message[]): Uint8Array {
  return messageReader()?.pathOf(messages) ?? Buffer.from(pathHashes(messages).join(''), 'latin1');
}

/** Messages with the hashes of their path. */
export interface Path {
  readonly messages: readonly Message[];
  readonly hashes: readonly string[];
  readonly keys: readonly MessageKey[];
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
    hash = hashAfter(hash, keyOf(bytes), known);
    return hash;
  });
  return { hashes, end: { hash, ids, calls } };
}

interface KnownIds {
  lastIndexOf(id: string): number;
  push(id: string): void;
}

const NO_PATH: Path = { messages: [], hashes: [], keys: [], ids: [], counts: [] };

export const hasSameBytes = (a: Message, b: Message | undefined): boolean =>
  b !== undefined && (a.bytes === b.bytes || Buffer.compare(a.bytes, b.bytes) === 0);

/** Number of messages with which a path begins. */
export function sharedLength(messages: readonly Message[], known: Pick<Path, 'messages'>): number {
  let shared = 0;
  while (shared < messages.length && hasSameBytes(messages[shared] as Message, known.messages[shared]))
    shared++;
  return shared;
}

/**
 * @param known another path: leading messages with the same bytes are not hashed again, and the same messages after them are
 * not read again, as if only a time in the system text differs
 * @param shared number of these leading messages
 */
export function pathOf(
  messages: readonly Message[],
  known: Path = NO_PATH,
  shared: number = sharedLength(messages, known),
): Path {
  const hashes = known.hashes.slice(0, shared);
  const keys = known.keys.slice(0, shared);
  const counts = known.counts.slice(0, shared);
  const ids = known.ids.slice(0, counts.at(-1) ?? 0);
  for (let i = shared; i < messages.length; i++) {
    const message = messages[i] as Message;
    const key = (message === known.messages[i] ? known.keys[i] : undefined) ?? keyOf(message.bytes);
    keys.push(key);
    hashes.push(hashAfter(hashes.at(-1) ?? '', key, ids));
    counts.push(ids.length);
  }
  return { messages, hashes, keys, ids, counts };
}

/**
 * @param before hash of the message before it; empty for the first one
 * @param ids of the calls so far; the position of a call replaces its id in the key of a result
 */
function hashAfter(before: string, { digest, callIds, answered }: MessageKey, ids: KnownIds): string {
  for (const id of callIds) ids.push(id);
  const answers = answered === undefined ? '' : `${ids.lastIndexOf(answered)}`;
  const length = scratch.write(before + digest + answers, 'latin1');
  return shortHash(scratch.subarray(0, length));
}
