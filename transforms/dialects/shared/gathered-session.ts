/** A session that is still open: its conversations that no other call has continued so far. */
import type { Entry, Fate } from '../../model/element.ts';
import { IdTable } from '../../model/id-table.ts';
import { SmallSet } from '../../model/small-set.ts';
import type { FoldSelect, ReadElement } from '../dialect.ts';
import { Leaf, type LeafFacts, RecentLeaves } from './gathered-leaf.ts';
import type { CallChain } from './history.ts';
import { LeavesByPrefix } from './leaves-by-prefix.ts';

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

/** The facts about all open sessions of a source. */
export class GatheredIndex {
  /** The session of each leaf, by the leaf's `end`. */
  readonly ends: Map<string, GatheredSession> = new Map();
  /** The session of each answered call, by the hash of its messages without the answer. */
  readonly asked: Map<string, GatheredSession> = new Map();
  /** Weight up to which calls are packed. */
  readonly maxPacked: number;
  readonly recent: RecentLeaves = new RecentLeaves();
  /** Numbers the ids of calls that may be logged again. */
  readonly #ids = new IdTable();
  /** The conversation of each of these calls, by its number. */
  readonly #calls: (Leaf | undefined)[] = [];

  /** @param maxPacked weight up to which calls are packed; 0 if they share messages, so that packed ones would take more room */
  constructor(maxPacked: number) {
    this.maxPacked = maxPacked;
  }

  numberOf(callId: string | undefined): number {
    return callId === undefined ? -1 : this.#ids.add(callId);
  }

  leafOf(call: number): Leaf | undefined {
    return this.#calls[call];
  }

  setLeaf(call: number, leaf: Leaf | undefined): void {
    if (call >= 0) this.#calls[call] = leaf;
  }
}

// estimates of memory in bytes: a call and a message, besides their text
const CALL_BYTES = 256;
const MESSAGE_BYTES = 160;

export class GatheredSession {
  readonly id: string;
  readonly number: number;
  /** The ids of its calls; empty if the calls have none. */
  readonly ids: SmallSet<string> = new SmallSet();
  readonly leaves: SmallSet<Leaf> = new SmallSet();
  /** Questions of its answered calls that are not those of its leaves. */
  #questions: Set<string> | undefined;
  weight = 0;
  /** Number of conversations that continue the same calls in different ways. */
  #branches = 1;
  /** By the hash of a prefix of messages: a leaf whose conversation begins with it. */
  readonly #through = new LeavesByPrefix();
  readonly #index: GatheredIndex;

  /** @param number its position among the sessions of the source, from 0 */
  constructor(id: string, number: number, index: GatheredIndex) {
    this.id = id;
    this.number = number;
    this.#index = index;
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
    const end = hashes.at(-1) ?? before ?? '';
    const longer = this.#leafThrough(end);
    const isAnswered = entry.reply !== undefined;
    // two calls with the same path: the one with an answer counts
    const isKnown = longer !== undefined && (longer.end !== end || (!isAnswered && longer.isAnswered));
    const call = this.#index.numberOf(callId);
    const former = this.#formerOf(call, path);
    const isBranch = before !== undefined && this.#leafThrough(before)?.end !== before;
    if (!isKnown && isBranch && former === undefined && ++this.#branches > maxBranches) return false;
    const question = isAnswered ? (hashes.at(-2) ?? before) : undefined;
    if (question !== undefined) this.#index.asked.set(question, this);
    this.weight += CALL_BYTES;
    if (isKnown) {
      longer.addKnown(entry, end, call);
      this.#remember(question);
    }
    const facts = { chain: chain?.before && chain, end, question, call };
    const leaf = isKnown ? longer : this.#newLeaf(entry, path, facts);
    if (former !== undefined) this.#include(leaf, former, true);
    if (leaf.packs) this.#index.recent.add(leaf);
    return true;
  }

  #remember(question: string | undefined): void {
    if (question === undefined) return;
    this.#questions ??= new Set();
    this.#questions.add(question);
  }

