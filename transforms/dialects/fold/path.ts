/**
 * One way through the messages of a thread, from the first to the last, and the places of the lines that it was made of. Paths
 * that part share the messages in front; each line belongs to one path.
 */
import type { Message, Origin, ReadingNote } from '../../model/element.ts';
import type { Place } from '../../model/entry-log.ts';
import type { Meta } from '../../model/meta.ts';
import type { Draft } from './draft.ts';

/** A call of an assistant message, and its result once there is one. */
export interface FoldCall {
  readonly id: string | undefined;
  result?: Message;
}

/** A message of a thread with the results of its calls. */
export interface Item {
  /** Index in the paths that hold it; -1 for the place in front of the first message. */
  readonly index: number;
  /** Offset of the line that it began in. */
  readonly offset: number;
  /** The message, or what it grows from; undefined when it became the result of a later call. */
  said: Message | Draft | undefined;
  readonly calls: FoldCall[];
  /** Notes on the message. */
  notes?: ReadingNote[];
  /** Rewrites of it, by rule. */
  changes?: string[];
  /** Is it a text that a person typed? Calls before it that are still open stay unanswered. */
  readonly isTurn?: boolean;
  /** Was it said in an earlier conversation, so that it is context only? */
  readonly isCopied?: boolean;
  /** Holds reasoning that only its provider can read. */
  isSealed?: boolean;
  /** Facts that the log has about this answer beside its text. */
  meta?: Meta;
  /** The path that it was left with, when it is not in the one that grows. */
  home?: Path;
}

/** Numbers for each line: line, offset, length, and the index of the last item that the line had a part in. */
const PER_LINE = 4;

export class Path {
  readonly items: Item[];
  /** Time of its first line. */
  startedAt: bigint | undefined;
  #shared: number;
  #lines: number[] = [];
  #isSorted = true;
  /** The path that was left last and shares items in front with this one, and how many. */
  #holder: { readonly path: Path; readonly count: number } | undefined;

  constructor(items: Item[] = []) {
    this.items = items;
    this.#shared = 0;
  }

  /** A path that goes on after an item of this one. */
  branchAt({ index }: Item): Path {
    const branch = new Path(this.items.slice(0, index + 1));
    branch.#shared = index + 1;
    branch.#holder = { path: this, count: index + 1 };
    return branch;
  }

  get lineCount(): number {
    return this.#lines.length / PER_LINE;
  }

  /** Offset of its first line: puts paths in the order of the log. */
  get offset(): number {
    this.#sort();
    return this.#lines[1] ?? 0;
  }

  addLine({ line, offset, length }: Origin, touched: number): void {
    this.#lines.push(line, offset, length, touched);
  }

  /** Place of a line, by its number from 0. */
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

  /** Does it hold something that the model said, and that no other path has? */
  get isAnswered(): boolean {
    return this.items.some(({ said }, i) => i >= this.#shared && said !== undefined && isAssistant(said));
  }

  /** The path that has all items of this one, and more; undefined when none is known. */
  get holder(): Path | undefined {
    const last = this.items.at(-1);
    if (last === undefined || this.#holder === undefined || last.index >= this.#holder.count)
      return undefined;
    return this.#holder.path.has(last) ? this.#holder.path : undefined;
  }

  /** Takes over the lines of a path whose items this one has all. */
  takeLinesOf(other: Path): void {
    for (const value of other.#lines) this.#lines.push(value);
    this.#isSorted = false;
    other.#lines = [];
    for (const item of other.items) if (item.home === other) item.home = this;
  }

  /** Cuts off what comes after an item, with its lines, and returns it as a path of its own; undefined when nothing does. */
  cutBehind(item: Item): Path | undefined {
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

  /** Puts the lines in the order of the log: those taken over were added behind. */
  #sort(): void {
    if (this.#isSorted) return;
    const all = this.#lines;
    const starts = Array.from({ length: all.length / PER_LINE }, (_, i) => i * PER_LINE);
    starts.sort((a, b) => (all[a + 1] as number) - (all[b + 1] as number));
    this.#lines = starts.flatMap((start) => all.slice(start, start + PER_LINE));
    this.#isSorted = true;
  }

  /** Takes out the lines that had a part in items after `index`; none of them is in front of byte `from`. */
  #takeLines(index: number, from: number): number[] {
    this.#sort();
    let start = this.#lines.length;
    while (start > 0 && (this.#lines[start - PER_LINE + 1] as number) >= from) start -= PER_LINE;
    const candidates = this.#lines.splice(start);
    const taken: number[] = [];
    for (let i = 0; i < candidates.length; i += PER_LINE) {
      const goes = (candidates[i + PER_LINE - 1] as number) > index;
      const target = goes ? taken : this.#lines;
      for (let k = 0; k < PER_LINE; k++) target.push(candidates[i + k] as number);
    }
    return taken;
  }
}

const isAssistant = (said: Message | Draft): boolean => !('role' in said) || said.role === 'assistant';
