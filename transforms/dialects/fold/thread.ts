/** A conversation in progress: its current path, and those abandoned when the user went back. */
import type { Message, Origin, ReadingNote, ToolDefinition } from '../../model/element.ts';
import type { Meta } from '../../model/meta.ts';
import { isSameResult } from '../shared/same-result.ts';
import { AssistantDraft, bytesOf, type FoldBlock, type Repeats } from './assistant-draft.ts';
import { type Item, jumpAfter, Path, rootItem } from './path.ts';
import { PendingCalls } from './pending-calls.ts';

/** Facts about a message besides its text. */
export interface ItemFacts {
  /** Whether a person typed it. Calls before it that are still open stay unanswered. */
  readonly isTurn?: boolean;
  /** Whether it was copied from an earlier conversation, so that it is only context. */
  readonly isCopied?: boolean;
  /** Whether it was copied when the session was forked, with all others. */
  readonly isForked?: boolean;
  readonly notes?: readonly ReadingNote[];
  /** Rules that rewrote the message. */
  readonly changes?: readonly string[];
  /** Model, tokens, cost and finish reason of an answer. If a name repeats, the last value counts. */
  readonly meta?: Meta;
}

// estimates of memory in bytes
/** An item, besides its text. */
const ITEM_BYTES = 256;
/** The metadata of an answer. */
const META_BYTES = 512;
/** One more block. */
const BLOCK_BYTES = 128;
/** A finding about the conversation, besides its text. */
const NOTE_BYTES = 128;
/** Number of last messages in which a repeated result is looked for. */
const MAX_REPEAT_ITEMS = 64;

export class Thread {
  readonly name: string;
  readonly sessionId: string;
  tools: readonly ToolDefinition[] | undefined;
  /** The position before the first message. */
  readonly root: Item = rootItem();
  path: Path = new Path(this.root);
  /** Paths abandoned when the user went back. */
  readonly left: Set<Path> = new Set();
  /** Findings about the conversation as a whole. */
  readonly notes: ReadingNote[] = [];
  meta: Meta | undefined;
  /** Bytes held. */
  weight = 0;
  /** Index of the last item that the current line contributed to. */
  touched = -1;
  /** Whether the last result was one that its call has already. */
  isRepeat = false;
  /** Whether another conversation repeats it, so that it is not written. */
  isDiscarded = false;
  /** Whether a call that was copied from an earlier conversation got its result in this one. */
  hasLateResults = false;
  #isRefused = false;
  /** Answers before this index are not continued. */
  #brokenAt = 0;
  /** The findings in `notes`. */
  readonly #noted = new Set<string>();
  readonly #named = new Map<string, Item>();
  readonly #pending = new PendingCalls();
  readonly #isHere = (item: Item): boolean => this.path.has(item);

  constructor(name: string, sessionId: string) {
    this.name = name;
    this.sessionId = sessionId;
  }

  /** Whether it was refused because it is too long. Its lines are still counted. */
  get isRefused(): boolean {
    return this.#isRefused;
  }

  get last(): Item {
    return this.path.tip;
  }

  add(message: Message, origin: Origin, facts: ItemFacts = {}): Item {
    return this.#append(this.#newItem(message, origin, facts), message.bytes.length);
  }

