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

/** A message of a thread with the results of its calls. */
export interface Item {
  /** Index in its paths; -1 for the position before the first message. */
  readonly index: number;
  /** Offset of its first line. */
  readonly offset: number;
  /** Undefined once it was moved to a later call as its result. */
  content: Message | AssistantDraft | undefined;
  readonly calls: FoldCall[];
  notes?: ReadingNote[];
  /** Rules that rewrote the message. */
  changes?: string[];
  /** Whether a person typed it. Calls before it that are still open stay unanswered. */
  readonly isTurn?: boolean;
  /** Whether it was copied from an earlier conversation, so that it is only context. */
  readonly isCopied?: boolean;
  /** Whether it has encrypted reasoning. */
  isSealed?: boolean;
  /** Metadata of an answer. */
  meta?: Meta;
  /** Set on the first message of a path only: id of the first line that added to the path. */
  rootId?: string;
  /** The path that it was abandoned with, if it is not in the current one. */
  home?: Path;
}

/** Numbers held per line: line, offset, length, and the index of the last item that the line contributed to. */
const PER_LINE = 4;

export class Path {
  readonly items: Item[];
  /** Time of its first line. */
  startedAt: bigint | undefined;
  #shared: number;
  #lines: number[] = [];
  #isSorted = true;
  /** The path that was abandoned last and begins with the same items, and how many it shares. */
  #holder: { readonly path: Path; readonly count: number } | undefined;

  constructor(items: Item[] = []) {
    this.items = items;
    this.#shared = 0;
  }

  /** Starts a path that shares the items up to this one. */
  branchAt({ index }: Item): Path {
    const branch = new Path(this.items.slice(0, index + 1));
    branch.#shared = index + 1;
    branch.#holder = { path: this, count: index + 1 };
    return branch;
  }

  /** Id of its first line with a message, if the dialect sets it. Branches with the same first message share it. */
  get rootId(): string | undefined {
    return this.items[0]?.rootId;
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
    return item.index < 0 || this.items[item.index] === item;
  }

  /** Whether it has an answer that no other path or conversation has. */
  get isAnswered(): boolean {
    return this.items.some(
      ({ content, isCopied }, i) =>
        i >= this.#shared && isCopied !== true && content !== undefined && isAssistant(content),
    );
  }

  /** A path that has all items of this one and more; undefined if none is known. */
  get holder(): Path | undefined {
    const last = this.items.at(-1);
    if (last === undefined || this.#holder === undefined || last.index >= this.#holder.count)
      return undefined;
    return this.#holder.path.has(last) ? this.#holder.path : undefined;
  }

  /** Takes over the lines of a path whose items are all in this one. */
  takeLinesOf(other: Path): void {
    for (const value of other.#lines) this.#lines.push(value);
    this.#isSorted = false;
    other.#lines = [];
    for (const item of other.items) if (item.home === other) item.home = this;
  }

  /**
   * Cuts off the items after this one, with their lines. Returns them as a separate path; undefined if there are none.
   */
  cutAfter(item: Item): Path | undefined {
    const length = item.index + 1;
    const next = this.items[length];
    if (next === undefined) return undefined;
    const tail = new Path(this.items.slice());
    tail.#shared = Math.max(length, this.#shared);
    tail.#holder = this.#holder;
    tail.startedAt = this.startedAt;
    for (let i = length; i < tail.items.length; i++) (tail.items[i] as Item).home = tail;
    tail.#lines = this.#takeLines(item.index, next.offset);
    this.items.length = length;
    this.#shared = Math.min(this.#shared, length);
    this.#holder = { path: tail.holder ?? tail, count: length };
    return tail;
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
