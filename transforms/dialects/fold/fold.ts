/**
 * Folds the events of a source into conversations. A thread (the main agent or a sub-agent) has one conversation at a
 * time: a compaction ends it and starts the next, and going back splits off the abandoned branch. Only open
 * conversations are held in memory, so a log of any length is read in one pass.
 */

import { isSameBytes } from '../../json/bytes.ts';
import type { JsonView } from '../../json/json-view.ts';
import type { EntryTraits, Message, Origin, ReadingNote, ToolDefinition } from '../../model/element.ts';
import type { Meta } from '../../model/meta.ts';
import { timeOf } from '../../model/timestamp.ts';
import type { FoldSelect, ReadElement } from '../dialect.ts';
import { type KnownObject, unreadIn } from '../shared/unread-text.ts';
import { faultOf, faultOfPart, lackOfCall, type Unreadable } from '../shared/unreadable.ts';
import type { FoldBlock, Repeats } from './assistant-draft.ts';
import { type Closed, elementsOf, SessionCounts } from './conversations.ts';
import { type Item, itemAt, type Path } from './path.ts';
import { type ItemFacts, joinMeta, noteItem, Thread } from './thread.ts';

export interface FoldOptions {
  /** Bytes that all open conversations may hold; the one that exceeds it is rejected. */
  readonly maxBytes: number;
  /** `last` drops abandoned branches and conversations that a compaction replaced. */
  readonly select: FoldSelect;
  /** Conversations that are written of a session in which the user went back, the last state included. */
  readonly maxBranches: number;
  /** Whether encrypted reasoning is written. */
  readonly keepSealed: boolean;
  /** Whether metadata is read. */
  readonly keepsMeta: boolean;
  /** Members that all entries of the dialect share. */
  readonly traits?: EntryTraits | undefined;
}

/** A position in a conversation: a message, or the position before the first one. */
export type FoldPlace = Item;

const LINE_BYTES = 32;
/** A longer id is not kept as a root, so that the memory of roots need not be counted. A uuid has 36. */
const MAX_ROOT_CHARS = 128;

export class Fold {
  /** Whether metadata is read: dialects test this first, because reading it takes a tenth of the time of a line. */
  readonly keepsMeta: boolean;
  readonly #options: FoldOptions;
  #threads = new Map<string, Thread>(); // replaced, not cleared: a cleared map keeps what it had until a full collection
  /** Finished conversations that `take` has not returned yet. */
  #finished: Closed[] = [];
  readonly #counts: SessionCounts;
  #held = 0;
  // about the current object
  #origin: Origin | undefined;
  #thread: Thread | undefined;
  #stamp: JsonView | undefined;
  /** Why something of it may not be written. */
  #fault: Unreadable | undefined;
  /** Its findings, until it opens a conversation. */
  #early: ReadingNote[] = [];
  /** Threads that ended during the current object. */
  #ended: Thread[] = [];
  /** Number of changes, and of those that were results which their call has already. */
  #changes = 0;
  #repeats = 0;

  constructor(options: FoldOptions) {
    this.#options = options;
    this.#counts = new SessionCounts(options.maxBranches);
    this.keepsMeta = options.keepsMeta;
  }

