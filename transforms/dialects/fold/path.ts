/**
 * One path through the messages of a thread, from first to last, and the places of its lines. Branches share the
 * messages before they part; each line belongs to one path.
 */
import type { Message, Origin, ReadingNote } from '../../model/element.ts';
import type { Place } from '../../model/entry-log.ts';
import type { Meta } from '../../model/meta.ts';
import type { AssistantDraft } from './assistant-draft.ts';

/** A call of an assistant message, and its result, once known. */
export interface FoldCall {
  readonly id: string | undefined;
  result?: Message;
  /** Whether it was removed with its message, so that it takes no result. */
  isGone?: true;
}

export const isOpen = ({ result, isGone }: FoldCall): boolean => result === undefined && isGone !== true;

/** A message of a thread with the results of its calls. The messages of a thread are a tree. */
export interface Item {
  /** Index in its paths; -1 for the position before the first message. */
  readonly index: number;
  /** The message before it; itself at the position before the first message. */
  before: Item;
  /** A message further before it, which makes `itemAt` fast. */
  jump: Item;
  /** The last message up to this one that a person typed. */
  turn: Item | undefined;
  /** The path that it was added to, which has it ever since. */
  readonly owner: Path | undefined;
  /** Offset of its first line. */
  readonly offset: number;
  /** Undefined once it was moved to a later call as its result. */
  content: Message | AssistantDraft | undefined;
  calls: FoldCall[];
  notes?: ReadingNote[];
  /** Rules that rewrote the message. */
  changes?: string[];
  /** Whether a person typed it. Calls before it that are still open stay unanswered. */
  isTurn?: boolean;
  /** Whether it was copied from an earlier conversation, so that it is only context. */
  isCopied?: boolean;
  /** Whether it was copied when the session was forked, with all others. */
  isForked?: boolean;
  /** Whether it has encrypted reasoning. */
  isSealed?: boolean;
  /** Metadata of an answer. */
  meta?: Meta;
  /** Set on the first message of a path only: id of the first line that added to the path, if the dialect sets it. */
  rootId?: string;
}

/** The position before the first message. */
export function rootItem(): Item {
  const links = { turn: undefined, owner: undefined } as const;
  const root = { index: -1, offset: -1, content: undefined, calls: [], ...links } as unknown as Item;
  root.before = root.jump = root;
  return root;
}

/** The `jump` of a message after this one: with these, `itemAt` takes O(log n) steps. */
export const jumpAfter = (before: Item): Item =>
  before.index - before.jump.index === before.jump.index - before.jump.jump.index ? before.jump.jump : before;

/** The message with an index on the way to this one; -1 is the position before the first. */
export function itemAt(from: Item, index: number): Item {
  let item = from;
  while (item.index > index) item = item.jump.index >= index ? item.jump : item.before;
  return item;
}

/** Numbers held per line: line, offset, length, and the index of the last item that the line contributed to. */
const PER_LINE = 4;

export class Path {
  /** Its last message, or the position before the first one. */
  tip: Item;
  /** Time of its first line. */
  startedAt: bigint | undefined;
  #first: Item | undefined;
  #shared: number;
  #lines: number[] = [];
  #isSorted = true;
  /** The path that was abandoned last and begins with the same items, and how many it shares. */
  #holder: { readonly path: Path; readonly count: number } | undefined;

  /** @param tip the last of the items that it shares */
  constructor(tip: Item, shared: number = tip.index + 1) {
    this.tip = tip;
    this.#shared = shared;
  }

  /** Starts a path that shares the items up to this one. */
  branchAt(item: Item): Path {
    const branch = new Path(item);
    branch.#holder = { path: this, count: item.index + 1 };
    return branch;
  }

  /** Number of its items. */
  get length(): number {
    return this.tip.index + 1;
  }

  /** Its items from first to last; a new list. */
  get items(): Item[] {
    return this.itemsFrom(0);
  }

  itemsFrom(index: number): Item[] {
    const items = new Array<Item>(Math.max(0, this.length - index));
    for (let item = this.tip, i = items.length - 1; i >= 0; item = item.before) items[i--] = item;
    return items;
  }

  /** Its first message, which stays the same. */
  get first(): Item | undefined {
    if (this.tip.index < 0) return undefined;
    this.#first ??= itemAt(this.tip, 0);
    return this.#first;
  }

  get lineCount(): number {
    return this.#lines.length / PER_LINE;
  }

  /** Offset of its first line; paths are sorted by it. */
  get offset(): number {
    this.#sort();
    return this.#lines[1] ?? 0;
  }

