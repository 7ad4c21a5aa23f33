/** Matches calls of a thread with their results, which may come before the call. */
import { type FoldCall, type Item, isOpen } from './path.ts';

/**
 * The calls with one id in one message. A result goes to the nearest message, and to its first call without a result.
 */
interface Group {
  readonly item: Item;
  readonly calls: FoldCall[];
  /** Index of the first call without a result. */
  next: number;
  /** The calls with that id in the nearest message before it that has some. */
  readonly before: Group | undefined;
}

interface Early {
  readonly id: string;
  readonly item: Item;
  readonly line: number;
}

/** A call and its message. */
export interface Pending {
  readonly item: Item;
  readonly call: FoldCall;
}

/** Number of lines within which the call of an early result must follow. */
const EARLY_LINES = 64;
const MAX_EARLY = 1000;

export class PendingCalls {
  /** By call id, those of the nearest message. */
  readonly #byId = new Map<string, Group>();
  /** All in order, for results without an id. */
  #inOrder: Pending[] = [];
  #first = 0;
  #early: Early[] = [];

  open(item: Item, call: FoldCall): void {
    this.#inOrder.push({ item, call });
    if (call.id === undefined) return;
    const before = this.#byId.get(call.id);
    if (before?.item === item) before.calls.push(call);
    else this.#byId.set(call.id, { item, calls: [call], next: 0, before });
  }

  /**
   * Removes and returns the call that a result answers.
   * @param isHere whether a message is still in the current path
   */
  take(id: string | undefined, isHere: (item: Item) => boolean): Pending | undefined {
    return id === undefined ? this.#takeFirst(isHere) : this.#takeNearest(id, isHere);
  }

  /** Records a result whose call has not occurred yet. */
  wait(id: string, item: Item, line: number): void {
    if (this.#early.length < MAX_EARLY) this.#early.push({ id, item, line });
  }

  /** Removes and returns the early result of a call, unless it came too many lines ago. */
  takeEarly(id: string | undefined, line: number, isHere: (item: Item) => boolean): Item | undefined {
    if (this.#early.length === 0) return undefined;
    this.#early = this.#early.filter((early) => line - early.line <= EARLY_LINES);
    const at = this.#early.findIndex((early) => early.id === id && isHere(early.item));
    return at < 0 ? undefined : this.#early.splice(at, 1)[0]?.item;
  }

  clear(): void {
    this.#byId.clear();
    this.#inOrder = [];
    this.#first = 0;
    this.#early = [];
  }

  #takeFirst(isHere: (item: Item) => boolean): Pending | undefined {
    for (; this.#first < this.#inOrder.length; this.#first++) {
      const pending = this.#inOrder[this.#first] as Pending;
      if (isOpen(pending.call) && isHere(pending.item)) return pending;
    }
    return undefined;
  }

  #takeNearest(id: string, isHere: (item: Item) => boolean): Pending | undefined {
    for (let group = this.#byId.get(id); group !== undefined; group = group.before) {
      const { item, calls } = group;
      let call = calls[group.next];
      while (call !== undefined && !isOpen(call)) call = calls[++group.next];
      if (call !== undefined && isHere(item)) {
        this.#byId.set(id, group);
        return { item, call };
      }
    }
    this.#byId.delete(id);
    return undefined;
  }
}