  /** Starts an object of the log. */
  begin(origin: Origin): void {
    this.#origin = origin;
    this.#thread = this.#stamp = this.#fault = undefined;
    this.#ended = [];
    if (this.#early.length > 0) this.#early = [];
    this.#changes = this.#repeats = 0;
  }

  /** Something of the log is lost here: what the model says from now on does not continue its last answers. */
  breakAnswers(): void {
    for (const thread of this.#threads.values()) thread.breakAnswers();
  }

  /** Whether the current object added only results that their calls have already. */
  get isRepeat(): boolean {
    return this.#repeats > 0 && this.#repeats === this.#changes;
  }

  /** Why something that the current object added may not be written; such an object must be rejected. */
  get fault(): Unreadable | undefined {
    return this.#fault;
  }

  /**
   * Ends the current object. Its place goes to the conversation that used it, and to each conversation that it ended
   * and that has no other place.
   * @returns the number of conversations that got its place
   */
  finish(): number {
    const thread = this.#thread;
    if (thread === undefined) return 0;
    this.#addLine(thread, thread.path);
    thread.touched = thread.last.index;
    let count = 1;
    for (const ended of this.#ended) {
      if (ended.path.lineCount > 0) continue;
      this.#addLine(ended, ended.path);
      count++;
    }
    if (this.#held > this.#options.maxBytes) {
      this.#held -= thread.weight;
      thread.refuse();
    }
    return count;
  }

  #addLine(thread: Thread, path: Path): void {
    path.addLine(this.#origin as Origin, thread.touched);
    path.startedAt ??= this.#stamp && timeOf(this.#stamp.bytes);
    this.#held += LINE_BYTES;
    thread.weight += LINE_BYTES;
  }

  /**
   * Makes a thread the current one, or creates it.
   * @param stamp logged time of the current object (`timeOf`)
   * @returns whether it is a new one
   */
  open(name: string, sessionId: string, stamp?: JsonView): boolean {
    const known = this.#threads.get(name);
    this.#thread = known ?? new Thread(name, sessionId);
    this.#stamp = stamp;
    if (known === undefined) this.#threads.set(name, this.#thread);
    for (const note of this.#early) this.note(note);
    if (this.#early.length > 0) this.#early = [];
    return known === undefined;
  }

  has(name: string): boolean {
    return this.#threads.has(name);
  }

  /** Adds a whole message to the current thread. */
  add(message: Message, facts: ItemFacts = {}): FoldPlace {
    if (this.#isUnreadable(message)) return this.last;
    return this.#grow((thread, origin) => thread.add(message, origin, facts));
  }

  /** Adds blocks to the assistant message with that name; creates it if there is none. */
  amend(
    name: string,
    blocks: readonly FoldBlock[],
    repeats: Repeats = 'add',
    facts: ItemFacts = {},
  ): FoldPlace {
    if (this.#areUnreadable(blocks)) return this.last;
    return this.#grow((thread, origin) => {
      const item = thread.named(name, origin, facts, repeats === 'replace' ? blocks : []);
      thread.amend(item, blocks, repeats, origin);
      return item;
    });
  }

  /**
   * Adds the result of a call: of the nearest open call with that id, or of the first open one if `callId` is
   * undefined. If there is none, the result stays a separate message, and is moved to its call if that follows within
   * 64 lines.
   */
  answer(callId: string | undefined, result: Message, facts: ItemFacts = {}): FoldPlace {
    if (this.#isUnreadable(result)) return this.last;
    return this.#grow((thread, origin) => {
      const item = thread.answer(callId, result, origin, facts);
      if (thread.isRepeat) this.#repeats++;
      return item;
    });
  }

  /**
   * Replaces what a line added to an answer by a later version of the line.
   * @returns false if that is the same, or the answer is no longer in the conversation
   */
  rewrite(place: FoldPlace, blocks: readonly FoldBlock[]): boolean {
    const { content } = place;
    if (content === undefined || 'role' in content || !this.isHere(place)) return false;
    if (this.#areUnreadable(blocks)) return true;
    if (blocks.every((block) => content.covers(block))) return false;
    this.#grow((thread, origin) => thread.rewrite(place, blocks, origin));
    return true;
  }

  /** Does the same for another message. */
  rewriteMessage(place: FoldPlace, message: Message): boolean {
    if (this.#isUnreadable(message)) return true;
    const { content } = place;
    if (content === undefined || !('role' in content) || !this.isHere(place)) return false;
    if (isSameBytes(content.bytes, message.bytes)) return false;
    this.reset(place, message);
    return true;
  }

  /** Does the same for the result of a call. */
  rewriteResult(place: FoldPlace, callId: string | undefined, result: Message): boolean {
    if (this.#isUnreadable(result)) return true;
    const call = place.calls.find(({ id, result: known }) => id === callId && known !== undefined);
    const known = call?.result ?? place.content;
    if (known === undefined || !('role' in known) || !this.isHere(place)) return false;
    if (isSameBytes(known.bytes, result.bytes)) return false;
    this.#grow((thread) => thread.rewriteResult(place, callId, result));
    return true;
  }

  /**
   * Empties a message so that it can be filled again at its position.
   * @param message the new content; undefined for an answer, which `amend` fills
   */
  reset(place: FoldPlace, message?: Message): FoldPlace {
    if (message !== undefined && this.#isUnreadable(message)) return place;
    return this.#grow((thread) => thread.reset(place, message));
  }

  /** Keeps the id of the current object, which added to a message, as the root of the current path if it has none. */
  identify(id: string): void {
    const { first } = this.#current().path;
    if (first !== undefined && id.length <= MAX_ROOT_CHARS) first.rootId ??= id;
  }

  /** Goes back: the next message follows an earlier position. The messages after it become a separate conversation. */
  cut(place: FoldPlace): void {
    this.#grow((thread) => {
      thread.cut(place);
      return place;
    });
  }

  /** Ends the current thread's conversation. @param continues whether another one continues it after a compaction */
  close(continues = false): void {
    const thread = this.#current();
    if (this.#threads.get(thread.name) !== thread) return;
    this.#threads.delete(thread.name);
    this.#finished.push({ thread, isContinued: continues });
    this.#ended.push(thread);
  }

  /** Ends the current thread's conversation, which another one repeats: its lines are dropped. */
  discard(): void {
    this.#current().isDiscarded = true;
    this.close();
  }

  /** Adds messages of an earlier conversation that a compaction kept, as context. @returns their positions here */
  carry(places: readonly FoldPlace[]): readonly FoldPlace[] {
    return places.map((place) => this.#grow((thread, origin) => thread.carry(place, origin)));
  }

  /** Ends all conversations, or those of some threads, at the end of a source or session. */
  closeAll(isOf: (name: string) => boolean = () => true): void {
    const open = new Map<string, Thread>();
    for (const [name, thread] of this.#threads) {
      if (isOf(name)) this.#finished.push({ thread, isContinued: false });
      else open.set(name, thread);
    }
    this.#threads = open;
  }

  /** Sets the tools of the current thread. */
  tools(definitions: readonly ToolDefinition[]): void {
    this.#current().tools = definitions;
  }

  /** Adds metadata about the conversation as a whole. If a name repeats, the last value counts. */
  describe(meta: Meta): void {
    const thread = this.#current();
    thread.meta = joinMeta(thread.meta, meta);
  }

  /** Adds metadata about the last message if that is an answer; otherwise does nothing. */
  describeAnswer(meta: Meta): void {
    const { last } = this.#current();
    if (last.content !== undefined && !('role' in last.content)) last.meta = joinMeta(last.meta, meta);
  }

  /** Reports a finding about the conversation as a whole; the same finding only once. */
  note(note: ReadingNote): void {
    const thread = this.#current();
    const before = thread.weight;
    thread.note(note);
    this.#held += thread.weight - before;
  }

  /**
   * Reports words in members of an object that turnmill does not know, to the current conversation or the next one that
   * the current object opens.
   * @param place of the object in the line
   */
  expect(object: JsonView, kind: KnownObject, place: string): void {
    const found = unreadIn(object, kind, place);
    if (found === undefined) return;
    const note = { ...found, message: `line ${this.#origin?.line}: ${found.message}` };
    if (this.#thread === undefined) this.#early.push(note);
    else this.note(note);
  }

  /** Reports a finding about the last message, or about the conversation if it has none. */
  noteLast(note: ReadingNote): void {
    const { last } = this.#current();
    if (last.index < 0) this.note(note);
    else noteItem(last, { notes: [note] });
  }

  /** The last message of the current thread, or the position before the first one. */
  get last(): FoldPlace {
    return this.#current().last;
  }

  /** The position before the current thread's first message. */
  get root(): FoldPlace {
    return this.#current().root;
  }

  /** The messages of the current thread, in order; a new list, made in time that grows with them. */
  get items(): readonly FoldPlace[] {
    return this.#current().path.items;
  }

  /** The last message of the current thread that passes a test, up to `from`. */
  findLast(test: (place: FoldPlace) => boolean, from: FoldPlace = this.last): FoldPlace | undefined {
    let item = from;
    while (item.index >= 0 && !test(item)) item = item.before;
    return item.index < 0 ? undefined : item;
  }

  /** Its messages from an index on. */
  itemsFrom(index: number): readonly FoldPlace[] {
    return this.#current().path.itemsFrom(index);
  }

  /** Its message with an index; undefined beyond its last one. */
  at(index: number): FoldPlace | undefined {
    return index < 0 || index > this.last.index ? undefined : itemAt(this.last, index);
  }

  /** Whether a message is in the current thread's conversation, and not in an abandoned branch. */
  isHere(place: FoldPlace): boolean {
    return place.index >= 0 && this.#current().path.has(place);
  }

  /** Whether `take` would return anything. */
  get hasFinished(): boolean {
    return this.#finished.length > 0;
  }

  /** Returns the finished conversations: entries, and fates for the lines that are part of none. */
  *take(source: string): Generator<ReadElement> {
    const offsetOf = ({ thread }: Closed): number => thread.paths[0]?.offset ?? 0;
    const finished = this.#finished;
    this.#finished = [];
    for (const conversation of finished.sort((a, b) => offsetOf(a) - offsetOf(b))) {
      this.#held -= conversation.thread.weight;
      yield* elementsOf(conversation, source, this.#options, this.#counts);
    }
  }

  forget(): void {
    this.#threads = new Map();
    this.#counts.clear();
    this.#finished = [];
    this.#held = 0;
    this.#origin = this.#thread = this.#stamp = undefined;
  }

  #current(): Thread {
    if (this.#thread === undefined) throw new TypeError('the fold has no current thread: call open first');
    return this.#thread;
  }

  #grow(change: (thread: Thread, origin: Origin) => FoldPlace): FoldPlace {
    const thread = this.#current();
    this.#changes++;
    const before = thread.weight;
    const place = change(thread, this.#origin as Origin);
    this.#held += thread.weight - before;
    return place;
  }

  /** Whether the message, or something before it in the current object, may not be written. */
  #isUnreadable(message: Message): boolean {
    this.#fault ??= faultOf(message, 'the message');
    return this.#fault !== undefined;
  }

  /** Whether a block, or something before it in the current object, may not be written. */
  #areUnreadable(blocks: readonly FoldBlock[]): boolean {
    for (const block of blocks) {
      if (block.kind === 'part') this.#fault ??= faultOfPart(block.object);
      else if (block.kind === 'call' && block.lacks !== undefined) this.#fault ??= lackOfCall(block.lacks);
    }
    return this.#fault !== undefined;
  }
}