  addLine({ line, offset, length }: Origin, touched: number): void {
    this.#lines.push(line, offset, length, touched);
  }

  /** Place of the line with this number, from 0. */
  place(number: number): Place {
    this.#sort();
    const at = number * PER_LINE;
    const [line, offset, length] = [this.#lines[at], this.#lines[at + 1], this.#lines[at + 2]];
    return { line: line as number, offset: offset as number, length: length as number };
  }

  *lines(): Generator<Place> {
    for (let i = 0; i < this.lineCount; i++) yield this.place(i);
  }

  has(item: Item): boolean {
    const { tip } = this;
    return item === tip || item.index < 0 || (item.index < tip.index && itemAt(tip, item.index) === item);
  }

  /** Whether it has an answer that no other path or conversation has. */
  get isAnswered(): boolean {
    for (let item = this.tip; item.index >= this.#shared; item = item.before) {
      const { content, isCopied } = item;
      if (isCopied !== true && content !== undefined && isAssistant(content)) return true;
    }
    return false;
  }

  /** Whether all its messages are what a compaction left of an earlier conversation. */
  get isCopied(): boolean {
    const isLeft = ({ content, isCopied, isForked }: Item): boolean =>
      content === undefined || (isCopied === true && isForked !== true);
    let item = this.tip;
    while (item.index >= 0 && isLeft(item)) item = item.before;
    return item.index < 0;
  }

  /** Whether it has no message with a content. */
  get isEmpty(): boolean {
    let item = this.tip;
    while (item.index >= 0 && item.content === undefined) item = item.before;
    return item.index < 0;
  }

  /** A path that has all items of this one and more; undefined if none is known. */
  get holder(): Path | undefined {
    const { tip } = this;
    if (tip.index < 0 || this.#holder === undefined || tip.index >= this.#holder.count) return undefined;
    return this.#holder.path.has(tip) ? this.#holder.path : undefined;
  }

  /** Takes over the lines of a path whose items are all in this one. */
  takeLinesOf(other: Path): void {
    for (const value of other.#lines) this.#lines.push(value);
    this.#isSorted = false;
    other.#lines = [];
  }

  /**
   * Starts a path that shares the items up to this one, and gets their lines: this path keeps those of the items after it.
   */
  cutAfter(item: Item): Path {
    const length = item.index + 1;
    const rest = new Path(item, Math.min(this.#shared, length));
    rest.startedAt = this.startedAt;
    rest.#holder = { path: this.holder ?? this, count: length };
    const taken = this.#takeLines(item.index, itemAt(this.tip, length).offset);
    rest.#lines = this.#lines;
    this.#lines = taken;
    this.#shared = Math.max(length, this.#shared);
    return rest;
  }

  /**
   * Gives the lines of shared items to paths that are written, for a path that is not.
   * @param ownerOf the path that is written with an item; undefined if there is none
   */
  shareLines(ownerOf: (item: Item) => Path | undefined): void {
    const all = this.#lines;
    this.#lines = [];
    for (let i = 0; i < all.length; i += PER_LINE) {
      const touched = Math.min(all[i + PER_LINE - 1] as number, this.tip.index);
      const path = ownerOf(itemAt(this.tip, touched)) ?? this;
      for (let k = 0; k < PER_LINE; k++) path.#lines.push(all[i + k] as number);
      path.#isSorted = false;
    }
  }

  /** Sorts the lines in the order of the log: `takeLinesOf` appends. */
  #sort(): void {
    if (this.#isSorted) return;
    const all = this.#lines;
    const starts = Array.from({ length: all.length / PER_LINE }, (_, i) => i * PER_LINE);
    starts.sort((a, b) => (all[a + 1] as number) - (all[b + 1] as number));
    this.#lines = starts.flatMap((start) => all.slice(start, start + PER_LINE));
    this.#isSorted = true;
  }

  /** Removes and returns the lines at byte `from` or later that contributed to items after `index`. */
  #takeLines(index: number, from: number): number[] {
    this.#sort();
    let start = this.#lines.length;
    while (start > 0 && (this.#lines[start - PER_LINE + 1] as number) >= from) start -= PER_LINE;
    const candidates = this.#lines.splice(start);
    const taken: number[] = [];
    for (let i = 0; i < candidates.length; i += PER_LINE) {
      const isTaken = (candidates[i + PER_LINE - 1] as number) > index;
      const target = isTaken ? taken : this.#lines;
      for (let k = 0; k < PER_LINE; k++) target.push(candidates[i + k] as number);
    }
    return taken;
  }
}

const isAssistant = (content: Message | AssistantDraft): boolean =>
  !('role' in content) || content.role === 'assistant';
