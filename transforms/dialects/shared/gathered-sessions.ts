/**
 * Sorts calls of interleaved sessions into conversations. Each call repeats the conversation so far, so only the place
 * of a call that another one continues is held; calls that no other one continues become conversations at the end of
 * the source. A call without a session id joins the session whose conversation it continues.
 */
import type { Entry, Fate, Message } from '../../model/element.ts';
import { createEntryLog, type Place } from '../../model/entry-log.ts';
import type { Meta } from '../../model/meta.ts';
import { extendPath, type Path, pathOf } from '../../model/path-hashes.ts';
import { SessionIds } from '../../model/session-ids.ts';
import type { FoldSelect, ReadElement } from '../dialect.ts';
import { metaOfAnswers } from '../fold/path-meta.ts';
import { heldMessage, heldMeta } from './held-messages.ts';
import { type CallChain, isSameList, wholeMessages } from './history.ts';

export interface GatherOptions {
  /** Bytes that open sessions may hold in total; beyond that, the session that was idle the longest is written. */
  readonly maxBytes: number;
  /** Conversations of a session that continue the same calls in different ways; all others are written in any number. */
  readonly maxBranches: number;
  /** `last`: only the longest conversation of each session; of equally long ones the last. */
  readonly select: FoldSelect;
}

/** How a call joins a session. */
interface Joining {
  /** Whether its session id comes from the log. */
  readonly hasId?: boolean;
  /** Whether it may continue a conversation of another session. */
  readonly joins?: boolean;
  /** Set if it does not list the messages of the calls that it continues. */
  readonly chain?: CallChain | undefined;
}

/** The hashes of a call's messages (path-hashes.ts). */
interface CallPath {
  /** Hash of the last message of the calls that it continues, if it does not list them. */
  readonly before: string | undefined;
  /** Hashes of the messages that it lists after those. */
  readonly hashes: readonly string[];
  /** Index of the first hash that includes an answer; -1 if `before` does too. */
  readonly answeredAt: number;
  /** All hashes: takes time in proportion to the whole conversation. */
  all(): readonly string[];
}

/** A conversation that no other call of its session continues. */
interface Leaf {
  entry: Entry;
  readonly chain: CallChain | undefined;
  /** The conversation that continues it. */
  next?: Leaf;
  /** Places of its call and of all calls that it continues. */
  places: Place[];
  /** Metadata of these calls. */
  metas: Meta[];
  /** Metadata of calls that it continues, but that came after it in the log. */
  late: Meta[];
  /** Hash of its messages (path-hashes.ts). */
  readonly end: string;
}

// estimates of memory in bytes: a call and a message, besides their text
const CALL_BYTES = 256;
const MESSAGE_BYTES = 160;

class Session {
  readonly id: string;
  readonly number: number;
  /** The ids of its calls; empty if the calls have none. */
  readonly ids = new Set<string>();
  readonly leaves = new Set<Leaf>();
  /** Hashes of the messages of its answered calls, without the answers. */
  readonly questions = new Set<string>();
  weight = 0;
  /** Number of conversations that continue the same calls in different ways. */
  #branches = 1;
  /** By the hash of a prefix of messages: a leaf whose conversation begins with it. */
  readonly #through = new Map<string, Leaf>();
  /** The sessions of all leaves of the source, by the leaves' `end`. */
  readonly #ends: Map<string, Session>;

  /** The sessions of all answered calls of the source, by the hash of their messages without the answer. */
  readonly #asked: Map<string, Session>;

  /** @param number its position among the sessions of the source, from 0 */
  constructor(id: string, number: number, ends: Map<string, Session>, asked: Map<string, Session>) {
    this.id = id;
    this.number = number;
    this.#ends = ends;
    this.#asked = asked;
  }

