/** A conversation of a session that is still open, and that no other call has continued so far. */
import type { Entry } from '../../model/element.ts';
import { createEntryLog, type Place, placesOf as placesIn } from '../../model/entry-log.ts';
import type { Meta } from '../../model/meta.ts';
import { metaOfAnswers } from '../fold/path-meta.ts';
import { type AnswerNotes, lastingNotes, reasoningIn, withAnswerNotes } from './answer-notes.ts';
import { type CallChain, heldMessage, heldMeta, wholeMessages } from './history.ts';
import {
  type HeldEntry,
  headOf,
  metaList,
  type PackedEntry,
  packEntry,
  placeList,
  unpackEntry,
} from './packed-entry.ts';
import type { PackedList } from './packed-list.ts';
import { noted, OTHER_REASONING } from './reading-notes.ts';

/** The facts about a call when it becomes a leaf. */
export interface LeafFacts {
  readonly chain: CallChain | undefined;
  /** Hash of its messages (path-hashes.ts). */
  readonly end: string;
  /** Hash of its messages without the answer. */
  readonly question: string | undefined;
  /** Number of its call, if that may be logged again; -1 if not. */
  readonly call: number;
}

export class Leaf {
  #chain: CallChain | undefined;
  readonly end: string;
  readonly question: string | undefined;
  readonly call: number;
  readonly isAnswered: boolean;
  /** Whether its messages may be held as bytes. */
  readonly packs: boolean;
  /** The conversation that continues it. */
  next: Leaf | undefined = undefined;
  /** Set if it has other calls: those that it continues, or one with the same messages. */
  others: 'before' | 'same' | undefined = undefined;
  /** Whether `next` is a later version of the call, whose messages are others. */
  isReplaced = false;
  /** Warnings about answers of the calls that it continues, by the index of the answer. */
  #noted: AnswerNotes[] | undefined = undefined;
  #held: HeldEntry | undefined;
  #packed: PackedEntry | undefined = undefined;

  constructor(entry: Entry, { chain, end, question, call }: LeafFacts, packs: boolean) {
    this.#chain = chain;
    this.end = end;
    this.question = question;
    this.call = call;
    this.isAnswered = entry.reply !== undefined;
    this.packs = packs;
    const own = packs ? entry : heldEntry(entry); // packing copies its bytes soon
    this.#held = { entry: own, places: undefined, metas: undefined, late: undefined };
  }

  /** Undefined once another conversation includes it. */
  get chain(): CallChain | undefined {
    return this.#chain;
  }

