/**
 * Entries as bytes: in a trace of many calls, the objects for their messages would take ten times the room of the text.
 */
import { createKeeper } from '../../json/keep.ts';
import type { Changes, Entry, Message } from '../../model/element.ts';
import type { Place } from '../../model/entry-log.ts';
import { META_NAMES, type Meta, type MetaName } from '../../model/meta.ts';
import { MAX_VARINT_BYTES, putVarint, VarintReader } from '../../model/varints.ts';

/** The members of an entry that most calls of a source have in common. */
type Common = Omit<Entry, Own> & { readonly source: string };

type Own = 'origin' | 'sessionId' | 'timestamp' | 'messages' | 'reply' | 'meta';

/** The fields that a few messages have besides their bytes and a usual role. */
type More = Omit<Message, 'bytes'> | undefined;

/** An entry, with the calls that it continues. The lists grow with the conversation. */
export interface HeldEntry {
  readonly entry: Entry;
  /** Places of its call and of all calls that it continues; undefined if there is only the call. */
  readonly places: Place[] | undefined;
  /** Metadata of these calls. */
  readonly metas: Meta[] | undefined;
  /** Metadata of calls that it continues, but that came after it in the log. */
  readonly late: Meta[] | undefined;
}

export interface PackedEntry {
  readonly common: Common;
  readonly bytes: Uint8Array;
  /** By number of the message. */
  readonly more: readonly More[] | undefined;
}

const ROLES = ['', 'user', 'assistant', 'system', 'tool', 'developer'] as const;
const FIRST_BYTES = 4096;
const MAX_SCRATCH_BYTES = 1024 * 1024;

const keep = createKeeper();

/** Writes numbers and bytes one after the other. */
class Scratch {
  #bytes = new Uint8Array(FIRST_BYTES);
  #used = 0;

