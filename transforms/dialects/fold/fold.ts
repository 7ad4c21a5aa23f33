/**
 * Folds the events of a source into conversations: one for each thread, each way that a user went back from, and each stretch
 * between two compactions. It holds the open conversations only, so a log of any length is read in one pass.
 */
import type { Message, Origin, ReadingNote, ToolDefinition } from '../../model/element.ts';
import type { Meta } from '../../model/meta.ts';
import type { FoldSelect, ReadElement } from '../dialect.ts';
import { type Closed, elementsOf } from './conversations.ts';
import type { FoldBlock, Repeats } from './draft.ts';
import type { Item, Path } from './path.ts';
import { type ItemFacts, joinMeta, Thread } from './thread.ts';

export interface FoldOptions {
  /** Bytes that all open conversations may hold; the one that grows beyond it is rejected. */
  readonly maxBytes: number;
  /** `last`: without the ways that were left and what a compaction replaced. */
  readonly select: FoldSelect;
  /** Write reasoning that only its provider can read. */
  readonly keepSealed: boolean;
  /** Is what the log says beside the messages wanted? */
  readonly keepsMeta: boolean;
}

/** A place in a conversation: a message, or the place in front of the first one. */
export type FoldPlace = Item;

const LINE_BYTES = 32;

export class Fold {
  /** Is meta of answers and conversations wanted? To read it costs a tenth of reading a line. */
  readonly keepsMeta: boolean;
  readonly #options: FoldOptions;
  readonly #threads = new Map<string, Thread>();
  /** Conversations that are over and not handed out yet. */
  #over: Closed[] = [];
  /** Conversations handed out so far, by session id: the second one is named `ID#2`. */
  readonly #counts = new Map<string, number>();
  #held = 0;
  // of the object that is being read
  #origin: Origin | undefined;
  #thread: Thread | undefined;
  #time: bigint | undefined;
  /** Threads that ended while it was read. */
  #ended: Thread[] = [];

  constructor(options: FoldOptions) {
    this.#options = options;
    this.keepsMeta = options.keepsMeta;
  }

  /** An object begins. */
  begin(origin: Origin): void {
    this.#origin = origin;
    this.#thread = this.#time = undefined;
    this.#ended = [];
  }

  /**
   * The object that began is over. Its place goes to the conversation that it was used in, and to each whose only object it is.
   * @returns the number of conversations that have its place
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
    if (this.#held > this.#options.maxBytes) this.#refuse(thread);
    return count;
  }

  #addLine(thread: Thread, path: Path): void {
    path.addLine(this.#origin as Origin, thread.touched);
    path.startedAt ??= this.#time;
    this.#held += LINE_BYTES;
    thread.weight += LINE_BYTES;
  }

  /** Makes a thread the present one. A new one begins when there is none of that name. */
  open(name: string, sessionId: string, time?: bigint): void {
    const known = this.#threads.get(name);
    this.#thread = known ?? new Thread(name, sessionId);
    this.#time = time;
    if (known !== undefined) return;
    this.#threads.set(name, this.#thread);
  }

  has(name: string): boolean {
    return this.#threads.has(name);
  }

  /** Adds a whole message. */
  add(message: Message, facts: ItemFacts = {}): FoldPlace {
    return this.#grow((thread, origin) => thread.add(message, origin, facts));
  }