  get #content(): HeldEntry {
    return this.#held ?? unpackEntry(this.#packed as PackedEntry);
  }

  get entry(): Entry {
    return this.#content.entry;
  }

  /** Where its call is in the source, and its time. */
  get head(): { readonly offset: number; readonly timestamp: bigint | undefined } {
    if (this.#packed !== undefined) return headOf(this.#packed);
    const { origin, timestamp } = this.entry;
    return { offset: origin.offset, timestamp };
  }

  get places(): Iterable<Place> {
    return placesOf(this.#content);
  }

  /** Number of messages. */
  get length(): number {
    return this.entry.messages.length + (this.chain?.before?.length ?? 0);
  }

  /** Adds a call whose messages it has already. */
  addKnown(entry: Entry, end: string, call: number): void {
    const held = this.#content;
    const [places, metas, late] = [placesOf(held), metasOf(held), held.late ?? metaList()];
    for (const place of linesOf(entry)) places.add(place);
    if (entry.meta !== undefined) late.add(entry.meta);
    this.#hold({ entry: withTools(held.entry, entry), places, metas, late });
    if (this.end !== end && this.chain === undefined) this.#note(entry);
    if (call < 0 || call !== this.call) this.others = this.end === end ? 'same' : (this.others ?? 'before');
  }

  /** Keeps the warnings about the answer of a call. */
  #note({ messages, reply }: Entry): void {
    const notes = reply === undefined ? [] : lastingNotes(reply);
    if (notes.length === 0) return;
    this.#noted ??= [];
    this.#noted.push([messages.length, notes]);
  }

  /** Adds the calls of a conversation that this one continues, or replaces with other messages. */
  include(shorter: Leaf, isReplaced: boolean): void {
    const [own, other] = [this.#content, shorter.#content];
    const [places, metas, late] = [placesOf(other), metasOf(other), other.late ?? own.late];
    for (const place of own.places ?? linesOf(own.entry)) places.add(place);
    for (const meta of own.metas ?? metaIn(own.entry)) metas.add(meta);
    if (late !== own.late) for (const meta of own.late ?? []) late?.add(meta);
    const isAgain = shorter.end === this.end && (this.call < 0 || shorter.call !== this.call);
    const entry = isAgain ? withOtherReasoning(own.entry, other.entry) : own.entry;
    this.#hold({ entry: withTools(entry, other.entry), places, metas, late });
    if (!isReplaced && this.chain === undefined) {
      // takes over the list of the shorter one: copying it for each call of a chain would take quadratic time
      shorter.#note(other.entry);
      for (const one of this.#noted ?? []) shorter.#noted?.push(one);
      this.#noted = shorter.#noted ?? this.#noted;
    }
    this.others = shorter.call >= 0 && shorter.call === this.call ? shorter.others : 'before';
    shorter.next = this;
    shorter.#held = shorter.#packed = shorter.#chain = undefined;
  }

  #hold(held: HeldEntry): void {
    this.#held = held;
    this.#packed = undefined;
  }

  /**
   * Holds its messages as bytes.
   * @param last an entry packed before
   * @returns the entry packed last
   */
  pack(last: PackedEntry | undefined): PackedEntry | undefined {
    if (this.#held === undefined) return last;
    this.#packed = packEntry(this.#held, last);
    if (this.#packed === undefined) return last;
    this.#held = undefined;
    return this.#packed;
  }

  /** The whole conversation. */
  entryOf(sessionId: string): Entry {
    const held = this.#content;
    const { entry } = held;
    const late = [...(held.late ?? [])];
    const log = createEntryLog();
    const { source } = entry.origin;
    for (const place of [...placesOf(held)].sort((a, b) => a.line - b.line || a.offset - b.offset))
      log.add({ source, ...place });
    const meta = metaOfAnswers(entry.meta, [...late.reverse(), ...metasOf(held)]);
    const known = meta.size === 0 ? undefined : { meta };
    const messages = withAnswerNotes(wholeMessages(entry.messages, this.chain), this.#noted ?? []);
    return { ...entry, ...known, messages, sessionId, alone: true, lines: log.take(), isGathered: true };
  }
}

/** The entry, with a finding if an earlier call has the same messages and other reasoning. */
function withOtherReasoning(entry: Entry, earlier: Entry): Entry {
  const { reply } = entry;
  if (reply === undefined || earlier.reply === undefined) return entry;
  const isNoted = earlier.reply.notes?.includes(OTHER_REASONING) === true;
  const isRead = reasoningIn(reply).includes(reasoningIn(earlier.reply));
  return isRead && !isNoted ? entry : { ...entry, reply: noted(reply, [OTHER_REASONING]) };
}

/** The places of a call, or of several that its dialect has joined. */
const linesOf = ({ origin, lines }: Entry): Iterable<Place> =>
  lines === undefined ? [origin] : placesIn(lines);

const metaIn = ({ meta }: Entry): readonly Meta[] => (meta === undefined ? [] : [meta]);

function placesOf({ entry, places }: HeldEntry): PackedList<Place> {
  const list = places ?? placeList();
  if (places === undefined) for (const place of linesOf(entry)) list.add(place);
  return list;
}

function metasOf({ entry, metas }: HeldEntry): PackedList<Meta> {
  const list = metas ?? metaList();
  if (metas === undefined) for (const meta of metaIn(entry)) list.add(meta);
  return list;
}

function heldEntry(entry: Entry): Entry {
  const { reply, meta } = entry;
  const messages = entry.messages.map(heldMessage);
  const held: Entry = { ...entry, messages, reply: reply && heldMessage(reply) };
  return meta === undefined ? held : { ...held, meta: heldMeta(meta) };
}

/** The entry with the tools and the time of an earlier call of its conversation added. */
function withTools(entry: Entry, earlier: Entry): Entry {
  const [a, b] = [earlier.timestamp, entry.timestamp];
  const timestamp = a !== undefined && (b === undefined || a < b) ? a : b;
  return { ...entry, tools: allTools(earlier.tools, entry.tools), timestamp };
}

function allTools(earlier: Entry['tools'], tools: Entry['tools']): Entry['tools'] {
  if (earlier === tools || earlier.length === 0) return tools;
  const names = new Set(earlier.map(({ name }) => name));
  const more = tools.filter(({ name }) => name === undefined || !names.has(name));
  return more.length === 0 ? earlier : [...earlier, ...more];
}

/** Conversations that the next calls may continue. Those before them are packed. */
export class RecentLeaves {
  readonly #leaves: Leaf[] = [];
  #next = 0;
  #last: PackedEntry | undefined;

  add(leaf: Leaf): void {
    const oldest = this.#leaves[this.#next];
    this.#leaves[this.#next] = leaf;
    this.#next = (this.#next + 1) % MAX_RECENT;
    if (oldest !== undefined) this.#last = oldest.pack(this.#last);
  }
}

const MAX_RECENT = 32;
