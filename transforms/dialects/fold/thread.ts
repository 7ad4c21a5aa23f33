/** A conversation being folded: the growing path, and those abandoned when the user went back. */
import type { Message, Origin, ReadingNote, ToolDefinition } from '../../model/element.ts';
import type { Meta } from '../../model/meta.ts';
import { bytesOf, Draft, type FoldBlock, type Repeats } from './draft.ts';
import { type Item, Path } from './path.ts';
import { PendingCalls } from './pending-calls.ts';

/** Facts about a message besides its text. */
export interface ItemFacts {
  /** Did a person type it? Calls before it that are still open stay unanswered. */
  readonly isTurn?: boolean;
  /** Does it come from an earlier conversation, as context only? */
  readonly isCopied?: boolean;
  readonly notes?: readonly ReadingNote[];
  /** Rewrites of the message, by rule. */
  readonly changes?: readonly string[];
  /** Metadata of an answer: model, tokens, cost and finish reason. For a repeated name the last value counts. */
  readonly meta?: Meta;
}

/** Memory of an item besides its bytes. */
const ITEM_BYTES = 256;
/** Memory of the model, tokens and finish reason of an answer. */
const META_BYTES = 512;
/** Memory of one more block, or of one more place of an item in a path. */
const BLOCK_BYTES = 128;
const POINTER_BYTES = 8;
/** Marks the result of a call that was removed. */
const GONE: Message = { bytes: new Uint8Array(0), role: 'tool' };

export class Thread {
  readonly name: string;
  readonly sessionId: string;
  tools: readonly ToolDefinition[] | undefined;
  path: Path = new Path();
  readonly left: Set<Path> = new Set();
  /** The position before the first message. */
  readonly root: Item = { index: -1, offset: -1, content: undefined, calls: [] };
  /** Notes on the conversation as a whole. */
  readonly notes: ReadingNote[] = [];
  /** Metadata of the conversation as a whole. */
  meta: Meta | undefined;
  /** Bytes held. */
  weight = 0;
  /** Index of the last item that the current line contributed to. */
  touched = -1;
  #isRefused = false;
  readonly #named = new Map<string, Item>();
  readonly #pending = new PendingCalls();
  readonly #isHere = (item: Item): boolean => this.path.has(item);

  constructor(name: string, sessionId: string) {
    this.name = name;
    this.sessionId = sessionId;
  }