  /** Adds a finding about the conversation as a whole, unless it has the same one. */
  note(note: ReadingNote): void {
    const key = `${note.rule} ${note.message}`;
    if (this.#isRefused || this.#noted.has(key)) return;
    this.#noted.add(key);
    this.notes.push(note);
    this.weight += NOTE_BYTES + 2 * key.length;
  }

  /** From now on no answer so far is continued, because something of the log is lost here. */
  breakAnswers(): void {
    this.#brokenAt = this.last.index + 1;
  }

  /**
   * The assistant message with that name; a new one if the path has none.
   * @param again blocks that may repeat some of the message: if one does, nothing of the message was lost before them
   */
  named(name: string, origin: Origin, facts: ItemFacts, again: readonly FoldBlock[] = []): Item {
    const known = this.#named.get(name);
    if (known !== undefined && this.path.has(known) && this.#continues(known, again))
      return this.#touch(noteItem(known, facts));
    const item = this.#newItem(new AssistantDraft(), origin, facts);
    if (!this.#isRefused) this.#named.set(name, item);
    return this.#append(item, META_BYTES + name.length);
  }

  #continues({ index, content }: Item, again: readonly FoldBlock[]): boolean {
    if (index >= this.#brokenAt || !(content instanceof AssistantDraft)) return true;
    return content.size === 0 || again.some((block) => content.isContinuedBy(block)); // a message that was reset has no blocks
  }

  /** Adds the blocks of a line to an assistant message. */
  amend(item: Item, blocks: readonly FoldBlock[], repeats: Repeats, origin: Origin): void {
    if (this.#isRefused) return;
    const draft = item.content as AssistantDraft;
    draft.lines++;
    const before = draft.size;
    for (const block of blocks) this.#put(item, block, draft.put(block, repeats, before), origin);
  }

  #put(item: Item, block: FoldBlock, isNew: boolean, { line }: Origin): void {
    this.weight += BLOCK_BYTES + bytesOf(block).length;
    if (block.kind !== 'call' || !isNew) return;
    const call = { id: block.id };
    if (item.calls.length === 0)
      item.calls = [call]; // most have one: a list that grows takes more
    else item.calls.push(call);
    const early = this.#pending.takeEarly(block.id, line, this.#isHere);
    if (early === undefined) this.#pending.open(item, call);
    else moveResult(early, item);
  }

  /** Adds the result of a call. @param id undefined for the first call without a result */
  answer(id: string | undefined, result: Message, origin: Origin, facts: ItemFacts): Item {
    const pending = this.#pending.take(id, this.#isHere);
    if (pending === undefined) {
      const repeated = id === undefined || this.#isRefused ? undefined : this.answeredBy(id, result);
      this.isRepeat = repeated !== undefined;
      if (repeated !== undefined) return repeated;
      const orphan = this.add(result, origin, facts);
      if (id !== undefined && !this.#isRefused) this.#pending.wait(id, orphan, origin.line);
      return orphan;
    }
    const { item, call } = pending;
    this.isRepeat = false;
    if (item.isCopied === true && facts.isCopied !== true) this.hasLateResults = true;
    call.result = result;
    this.weight += BLOCK_BYTES + result.bytes.length;
    return this.#touch(noteItem(item, facts));
  }

  /** Continues after an item of any path, abandoning the rest of the current path. */
  cut(item: Item): void {
    if (this.#isRefused) return;
    const { path } = this;
    const at = item.index < 0 ? this.root : item;
    const { owner } = at;
    if (path.has(at)) {
      if (at !== path.tip) {
        this.path = path.cutAfter(at);
        this.#leave(path);
      }
    } else if (owner !== undefined && this.left.has(owner)) {
      this.#leave(path);
      this.path = owner.tip === at ? owner : owner.branchAt(at);
      this.left.delete(this.path);
    }
    this.touched = at.index;
    this.#brokenAt = Math.min(this.#brokenAt, at.index + 1);
  }

  /** Adds a copy of another thread's message with the results of its calls; open calls stay open. */
  carry({ content, calls }: Item, origin: Origin): Item {
    const item = this.#newItem(content, origin, { isCopied: true });
    for (const call of calls) {
      const copy = { ...call };
      item.calls.push(copy);
      if (copy.result === undefined) this.#pending.open(item, copy);
    }
    return this.#append(item, weightOf(item));
  }

  /** Empties a message and removes its calls and their results. @param message the new content */
  reset(item: Item, message: Message | undefined): Item {
    if (this.#isRefused) return item;
    this.weight -= weightOf(item);
    for (const call of item.calls) call.isGone = true;
    item.calls.length = 0;
    item.content = message ?? new AssistantDraft();
    delete item.notes;
    delete item.changes;
    delete item.meta;
    this.weight += message?.bytes.length ?? 0;
    return this.#touch(item);
  }

  /** Replaces what a line added to an assistant message by the later version of that line. */
  rewrite(item: Item, blocks: readonly FoldBlock[], origin: Origin): Item {
    const old = item.content as AssistantDraft;
    const isWhole = old.lines === 1;
    const draft = isWhole ? new AssistantDraft() : old;
    const calls = isWhole ? item.calls.splice(0) : [];
    item.content = draft;
    draft.lines = old.lines;
    for (const block of blocks) {
      if (!isWhole && (draft.covers(block) || draft.renew(block))) continue;
      const isNew = draft.put(block, 'add');
      const known = calls.findIndex(({ id }) => block.kind === 'call' && id !== undefined && id === block.id);
      if (known < 0) this.#put(item, block, isNew, origin);
      else item.calls.push(...calls.splice(known, 1));
    }
    for (const call of calls) call.isGone = true;
    return this.#touch(item);
  }

  rewriteResult(item: Item, id: string | undefined, result: Message): Item {
    const call = item.calls.find((one) => one.id === id && one.result !== undefined);
    if (call === undefined) item.content = result;
    else call.result = result;
    this.weight += result.bytes.length;
    return this.#touch(item);
  }

  /** The message with a call that has this result already; undefined if there is none among the last ones. */
  answeredBy(id: string, again: Message): Item | undefined {
    const end = this.last.index - MAX_REPEAT_ITEMS;
    for (let item = this.last; item.index >= 0 && item.index > end; item = item.before) {
      const { result } = item.calls.find((call) => call.id === id && call.result !== undefined) ?? {};
      if (result !== undefined) return isSameResult(result, again) ? item : undefined;
    }
    return undefined;
  }

  /**
   * Drops the current path if the user went back and then wrote nothing: if an answered path that was abandoned has all
   * its messages, that one gets its lines, so that no message is written twice.
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
    for (const path of [this.path, ...this.left]) this.#empty(path);
    this.#named.clear();
    this.#noted.clear();
    this.notes.length = 0;
    this.#pending.clear();
  }

  /** Drops the items of a path; those that another one shared are gone already. */
  #empty(path: Path): void {
    for (let item = path.tip; item !== this.root; ) {
      const { before } = item;
      item.before = item.jump = this.root;
      item.content = undefined;
      item.calls.length = 0;
      item = before;
    }
    path.tip = this.root;
  }

  /** Keeps an abandoned path, unless all of it is in one that was abandoned before. */
  #leave(path: Path): void {
    const { holder } = path;
    if (holder !== undefined && this.left.has(holder)) {
      holder.takeLinesOf(path);
      return;
    }
    this.left.add(path);
    this.weight += ITEM_BYTES;
  }

  #newItem(content: Item['content'], { offset }: Origin, facts: ItemFacts): Item {
    const { isTurn, isCopied, isForked } = facts;
    const before = this.path.tip;
    const { index, turn } = before;
    // lists the members, because spreading them takes a tenth of the time of a line
    const item: Item = {
      index: index + 1,
      offset,
      content,
      calls: [],
      before,
      jump: jumpAfter(before),
      turn,
      owner: this.path,
    };
    if (isCopied === true || isForked === true) item.isCopied = true;
    if (isForked === true) item.isForked = true;
    if (isTurn === true) {
      item.isTurn = true;
      item.turn = item;
    }
    return noteItem(item, facts);
  }

  #append(item: Item, bytes: number): Item {
    if (!this.#isRefused) {
      this.path.tip = item;
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
  return a === undefined || a === b ? b : new Map([...a, ...b]);
}

/** Adds facts to those of a message, whose lists are its own. */
export function noteItem(item: Item, { notes, changes, meta }: ItemFacts): Item {
  if (meta !== undefined && meta.size > 0) item.meta = joinMeta(item.meta, meta);
  if (notes !== undefined && notes.length > 0) item.notes = appended(item.notes, notes);
  if (changes !== undefined && changes.length > 0) item.changes = appended(item.changes, changes);
  return item;
}

/** The list with more items, without a copy: a message may consist of many lines. */
function appended<T>(list: T[] | undefined, more: readonly T[]): T[] {
  if (list === undefined) return [...more];
  for (const one of more) list.push(one);
  return list;
}

/** Bytes of a message and its results, besides `ITEM_BYTES`. */
function weightOf({ content, calls }: Item): number {
  let weight = 0;
  if (content !== undefined)
    weight = 'role' in content ? content.bytes.length : content.weight + content.size * BLOCK_BYTES;
  for (const { result } of calls) if (result !== undefined) weight += BLOCK_BYTES + result.bytes.length;
  return weight;
}

/** Moves a result that came before its call to the last call of an item. */
function moveResult(early: Item, item: Item): void {
  const { notes, changes, content } = early;
  noteItem(item, { ...(notes && { notes }), ...(changes && { changes }) });
  (item.calls.at(-1) as Item['calls'][number]).result = content as Message;
  early.content = undefined;
  delete early.notes;
  delete early.changes;
}
