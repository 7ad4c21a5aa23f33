/**
 * Joins calls that continue each other by id where entries are read one by one. Each such call repeats, by that id, its whole
 * conversation: listing that for every call would take time that grows with the square of their number.
 */
import type { Entry, ToolDefinition } from '../../model/element.ts';
import { createEntryLog } from '../../model/entry-log.ts';
import type { LineObjects, ReadElement } from '../dialect.ts';
import { type CallChain, isSameList, wholeMessages } from '../shared/history.ts';

/** The last call of a chain, with those that it continues. */
interface Open {
  readonly entry: Entry;
  readonly chain: CallChain;
}

export class ChainedCalls {
  /** Undefined if the last entry was not of a chain. */
  #open: Open | undefined;
  /** Whether the last call is held. The first one of a chain is not, because its time is that of the session. */
  #isHeld = false;
  #places = createEntryLog();
  #tools: (readonly ToolDefinition[])[] = [];

  /** Whether the next call may be joined to earlier ones. */
  get isOpen(): boolean {
    return this.#open !== undefined;
  }

  get isHolding(): boolean {
    return this.#isHeld;
  }

  /**
   * Takes the elements of a line, of which those with a chain list only their own messages.
   * @returns the elements, the held call before the first entry that does not continue it
   */
  take(objects: LineObjects, chainOf: (entry: ReadElement) => CallChain | undefined): LineObjects {
    const add = (element: ReadElement): Iterable<ReadElement> =>
      element.kind === 'entry' ? this.#add(element, chainOf(element)) : [element];
    function* each(): Generator<ReadElement> {
      for (const element of objects) yield* add(element);
    }
    return { length: objects.length, [Symbol.iterator]: each };
  }

  *#add(entry: Entry, chain: CallChain | undefined): Generator<ReadElement> {
    const last = this.#open;
    const next = chain && { entry, chain };
    const isNext = last !== undefined && next !== undefined && continues(next, last);
    if (!isNext) yield* this.end();
    this.#open = next;
    this.#isHeld = isNext;
    if (isNext) {
      this.#places.add(entry.origin);
      this.#tools.push(entry.tools);
    } else yield chain === undefined ? entry : listed(entry, chain);
  }

  /** Returns the held call. */
  end(): readonly ReadElement[] {
    const open = this.#open;
    const isHeld = this.#isHeld;
    this.#open = undefined;
    this.#isHeld = false;
    if (open === undefined || !isHeld) return [];
    const lines = this.#places.take();
    const tools = this.#tools.length === 1 ? open.entry.tools : this.#tools.flat();
    this.#tools = [];
    const entry = listed(open.entry, open.chain);
    return [lines.count === 1 ? entry : { ...entry, tools, lines, isGathered: true }];
  }
}

const listed = (entry: Entry, chain: CallChain): Entry => ({
  ...entry,
  messages: wholeMessages(entry.messages, chain),
});

/** Does a call continue the last one, so that a session with both has no use for the last one? */
function continues({ entry, chain }: Open, last: Open): boolean {
  const { before, at } = chain;
  if (before === undefined || before !== last.chain.own || entry.sessionId !== last.entry.sessionId)
    return false;
  const [earlier, time] = [last.entry.timestamp, entry.timestamp];
  const isLater = earlier === undefined || time === undefined ? earlier === time : time > earlier;
  const system = last.entry.messages.slice(0, last.chain.at);
  return isLater && isSameList(system, entry.messages.slice(0, at));
}