  /** @returns false if it is a branch beyond the limit, which is not added */
  add(entry: Entry, path: CallPath, chain: CallChain | undefined, maxBranches: number): boolean {
    const { origin } = entry;
    const { before, hashes } = path;
    const end = hashes.at(-1) ?? '';
    const longer = this.#leafThrough(end);
    // two calls with the same path: the one with an answer counts
    const isKnown = longer !== undefined && (longer.end !== end || isUnanswered(entry, longer.entry));
    const isHere = before !== undefined && this.#through.has(before);
    const isBranch = before !== undefined && this.#leafThrough(before)?.end !== before;
    if (!isKnown && isBranch && ++this.#branches > maxBranches) return false;
    const question = entry.reply === undefined ? undefined : (hashes.at(-2) ?? before);
    if (question !== undefined) {
      this.questions.add(question);
      this.#asked.set(question, this);
    }
    this.weight += CALL_BYTES;
    if (isKnown) {
      longer.places.push(origin);
      if (entry.meta !== undefined) longer.late.push(heldMeta(entry.meta));
      longer.entry = withTools(longer.entry, entry);
      return true;
    }
    const held = heldEntry(entry);
    const metas = held.meta === undefined ? [] : [held.meta];
    const leaf: Leaf = { entry: held, chain: chain?.before && chain, places: [origin], metas, late: [], end };
    for (const hash of isHere ? [before, ...hashes] : path.all()) {
      const shorter = this.#leafThrough(hash);
      if (shorter?.end === hash) this.#include(leaf, shorter);
      this.#through.set(hash, leaf);
    }
    this.leaves.add(leaf);
    this.#ends.set(end, this);
    this.weight += weightOf(entry);
    return true;
  }

  /** A leaf whose conversation has a prefix. */
  #leafThrough(hash: string): Leaf | undefined {
    let leaf = this.#through.get(hash);
    if (leaf?.next === undefined) return leaf;
    while (leaf.next !== undefined) leaf = leaf.next;
    this.#through.set(hash, leaf);
    return leaf;
  }

  /** Is a single path all that it holds, and is that the beginning of this one? */
  hasOnly({ before, hashes }: CallPath): boolean {
    const [only] = this.leaves;
    if (this.leaves.size !== 1 || only === undefined) return false;
    return only.end === before || hashes.includes(only.end);
  }

  #include(leaf: Leaf, shorter: Leaf): void {
    for (const place of leaf.places) shorter.places.push(place);
    leaf.places = shorter.places;
    for (const meta of leaf.metas) shorter.metas.push(meta);
    leaf.metas = shorter.metas;
    leaf.late = shorter.late;
    leaf.entry = withTools(leaf.entry, shorter.entry);
    this.leaves.delete(shorter);
    shorter.next = leaf;
    this.#ends.delete(shorter.end);
    this.weight -= leaf.chain?.before === undefined ? weightOf(shorter.entry) : toolsWeightOf(shorter.entry);
  }
}

function heldEntry({ messages, reply, meta, ...entry }: Entry): Entry {
  return {
    ...entry,
    messages: messages.map(heldMessage),
    reply: reply && heldMessage(reply),
    ...(meta && { meta: heldMeta(meta) }),
  };
}

const isUnanswered = ({ reply }: Entry, { reply: other }: Entry): boolean =>
  reply === undefined && other !== undefined;

/** Does the log give no reason why there is no answer, as an error or a placeholder? */
const isSilent = ({ messages }: Entry): boolean => (messages.at(-1)?.notes?.length ?? 0) === 0;

function weightOf(entry: Entry): number {
  let weight = toolsWeightOf(entry);
  for (const { bytes } of entry.messages) weight += bytes.length + MESSAGE_BYTES;
  return weight + (entry.reply?.bytes.length ?? 0);
}

const toolsWeightOf = ({ tools }: Entry): number => tools.reduce((sum, { bytes }) => sum + bytes.length, 0);

/** The entry with the tools and the time of an earlier call of its conversation added. */
function withTools(entry: Entry, earlier: Entry): Entry {
  const names = new Set(earlier.tools.map(({ name }) => name));
  const more = entry.tools.filter(({ name }) => name === undefined || !names.has(name));
  const [a, b] = [earlier.timestamp, entry.timestamp];
  const timestamp = a !== undefined && (b === undefined || a < b) ? a : b;
  const tools = earlier.tools.length === 0 ? entry.tools : [...earlier.tools, ...more];
  return { ...entry, tools, timestamp };
}

/** Index of the first answer; the number of messages if there is none. */
function answerIn(messages: readonly Message[]): number {
  const at = messages.findIndex(({ role }) => role === 'assistant');
  return at < 0 ? messages.length : at;
}