  /** Was it rejected because it is too long? Its lines are still counted. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  get last(): Item {
    return this.path.items.at(-1) ?? this.root;
  }

  add(message: Message, origin: Origin, facts: ItemFacts = {}): Item {
    return this.#append(this.#newItem(message, origin, facts), message.bytes.length);
  }

  /** The assistant message of that name; a new one if the path has none. */
  named(name: string, origin: Origin, facts: ItemFacts): Item {
    const known = this.#named.get(name);
    if (known !== undefined && this.path.has(known)) return this.#touch(note(known, facts));
    const item = this.#newItem(new Draft(), origin, facts);
    if (!this.#isRefused) this.#named.set(name, item);
    return this.#append(item, META_BYTES + name.length);
  }

  put(item: Item, block: FoldBlock, repeats: Repeats, { line }: Origin): void {
    if (this.#isRefused) return;
    const isNew = (item.content as Draft).put(block, repeats);
    this.weight += BLOCK_BYTES + bytesOf(block).length;
    if (block.kind !== 'call' || !isNew) return;
    const call = { id: block.id };
    item.calls.push(call);
    const early = this.#pending.takeEarly(block.id, line, this.#isHere);
    if (early === undefined) this.#pending.open(item, call);
    else moveResult(early, item);
  }

  /** Gives a call its result. @param id undefined for the first call without a result */
  answer(id: string | undefined, result: Message, origin: Origin, facts: ItemFacts): Item {
    const pending = this.#pending.take(id, this.#isHere);
    if (pending === undefined) {
      const orphan = this.add(result, origin, facts);
      if (id !== undefined && !this.#isRefused) this.#pending.wait(id, orphan, origin.line);
      return orphan;
    }
    const { item, call } = pending;
    call.result = result;
    this.weight += BLOCK_BYTES + result.bytes.length;
    return this.#touch(note(item, facts));
  }

  /** Continues after an item of any path, abandoning the rest of the current path. */
  cut(item: Item): void {
    if (this.#isRefused) return;
    if (this.path.has(item)) {
      const tail = this.path.cutBehind(item);
      if (tail !== undefined) this.#leave(tail);
    } else if (item.home?.has(item) === true) {
      const { home } = item;
      const length = item.index + 1;
      for (const one of this.path.items) if (!home.has(one)) one.home = this.path;
      this.#leave(this.path);
      const isAtEnd = home.items.length === length;
      this.path = isAtEnd ? home : home.branchAt(item);
      this.left.delete(this.path);
    }
    this.touched = item.index;
  }

  /** Adds a message of another thread with the results that its calls have; open calls stay open. */
  carry({ content, calls }: Item, origin: Origin): Item {
    const item = this.#newItem(content, origin, { isCopied: true });
    for (const call of calls) {
      const copy = { ...call };
      item.calls.push(copy);
      if (copy.result === undefined) this.#pending.open(item, copy);
    }
    return this.#append(item, weightOf(item));
  }

  /** Empties a message, its calls and their results. @param message its new content */
  reset(item: Item, message: Message | undefined): Item {
    if (this.#isRefused) return item;
    this.weight -= weightOf(item);
    // calls that were removed take no results
    for (const call of item.calls) call.result ??= GONE;
    item.calls.length = 0;
    item.content = message ?? new Draft();
    delete item.notes;
    delete item.changes;
    delete item.meta;
    this.weight += message?.bytes.length ?? 0;
    return this.#touch(item);
  }

  /**
   * Lets the growing path go if nothing came after the user went back: when an answered path that was left has all its
   * messages, its lines go to that one, so that no message is written twice.
   */
  dropEmptyTip(): void {
    const { last } = this;
    if (last.index < 0) return;
    const whole = [...this.left].findLast((path) => path.has(last) && path.isAnswered);
    if (whole === undefined) return;
    whole.takeLinesOf(this.path);
    this.left.delete(whole);
    this.path = whole;
  }

  /** All paths that have lines, in the order of the log. */
  get paths(): readonly Path[] {
    const all = [...this.left, this.path].filter(({ lineCount }) => lineCount > 0);
    return all.sort((a, b) => a.offset - b.offset);
  }

  /** Drops the messages: from here on only lines are counted. */
  refuse(): void {
    this.#isRefused = true;
    this.weight = 0;
    for (const { items } of [this.path, ...this.left]) items.length = 0;
    this.#named.clear();
    this.#pending.clear();
  }

  /** Keeps a path that the user went back from, unless all of it is in one that was left before. */
  #leave(path: Path): void {
    const { holder } = path;
    if (holder !== undefined && this.left.has(holder)) {
      holder.takeLinesOf(path);
      return;
    }
    this.left.add(path);
    this.weight += ITEM_BYTES + path.items.length * POINTER_BYTES;
  }

  #newItem(content: Item['content'], { offset }: Origin, facts: ItemFacts): Item {
    const { isTurn, isCopied } = facts;
    const index = this.path.items.length;
    const calls: Item['calls'] = [];
    return note(
      { index, offset, content, calls, ...(isTurn && { isTurn }), ...(isCopied && { isCopied }) },
      facts,
    );
  }

  #append(item: Item, bytes: number): Item {
    if (!this.#isRefused) {
      this.path.items.push(item);
      this.weight += ITEM_BYTES + bytes;
    }
    return this.#touch(item);
  }

  #touch(item: Item): Item {
    this.touched = Math.max(this.touched, item.index);
    return item;
  }
}

/** Merges both; for a name in both, the second one's value counts. */
export function joinMeta(a: Meta | undefined, b: Meta): Meta {
  return a === undefined ? b : new Map([...a, ...b]);
}

function note(item: Item, { notes, changes, meta }: ItemFacts): Item {
  if (meta !== undefined && meta.size > 0) item.meta = joinMeta(item.meta, meta);
  if (notes !== undefined && notes.length > 0) item.notes = [...(item.notes ?? []), ...notes];
  if (changes !== undefined && changes.length > 0) item.changes = [...(item.changes ?? []), ...changes];
  return item;
}

/** Memory of a message and its results, beyond that of any item. */
function weightOf({ content, calls }: Item): number {
  let weight = 0;
  if (content !== undefined)
    weight = 'role' in content ? content.bytes.length : content.weight + content.size * BLOCK_BYTES;
  for (const { result } of calls) if (result !== undefined) weight += BLOCK_BYTES + result.bytes.length;
  return weight;
}

/** Moves an early result from its own position to the last call of an item. */
function moveResult(early: Item, item: Item): void {
  const { notes, changes, content } = early;
  note(item, { ...(notes && { notes }), ...(changes && { changes }) });
  (item.calls.at(-1) as Item['calls'][number]).result = content as Message;
  early.content = undefined;
  delete early.notes;
  delete early.changes;
}
