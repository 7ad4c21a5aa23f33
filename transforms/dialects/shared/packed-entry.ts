/**
 * Entries as bytes: in a trace of many calls, the objects for their messages would take ten times the room of the text.
 */
import { createKeeper } from '../../json/keep.ts';
import type { Changes, Entry, Message } from '../../model/element.ts';
import type { Place } from '../../model/entry-log.ts';
import { META_NAMES, type Meta, type MetaName } from '../../model/meta.ts';
import { VarintReader } from '../../model/varints.ts';
import { PackedBytes, PackedList } from './packed-list.ts';

/** The members of an entry that most calls of a source have in common. */
type Common = Omit<Entry, Own> & { readonly source: string };

type Own = 'origin' | 'sessionId' | 'timestamp' | 'messages' | 'reply' | 'meta';

/** The fields that a few messages have besides their bytes and a usual role. */
type More = Omit<Message, 'bytes'> | undefined;

/** An entry, with the calls that it continues. */
export interface HeldEntry {
  readonly entry: Entry;
  /** Places of its call and of all calls that it continues; undefined if there is only the call. */
  readonly places: PackedList<Place> | undefined;
  /** Metadata of these calls. */
  readonly metas: PackedList<Meta> | undefined;
  /** Metadata of calls that it continues, but that came after it in the log. */
  readonly late: PackedList<Meta> | undefined;
}

export interface PackedEntry {
  readonly common: Common;
  readonly bytes: Uint8Array;
  /** By number of the message. */
  readonly more: readonly More[] | undefined;
}

const ROLES = ['', 'user', 'assistant', 'system', 'tool', 'developer'] as const;
const MAX_SCRATCH_BYTES = 1024 * 1024;

const keep = createKeeper();
let scratch = new PackedBytes();

/** A copy of what was written to `scratch`, which is empty after it. */
function taken(): Uint8Array {
  const { bytes } = scratch;
  const copy = keep(bytes, 0, bytes.length);
  if (scratch.size > MAX_SCRATCH_BYTES) scratch = new PackedBytes();
  else scratch.clear();
  return copy;
}

const SECOND = 1_000_000_000n;

/**
 * @param last an entry packed before, with which it shares the members that are the same
 * @returns undefined for an entry that cannot be packed
 */
export function packEntry(held: HeldEntry, last: PackedEntry | undefined): PackedEntry | undefined {
  const { entry, places, metas, late } = held;
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
  putMeta(scratch, meta);
  for (const list of [places, metas, late]) {
    scratch.number(list?.length ?? 0);
    if (list !== undefined) scratch.piece(list.bytes);
  }
  const common = { ...rest, source: origin.source };
  return {
    common: last !== undefined && isSame(common, last.common) ? last.common : common,
    bytes: taken(),
    more: more.length === 0 ? undefined : more,
  };
}

function put({ bytes, ...rest }: Message, number: number, more: More[]): void {
  const role = Object.keys(rest).length === 1 ? ROLES.indexOf(rest.role as (typeof ROLES)[number]) : -1;
  scratch.number(role + 1);
  if (role < 0) more[number] = rest;
  scratch.piece(bytes);
}

function putMeta(to: PackedBytes, meta: Meta | undefined): void {
  for (const [name, value] of meta ?? []) {
    to.number(META_NAMES.indexOf(name) + 1);
    to.piece(value);
  }
  to.number(0);
}

function putPlace(to: PackedBytes, { offset, line, length }: Place): void {
  to.number(offset);
  to.number(line);
  to.number(length);
}

export const metaList = (): PackedList<Meta> => new PackedList(putMeta, metaIn);
export const placeList = (): PackedList<Place> => new PackedList(putPlace, placeIn);

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
    places: listIn(from, placeList),
    metas: listIn(from, metaList),
    late: listIn(from, metaList),
  };
}

/** A list, or undefined if it is empty. */
function listIn<T>(from: VarintReader, create: () => PackedList<T>): PackedList<T> | undefined {
  const length = from.number();
  if (length === 0) return undefined;
  const list = create();
  list.addPacked(from.bytes(from.number()), length);
  return list;
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