export class GatheredSessions {
  readonly #options: GatherOptions;
  /** Open sessions by each of their ids: equal calls in separate traces form one session that has all their ids. */
  readonly #open = new Map<string, Session>();
  /** The sessions in `#open`; the one that was idle the longest is first. */
  readonly #idle = new Set<Session>();
  /** Ids of the sessions that were written before the end of the source. */
  readonly #ended = new SessionIds();
  /** The sessions of all leaves, by the leaves' `end`. */
  readonly #ends = new Map<string, Session>();
  /** The sessions of all answered calls, by the hash of their messages without the answer. */
  readonly #asked = new Map<string, Session>();
  /** The session of the last call, if it has no id: only the next call may continue it. */
  #nameless: Session | undefined;
  /** Hashes of the last call's messages, most of which the next call repeats. */
  #path: Path | undefined;
  /** Calls that were not added, and sessions that have ended. */
  #finished: (Entry | Session)[] = [];
  #held = 0;
  #sessions = 0;

  constructor(options: GatherOptions) {
    this.#options = options;
  }

  add(entry: Entry, { hasId = true, joins = !hasId, chain }: Joining = {}): void {
    const { sessionId: id } = entry;
    if (hasId && this.#ended.has(id)) {
      this.#finished.push(refusedCall(entry, REOPENED));
      return;
    }
    const path = this.#pathOf(entry, chain);
    const known = hasId ? this.#open.get(id) : undefined;
    const earlier = known === undefined && joins ? this.#earlier(path, entry) : undefined;
    const session = known ?? earlier ?? new Session(id, this.#sessions++, this.#ends, this.#asked);
    if (this.#nameless !== undefined && this.#nameless !== session) this.#close(this.#nameless);
    if (hasId) {
      session.ids.add(id);
      this.#open.set(id, session);
    }
    this.#nameless = session.ids.size === 0 ? session : undefined;
    if (session.ids.size > 0) {
      this.#idle.delete(session);
      this.#idle.add(session);
    }
    const before = session.weight;
    const { maxBranches, select } = this.#options;
    const most = select === 'last' ? Number.POSITIVE_INFINITY : maxBranches;
    if (!session.add(entry, path, chain, most)) this.#finished.push(refusedCall(entry, BEYOND));
    this.#held += session.weight - before;
    for (const oldest of this.#idle) {
      if (this.#held <= this.#options.maxBytes) break;
      for (const one of oldest.ids) this.#ended.add(one);
      this.#close(oldest);
    }
  }

  #pathOf(entry: Entry, chain: CallChain | undefined): CallPath {
    const { messages, reply } = entry;
    const listed = reply === undefined ? messages : [...messages, reply];
    if (chain?.before === undefined) {
      this.#path = pathOf(listed, this.#path);
      const { hashes } = this.#path;
      return { before: undefined, hashes, answeredAt: answerIn(listed), all: () => hashes };
    }
    const { at, before, own } = chain;
    const system = messages.slice(0, at);
    const start = before.endAfter(system);
    const added = listed.slice(at);
    const { hashes, end } = extendPath(start, added);
    if (isSameList(own?.addedMessages, added)) own?.setEnd(system, end);
    return {
      before: start.hash,
      hashes,
      answeredAt: before.hasAnswer ? -1 : answerIn(added),
      all: () => pathOf([...system, ...before.messages, ...added]).hashes,
    };
  }

  /** The session of the longest answered conversation that a path begins with, or of the last call if that failed and this one repeats it. */
  #earlier(path: CallPath, entry: Entry): Session | undefined {
    const { before, hashes, answeredAt } = path;
    if (this.#nameless?.hasOnly(path) === true) return this.#nameless;
    for (let i = hashes.length - 1; i >= Math.max(answeredAt, 0); i--) {
      const session = this.#ends.get(hashes[i] as string);
      if (session !== undefined) return session;
    }
    const continued = answeredAt < 0 && before !== undefined ? this.#ends.get(before) : undefined;
    return continued ?? this.#twinOf(entry, hashes);
  }

  /** The session of a call with the same messages, if one of the two has the answer: some tracers log a streamed call twice. */
  #twinOf(entry: Entry, hashes: readonly string[]): Session | undefined {
    if (entry.reply === undefined) return isSilent(entry) ? this.#asked.get(hashes.at(-1) ?? '') : undefined;
    const question = hashes.at(-2) ?? '';
    const session = this.#ends.get(question);
    const isTwin = [...(session?.leaves ?? [])].some((leaf) => leaf.end === question && isSilent(leaf.entry));
    return isTwin ? session : undefined;
  }

  closeAll(): void {
    const open = new Set(this.#idle);
    if (this.#nameless !== undefined) open.add(this.#nameless);
    for (const session of [...open].sort((a, b) => a.number - b.number)) this.#close(session);
    this.#nameless = this.#path = undefined;
  }

  get hasFinished(): boolean {
    return this.#finished.length > 0;
  }

  /** Yields the elements of sessions that have ended. Each conversation is listed when it is taken. */
  *take(): Generator<ReadElement> {
    const finished = this.#finished.reverse();
    this.#finished = [];
    for (let one = finished.pop(); one !== undefined; one = finished.pop())
      if (one instanceof Session) yield* elementsOf(one, this.#options.select);
      else yield one;
  }

  forget(): void {
    this.#open.clear();
    this.#idle.clear();
    this.#ended.clear();
    this.#ends.clear();
    this.#asked.clear();
    this.#nameless = this.#path = undefined;
    this.#finished = [];
    this.#held = 0;
  }

  #close(session: Session): void {
    for (const id of session.ids) this.#open.delete(id);
    this.#idle.delete(session);
    for (const { end } of session.leaves) this.#ends.delete(end);
    for (const question of session.questions) this.#asked.delete(question);
    this.#held -= session.weight;
    this.#finished.push(session);
  }
}

function* elementsOf(session: Session, select: FoldSelect): Generator<ReadElement> {
  const leaves = inOrder(session.leaves);
  const only = select === 'last' ? longest(leaves) : undefined;
  const written = only === undefined ? leaves : [only];
  for (const [i, leaf] of written.entries())
    yield entryOf(leaf, i === 0 ? session.id : `${session.id}#${i + 1}`);
  if (only === undefined) return;
  for (const leaf of leaves) if (leaf !== only) yield* abandoned(leaf);
}

/** Sorts by time if all leaves have one, else in the order of the log. */
function inOrder(leaves: ReadonlySet<Leaf>): readonly Leaf[] {
  const list = [...leaves].sort((a, b) => a.entry.origin.offset - b.entry.origin.offset);
  if (list.some(({ entry }) => entry.timestamp === undefined)) return list;
  return list.sort((a, b) => Number((a.entry.timestamp as bigint) - (b.entry.timestamp as bigint)));
}

function longest(leaves: readonly Leaf[]): Leaf | undefined {
  let best: Leaf | undefined;
  for (const leaf of leaves) {
    if (best === undefined || lengthOf(leaf) >= lengthOf(best)) best = leaf;
  }
  return best;
}

const lengthOf = ({ entry, chain }: Leaf): number => entry.messages.length + (chain?.before?.length ?? 0);

function entryOf({ entry, chain, places, metas, late }: Leaf, sessionId: string): Entry {
  const log = createEntryLog();
  const { source } = entry.origin;
  for (const place of places.toSorted((a, b) => a.line - b.line || a.offset - b.offset))
    log.add({ source, ...place });
  const meta = metaOfAnswers(entry.meta, [...late.toReversed(), ...metas]);
  const known = meta.size === 0 ? undefined : { meta };
  const messages = wholeMessages(entry.messages, chain);
  return { ...entry, ...known, messages, sessionId, alone: true, lines: log.take(), isGathered: true };
}

function* abandoned({ entry, places }: Leaf): Generator<Fate> {
  for (const { line, offset, length } of places) {
    const origin = { source: entry.origin.source, line, offset, length };
    yield { kind: 'fate', fate: 'dropped:abandoned-branch', origin };
  }
}

const REOPENED = {
  reason: 'session-reopened',
  detail: 'the session with this id was already written, because it was idle when memory ran short',
} as const;
const BEYOND = {
  reason: 'too-many-branches',
  detail: 'the session has more branches than --max-branches; the first ones are written',
} as const;

function refusedCall(entry: Entry, refused: NonNullable<Entry['refused']>): Entry {
  const log = createEntryLog();
  log.add(entry.origin);
  return { ...entry, messages: [], reply: undefined, alone: true, lines: log.take(), refused };
}
