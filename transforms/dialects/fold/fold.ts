/**
 * Folds the events of a source into conversations: one for each thread, each branch that a user abandoned, and each
 * stretch between two compactions. Holds only the open conversations, so a log of any length is read in one pass.
 */
import type { Lack, Message, Origin, ReadingNote, ToolDefinition } from '../../model/element.ts';
import type { Meta } from '../../model/meta.ts';
import type { FoldSelect, ReadElement } from '../dialect.ts';
import { type Closed, elementsOf } from './conversations.ts';
import type { FoldBlock, Repeats } from './draft.ts';
import type { Item, Path } from './path.ts';
import { type ItemFacts, joinMeta, Thread } from './thread.ts';

export interface FoldOptions {
  /** Bytes that all open conversations may hold; the one that exceeds it is rejected. */
  readonly maxBytes: number;
  /** `last`: without abandoned branches and what a compaction replaced. */
  readonly select: FoldSelect;
  /** Write encrypted reasoning. */
  readonly keepSealed: boolean;
  /** Is metadata besides the messages wanted? */
  readonly keepsMeta: boolean;
  /** Names what the dialect's logs never have. */
  readonly lacks?: readonly Lack[] | undefined;
}

/** A position in a conversation: a message, or the position before the first one. */
export type FoldPlace = Item;

const LINE_BYTES = 32;

export class Fold {
  /** Is metadata of answers and conversations wanted? Reading it costs a tenth of reading a line. */
  readonly keepsMeta: boolean;
  readonly #options: FoldOptions;
  readonly #threads = new Map<string, Thread>();
  /** Finished conversations that were not handed out yet. */
  #over: Closed[] = [];
  /** Number of conversations handed out, by session id: the second one is named `ID#2`. */
  readonly #counts = new Map<string, number>();
  #held = 0;
  // origin of the current object
  #origin: Origin | undefined;
  #thread: Thread | undefined;
  #time: bigint | undefined;
  /** Threads that ended during the current object. */
  #ended: Thread[] = [];

  constructor(options: FoldOptions) {
    this.#options = options;
    this.keepsMeta = options.keepsMeta;
  }

  /** Starts an object. */
  begin(origin: Origin): void {
    this.#origin = origin;
    this.#thread = this.#time = undefined;
    this.#ended = [];
  }

  /**
   * Ends the current object. Its place goes to the conversation that used it, and to each conversation that has no
   * other.
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

  /** Makes a thread the current one, creating it if there is none of that name. */
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

  /** Adds blocks to the assistant message of that name, creating it with the first of them. */
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
   * Gives a call its result: the nearest open call of that id, or without an id the first open one. Without such a call
   * the result waits at its position for 64 lines.
   */
  answer(callId: string | undefined, result: Message, facts: ItemFacts = {}): FoldPlace {
    return this.#grow((thread, origin) => thread.answer(callId, result, origin, facts));
  }

  /**
   * Empties a message, to be filled again at its position.
   * @param message its new content; undefined for an answer, which `amend` fills
   */
  reset(place: FoldPlace, message?: Message): FoldPlace {
    return this.#grow((thread) => thread.reset(place, message));
  }

  /** Continues after an earlier position. The messages after it become a separate conversation. */
  cut(place: FoldPlace): void {
    this.#grow((thread) => {
      thread.cut(place);
      return place;
    });
  }

  /** Ends the current thread's conversation. @param continues whether it continues after a compaction */
  close(continues = false): void {
    const thread = this.#present();
    if (this.#threads.get(thread.name) !== thread) return;
    this.#threads.delete(thread.name);
    this.#over.push({ thread, isContinued: continues });
    this.#ended.push(thread);
  }

  /** Adds messages of an earlier conversation that a compaction kept, as context. @returns their positions here */
  carry(places: readonly FoldPlace[]): readonly FoldPlace[] {
    return places.map((place) => this.#grow((thread, origin) => thread.carry(place, origin)));
  }

  /** Ends all conversations, at the end of a source or session. */
  closeAll(): void {
    const threads = [...this.#threads.values()];
    for (const thread of threads) this.#over.push({ thread, isContinued: false });
    this.#threads.clear();
  }

  /** Sets the tools of the current thread. */
  tools(definitions: readonly ToolDefinition[]): void {
    this.#present().tools = definitions;
  }

  /** Adds metadata of the current thread as a whole. For a repeated name the last value counts. */
  describe(meta: Meta): void {
    const thread = this.#present();
    thread.meta = joinMeta(thread.meta, meta);
  }

  /** Adds metadata of the current thread's last message if that is an answer; otherwise drops it. */
  describeAnswer(meta: Meta): void {
    const { last } = this.#present();
    if (last.content !== undefined && !('role' in last.content)) last.meta = joinMeta(last.meta, meta);
  }

  /** Reports something about the current thread as a whole, once per text. */
  note(note: ReadingNote): void {
    const { notes } = this.#present();
    if (!notes.some(({ rule, message }) => rule === note.rule && message === note.message)) notes.push(note);
  }

  /** Counts a rewrite of, or reports something about, the last message of the current thread. */
  noteLast(note: ReadingNote): void {
    const { last } = this.#present();
    if (last.index < 0) this.note(note);
    else last.notes = [...(last.notes ?? []), note];
  }

  /** The last message of the current thread, or the position before the first one. */
  get last(): FoldPlace {
    return this.#present().last;
  }

  /** The position before the current thread's first message. */
  get root(): FoldPlace {
    return this.#present().root;
  }

  /** The messages of the current thread, in order. */
  get items(): readonly FoldPlace[] {
    return this.#present().path.items;
  }

  /** Is there a conversation to hand out? */
  get hasOver(): boolean {
    return this.#over.length > 0;
  }

  /** Hands out what has ended: entries, and the fates of lines that became none. */
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