  #newLeaf(entry: Entry, { before, hashes, all }: CallPath, facts: LeafFacts): Leaf {
    const weight = weightOf(entry);
    const leaf = new Leaf(entry, facts, facts.chain === undefined && weight <= this.#index.maxPacked);
    const isHere = before !== undefined && this.#through.get(before) !== undefined;
    const path = isHere ? [before, ...hashes] : all();
    for (const hash of path) {
      const shorter = this.#leafThrough(hash);
      if (shorter?.end === hash && shorter !== leaf) this.#include(leaf, shorter, false);
    }
    this.#through.add(path, leaf);
    this.leaves.add(leaf);
    this.#index.setLeaf(leaf.call, leaf);
    this.#index.ends.set(leaf.end, this);
    this.weight += weight;
    return leaf;
  }

  /** The former version of a call. None if another call continues or repeats it, or if a new one does not continue the calls that it does. */
  #formerOf(call: number, { before, hashes }: CallPath): Leaf | undefined {
    const former = this.#index.leafOf(call);
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

  /** @param isReplaced whether the longer one is a later version, whose messages are others */
  #include(leaf: Leaf, shorter: Leaf, isReplaced: boolean): void {
    const { entry } = shorter;
    this.weight -= leaf.chain?.before === undefined ? weightOf(entry) : toolsWeightOf(entry);
    leaf.include(shorter, isReplaced);
    shorter.isReplaced = isReplaced;
    if (shorter.call !== leaf.call) this.#index.setLeaf(shorter.call, undefined);
    this.leaves.delete(shorter);
    this.#remember(shorter.question);
    this.#index.ends.delete(shorter.end);
  }

  /** Removes it from what is known of open sessions. */
  close(): void {
    for (const { end, call, question } of this.leaves) {
      this.#index.ends.delete(end);
      this.#index.setLeaf(call, undefined);
      if (question !== undefined) this.#index.asked.delete(question);
    }
    for (const question of this.#questions ?? []) this.#index.asked.delete(question);
    this.#questions = undefined;
    this.#through.clear();
  }
}

/** Does the log give no reason why there is no answer, as an error or a placeholder? */
export const isSilent = ({ messages }: Entry): boolean => (messages.at(-1)?.notes?.length ?? 0) === 0;

function weightOf(entry: Entry): number {
  let weight = toolsWeightOf(entry);
  for (const { bytes } of entry.messages) weight += bytes.length + MESSAGE_BYTES;
  return weight + (entry.reply?.bytes.length ?? 0);
}

const toolsWeightOf = ({ tools }: Entry): number => tools.reduce((sum, { bytes }) => sum + bytes.length, 0);

/** Yields the conversations of a session. */
export function* elementsOf(session: GatheredSession, select: FoldSelect): Generator<ReadElement> {
  const leaves = inOrder(session.leaves);
  const only = select === 'last' ? longest(leaves) : undefined;
  const written = only === undefined ? leaves : [only];
  for (const [i, leaf] of written.entries())
    yield leaf.entryOf(i === 0 ? session.id : `${session.id}#${i + 1}`);
  if (only === undefined) return;
  for (const leaf of leaves) if (leaf !== only) yield* abandoned(leaf);
}

/** Sorts by time if all leaves have one, else in the order of the log. */
function inOrder(leaves: Iterable<Leaf>): readonly Leaf[] {
  if (areInOrder(leaves)) return [...leaves];
  const list = [...leaves].map((leaf) => ({ leaf, ...leaf.head }));
  list.sort((a, b) => a.offset - b.offset);
  if (list.every(({ timestamp }) => timestamp !== undefined))
    list.sort((a, b) => Number((a.timestamp as bigint) - (b.timestamp as bigint)));
  return list.map(({ leaf }) => leaf);
}

/** Whether they are in the order of the log and of their times, as in most logs. */
function areInOrder(leaves: Iterable<Leaf>): boolean {
  let last = { offset: 0, timestamp: 0n };
  for (const { head } of leaves) {
    const { offset, timestamp = last.timestamp } = head;
    if (offset < last.offset || timestamp < last.timestamp) return false;
    last = { offset, timestamp };
  }
  return true;
}

function longest(leaves: readonly Leaf[]): Leaf | undefined {
  let best: Leaf | undefined;
  for (const leaf of leaves) if (best === undefined || leaf.length >= best.length) best = leaf;
  return best;
}

function* abandoned({ entry, places }: Leaf): Generator<Fate> {
  for (const { line, offset, length } of places) {
    const origin = { source: entry.origin.source, line, offset, length };
    yield { kind: 'fate', fate: 'dropped:abandoned-branch', origin };
  }
}