  #reserve(length: number): void {
    const needed = this.#used + length;
    if (needed <= this.#bytes.length) return;
    const grown = new Uint8Array(needed * 2);
    grown.set(this.#bytes.subarray(0, this.#used));
    this.#bytes = grown;
  }

  number(value: number): void {
    this.#reserve(MAX_VARINT_BYTES);
    this.#used = putVarint(this.#bytes, this.#used, value);
  }

  piece(bytes: Uint8Array): void {
    this.number(bytes.length);
    this.#reserve(bytes.length);
    this.#bytes.set(bytes, this.#used);
    this.#used += bytes.length;
  }

  take(): Uint8Array {
    const bytes = keep(this.#bytes, 0, this.#used);
    this.#used = 0;
    if (this.#bytes.length > MAX_SCRATCH_BYTES) this.#bytes = new Uint8Array(FIRST_BYTES);
    return bytes;
  }
}

const scratch = new Scratch();
const SECOND = 1_000_000_000n;

/**
 * @param last an entry packed before, with which it shares the members that are the same
 * @returns undefined for an entry that cannot be packed
 */
export function packEntry(held: HeldEntry, last: PackedEntry | undefined): PackedEntry | undefined {
  const { entry, places = [], metas = [], late = [] } = held;
  const { origin, sessionId: _, timestamp, messages, reply, meta, ...rest } = entry;
  if (timestamp !== undefined && timestamp < 0n) return undefined;
  const more: More[] = [];
  scratch.number(origin.offset);
  scratch.number(timestamp === undefined ? 0 : Number(timestamp / SECOND) + 1);
  scratch.number(timestamp === undefined ? 0 : Number(timestamp % SECOND));
  scratch.number(origin.line);
  scratch.number(origin.length);
  scratch.number(messages.length);
  scratch.number(reply === undefined ? 0 : 1);
  for (const [i, message] of messages.entries()) put(message, i, more);
  if (reply !== undefined) put(reply, messages.length, more);
  putMeta(meta);
  scratch.number(places.length);
  for (const place of places) {
    scratch.number(place.offset);
    scratch.number(place.line);
    scratch.number(place.length);
  }
  for (const list of [metas, late]) {
    scratch.number(list.length);
    for (const one of list) putMeta(one);
  }
  const common = { ...rest, source: origin.source };
  return {
    common: last !== undefined && isSame(common, last.common) ? last.common : common,
    bytes: scratch.take(),
    more: more.length === 0 ? undefined : more,
  };
}

function put({ bytes, ...rest }: Message, number: number, more: More[]): void {
  const role = Object.keys(rest).length === 1 ? ROLES.indexOf(rest.role as (typeof ROLES)[number]) : -1;
  scratch.number(role + 1);
  if (role < 0) more[number] = rest;
  scratch.piece(bytes);
}

function putMeta(meta: Meta | undefined): void {
  for (const [name, value] of meta ?? []) {
    scratch.number(META_NAMES.indexOf(name) + 1);
    scratch.piece(value);
  }
  scratch.number(0);
}

function isSame(one: Common, other: Common): boolean {
  const names = Object.keys(one) as (keyof Common)[];
  if (names.length !== Object.keys(other).length) return false;
  return names.every((name) => {
    if (name === 'tools') return areSameTools(one.tools, other.tools);
    if (name === 'changes') return areSameChanges(one.changes, other.changes);
    return one[name] === other[name];
  });
}

const areSameChanges = (one: Changes, other: Changes): boolean =>
  one.size === other.size && [...one].every(([rule, count]) => other.get(rule) === count);

const areSameTools = (one: Common['tools'], other: Common['tools']): boolean =>
  one.length === other.length &&
  one.every(({ bytes }, i) => Buffer.compare(bytes, (other[i] as Common['tools'][number]).bytes) === 0);

/** Where the entry is in its source, and its time. */
export function headOf({ bytes }: PackedEntry): {
  readonly offset: number;
  readonly timestamp: bigint | undefined;
} {
  const from = new VarintReader(bytes);
  return { offset: from.number(), timestamp: timeIn(from) };
}

function timeIn(from: VarintReader): bigint | undefined {
  const [seconds, rest] = [from.number(), from.number()];
  return seconds === 0 ? undefined : BigInt(seconds - 1) * SECOND + BigInt(rest);
}

/** The entry, without the id of its session: that is another one if the call joined it. */
export function unpackEntry({ common, bytes, more }: PackedEntry): HeldEntry {
  const from = new VarintReader(bytes);
  const offset = from.number();
  const timestamp = timeIn(from);
  const { source, ...rest } = common;
  const origin = { source, line: from.number(), offset, length: from.number() };
  const [count, replies] = [from.number(), from.number()];
  const messages = Array.from({ length: count + replies }, (_, i) => messageIn(from, more?.[i]));
  const reply = replies === 0 ? undefined : messages.pop();
  const meta = metaIn(from);
  const entry = {
    ...rest,
    sessionId: '',
    origin,
    timestamp,
    messages,
    reply,
    ...(meta.size > 0 && { meta }),
  };
  return {
    entry,
    places: listIn(from, placeIn),
    metas: listIn(from, metaIn),
    late: listIn(from, metaIn),
  };
}

/** A list, or undefined if it is empty. */
function listIn<T>(from: VarintReader, read: (from: VarintReader) => T): T[] | undefined {
  const length = from.number();
  return length === 0 ? undefined : Array.from({ length }, () => read(from));
}

function placeIn(from: VarintReader): Place {
  const offset = from.number();
  return { offset, line: from.number(), length: from.number() };
}

function messageIn(from: VarintReader, more: More): Message {
  const role = ROLES[from.number() - 1];
  const bytes = from.bytes(from.number());
  return role === undefined ? { ...(more as Omit<Message, 'bytes'>), bytes } : { bytes, role };
}

function metaIn(from: VarintReader): Meta {
  const meta = new Map<MetaName, Uint8Array>();
  for (let name = from.number(); name > 0; name = from.number())
    meta.set(META_NAMES[name - 1] as MetaName, from.bytes(from.number()));
  return meta;
}
