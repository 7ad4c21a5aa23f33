/** A session that is still open: its conversations that no other call has continued so far. */
import type { Entry, Fate } from '../../model/element.ts';
import { createEntryLog, type Place } from '../../model/entry-log.ts';
import type { Meta } from '../../model/meta.ts';
import type { FoldSelect, ReadElement } from '../dialect.ts';
import { metaOfAnswers } from '../fold/path-meta.ts';
import { heldMessage, heldMeta } from './held-messages.ts';
import { type CallChain, wholeMessages } from './history.ts';

/** How a call joins a session. */
export interface Joining {
  /** Whether its session id comes from the log. */
  readonly hasId?: boolean;
  /** Whether it may continue a conversation of another session. */
  readonly joins?: boolean;
  /** Set if it does not list the messages of the calls that it continues. */
  readonly chain?: CallChain | undefined;
  /** Id of the call, if it may be logged again. */
  readonly callId?: string | undefined;
}

/** The hashes of a call's messages (path-hashes.ts). */
export interface CallPath {
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
export interface Leaf {
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
  /** Hash of its messages without the answer. */
  readonly question: string | undefined;
  readonly callId: string | undefined;
  /** Set if it has other calls: those that it continues, or one with the same messages. */
  others?: 'before' | 'same' | undefined;
  /** Set if `next` is a later version of the call, whose messages are others. */
  isReplaced?: true;
}

// estimates of memory in bytes: a call and a message, besides their text
const CALL_BYTES = 256;
const MESSAGE_BYTES = 160;

export class GatheredSession {
  readonly id: string;
  readonly number: number;
  /** The ids of its calls; empty if the calls have none. */
  readonly ids: Set<string> = new Set();
  readonly leaves: Set<Leaf> = new Set();
  /** Hashes of the messages of its answered calls, without the answers. */
  readonly questions: Set<string> = new Set();
  weight = 0;
  /** Number of conversations that continue the same calls in different ways. */
  #branches = 1;
  /** By the hash of a prefix of messages: a leaf whose conversation begins with it. */
  readonly #through = new Map<string, Leaf>();
  /** The conversation of each call that may be logged again. */
  readonly #calls = new Map<string, Leaf>();
  /** The sessions of all leaves of the source, by the leaves' `end`. */
  readonly #ends: Map<string, GatheredSession>;

  /** The sessions of all answered calls of the source, by the hash of their messages without the answer. */
  readonly #asked: Map<string, GatheredSession>;

  /** @param number its position among the sessions of the source, from 0 */
  constructor(
    id: string,
    number: number,
    ends: Map<string, GatheredSession>,
    asked: Map<string, GatheredSession>,
  ) {
    this.id = id;
    this.number = number;
    this.#ends = ends;
    this.#asked = asked;
  }

  /**
   * @param callId of a call that may be logged again: a later version with other messages replaces the former one
   * @returns false if it is a branch beyond the limit, which is not added
   */
  add(
    entry: Entry,
    path: CallPath,
    { chain, callId }: Pick<Joining, 'chain' | 'callId'>,
    maxBranches: number,
  ): boolean {
    const { before, hashes } = path;
    const end = hashes.at(-1) ?? '';
    const longer = this.#leafThrough(end);
    // two calls with the same path: the one with an answer counts
    const isKnown = longer !== undefined && (longer.end !== end || isUnanswered(entry, longer.entry));
    const former = this.#formerOf(callId, path);
    const isBranch = before !== undefined && this.#leafThrough(before)?.end !== before;
    if (!isKnown && isBranch && former === undefined && ++this.#branches > maxBranches) return false;
    const question = entry.reply === undefined ? undefined : (hashes.at(-2) ?? before);
    if (question !== undefined) {
      this.questions.add(question);
      this.#asked.set(question, this);
    }
    this.weight += CALL_BYTES;
    if (isKnown) addKnown(longer, entry, end, callId);
    const leaf = isKnown ? longer : this.#newLeaf(entry, path, chain, { end, question, callId });
    if (former !== undefined) {
      this.#include(leaf, former);
      former.isReplaced = true;
    }
    return true;
  }

  #newLeaf(
    entry: Entry,
    { before, hashes, all }: CallPath,
    chain: CallChain | undefined,
    ids: Pick<Leaf, 'end' | 'question' | 'callId'>,
  ): Leaf {
    const held = heldEntry(entry);
    const metas = held.meta === undefined ? [] : [held.meta];
    const leaf: Leaf = {
      entry: held,
      chain: chain?.before && chain,
      places: [entry.origin],
      metas,
      late: [],
      ...ids,
    };
    const isHere = before !== undefined && this.#through.has(before);
    for (const hash of isHere ? [before, ...hashes] : all()) {
      const shorter = this.#leafThrough(hash);
      if (shorter?.end === hash) this.#include(leaf, shorter);
      this.#through.set(hash, leaf);
    }
    this.leaves.add(leaf);
    if (ids.callId !== undefined) this.#calls.set(ids.callId, leaf);
    this.#ends.set(ids.end, this);
    this.weight += weightOf(entry);
    return leaf;
  }

  /** The former version of a call. None if another call continues or repeats it, or if a new one does not continue the calls that it does. */
  #formerOf(callId: string | undefined, { before, hashes }: CallPath): Leaf | undefined {
    const former = callId === undefined ? undefined : this.#calls.get(callId);
    if (former === undefined || !this.leaves.has(former) || former.others === 'same') return undefined;
    const continues = (hash: string | undefined): boolean =>
      hash !== undefined && (hash === before || hashes.includes(hash));
    if (continues(former.end) || this.#leafThrough(hashes.at(-1) ?? '') === former) return undefined;
    return former.others === undefined || continues(former.question) ? former : undefined;
  }

  /** A leaf whose conversation has a prefix. */
  #leafThrough(hash: string): Leaf | undefined {
    let leaf = this.#through.get(hash);
    if (leaf?.next === undefined) return leaf;
    while (leaf?.next !== undefined) leaf = leaf.isReplaced ? undefined : leaf.next;
    if (leaf === undefined) this.#through.delete(hash);
    else this.#through.set(hash, leaf);
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
    leaf.others = shorter.callId === leaf.callId ? shorter.others : 'before';
    leaf.entry = withTools(leaf.entry, shorter.entry);
    this.leaves.delete(shorter);
    shorter.next = leaf;
    this.#ends.delete(shorter.end);
    this.weight -= leaf.chain?.before === undefined ? weightOf(shorter.entry) : toolsWeightOf(shorter.entry);
  }
}

/** Adds a call whose messages a conversation has already. */
function addKnown(leaf: Leaf, entry: Entry, end: string, callId: string | undefined): void {
  leaf.places.push(entry.origin);
  if (entry.meta !== undefined) leaf.late.push(heldMeta(entry.meta));
  leaf.entry = withTools(leaf.entry, entry);
  if (callId === undefined || callId !== leaf.callId)
    leaf.others = leaf.end === end ? 'same' : (leaf.others ?? 'before');
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
export const isSilent = ({ messages }: Entry): boolean => (messages.at(-1)?.notes?.length ?? 0) === 0;

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

/** Yields the conversations of a session. */
export function* elementsOf(session: GatheredSession, select: FoldSelect): Generator<ReadElement> {
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