  /** Adds blocks to the assistant message of that name, which begins with the first of them. */
  amend(
    name: string,
    blocks: readonly FoldBlock[],
    repeats: Repeats = 'add',
    facts: ItemFacts = {},
  ): FoldPlace {
    return this.#grow((thread, origin) => {
      const item = thread.named(name, origin, facts);
      for (const block of blocks) thread.put(item, block, repeats, origin);
      return item;
    });
  }

  /**
   * Gives a call its result: the nearest open call of that id, without an id the first open one. Without such a call the
   * result waits where it is for 64 lines.
   */
  answer(callId: string | undefined, result: Message, facts: ItemFacts = {}): FoldPlace {
    return this.#grow((thread, origin) => thread.answer(callId, result, origin, facts));
  }

  /**
   * Empties a message, to be said again in its place.
   * @param message what it says now; undefined for an answer, which `amend` goes on with
   */
  reset(place: FoldPlace, message?: Message): FoldPlace {
    return this.#grow((thread) => thread.reset(place, message));
  }

  /** Goes on after an earlier place. The messages that came after it are a conversation of their own. */
  cut(place: FoldPlace): void {
    this.#grow((thread) => {
      thread.cut(place);
      return place;
    });
  }

  /** Ends the present thread's conversation. @param continues a compaction goes on with it */
  close(continues = false): void {
    const thread = this.#present();
    if (this.#threads.get(thread.name) !== thread) return;
    this.#threads.delete(thread.name);
    this.#over.push({ thread, isContinued: continues });
    this.#ended.push(thread);
  }

  /** Adds messages of an earlier conversation, which a compaction kept: context of this one. @returns their places here */
  carry(places: readonly FoldPlace[]): readonly FoldPlace[] {
    return places.map((place) => this.#grow((thread, origin) => thread.carry(place, origin)));
  }

  /** Ends all conversations, at the end of a source or session. */
  closeAll(): void {
    const threads = [...this.#threads.values()];
    for (const thread of threads) this.#over.push({ thread, isContinued: false });
    this.#threads.clear();
  }

  /** The tools of the present thread. */
  tools(definitions: readonly ToolDefinition[]): void {
    this.#present().tools = definitions;
  }

  /** Says something of the present thread as a whole, beside its messages. A name that comes again counts as it was said last. */
  describe(meta: Meta): void {
    const thread = this.#present();
    thread.meta = joinMeta(thread.meta, meta);
  }

  /** Says something of the last message of the present thread, which is an answer; of any other message nothing is kept. */
  describeAnswer(meta: Meta): void {
    const { last } = this.#present();
    if (last.said !== undefined && !('role' in last.said)) last.meta = joinMeta(last.meta, meta);
  }

  /** Reports something about the present thread as a whole, once for each text. */
  note(note: ReadingNote): void {
    const { notes } = this.#present();
    if (!notes.some(({ rule, message }) => rule === note.rule && message === note.message)) notes.push(note);
  }

  /** Counts a rewrite, or reports something, on the last message of the present thread. */
  noteLast(note: ReadingNote): void {
    const { last } = this.#present();
    if (last.index < 0) this.note(note);
    else last.notes = [...(last.notes ?? []), note];
  }

  /** The last message of the present thread, or the place in front of the first one. */
  get last(): FoldPlace {
    return this.#present().last;
  }

  /** The place in front of the present thread's first message. */
  get root(): FoldPlace {
    return this.#present().root;
  }

  /** The messages of the present thread, in their order. */
  get items(): readonly FoldPlace[] {
    return this.#present().path.items;
  }

  /** Is there a conversation to be handed out? */
  get hasOver(): boolean {
    return this.#over.length > 0;
  }

  /** Hands out what is over: entries, and the fates of lines that became none. */
  *take(source: string): Generator<ReadElement> {
    const over = this.#over.toSorted((a, b) => offsetOf(a.thread) - offsetOf(b.thread));
    this.#over = [];
    for (const conversation of over) {
      const { thread } = conversation;
      this.#held -= thread.weight;
      yield* elementsOf(conversation, source, this.#options, () => this.#nameOf(thread.sessionId));
    }
  }

  forget(): void {
    this.#threads.clear();
    this.#counts.clear();
    this.#over = [];
    this.#held = 0;
    this.#origin = this.#thread = this.#time = undefined;
  }

  #nameOf(sessionId: string): string {
    const count = (this.#counts.get(sessionId) ?? 0) + 1;
    this.#counts.set(sessionId, count);
    return count === 1 ? sessionId : `${sessionId}#${count}`;
  }

  #present(): Thread {
    if (this.#thread === undefined) throw new TypeError('the fold has no present thread: open one first');
    return this.#thread;
  }

  #grow(change: (thread: Thread, origin: Origin) => FoldPlace): FoldPlace {
    const thread = this.#present();
    const before = thread.weight;
    const place = change(thread, this.#origin as Origin);
    this.#held += thread.weight - before;
    return place;
  }

  #refuse(thread: Thread): void {
    this.#held -= thread.weight;
    thread.refuse();
  }
}

const offsetOf = ({ paths }: Thread): number => paths[0]?.offset ?? 0;
