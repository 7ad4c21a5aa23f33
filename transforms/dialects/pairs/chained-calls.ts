/**
 * Joins calls that continue each other by id where entries are read one by one. Each such call repeats, by that id, its whole
 * conversation: listing that for every call would take time that grows with the square of their number. The last calls of
 * chains whose lines alternate are held until an entry that is of no chain, in the order of the log.
 */
import type { Entry, EntryLog, ToolDefinition } from '../../model/element.ts';
import { createEntryLog, type Place, placesOf } from '../../model/entry-log.ts';
import type { LineObjects, ReadElement, ReadingOptions } from '../dialect.ts';
import { type CallChain, type History, isSameList, wholeMessages } from '../shared/history.ts';

/** Most chains that may be continued. */
const MAX_CHAINS = 1000;

/** The last call of a chain, with those that it continues. */
interface Open {
  readonly entry: Entry;
  readonly chain: CallChain;
  /** Tools of its calls that were not returned yet; undefined if the last one was. */
  readonly tools: (readonly ToolDefinition[])[] | undefined;
}

export class ChainedCalls {
  readonly #isByFile: boolean;
  readonly #isStrict: boolean;
  readonly #maxMessages: number;
  /** By what the next call continues; the chain that was idle the longest is first. */
  readonly #open = new Map<History | CallChain, Open>();
  /** The last call of the source, if it was of a chain. */
  #last: Entry | undefined;
  /** Places of the calls that were not returned yet, in the order of the log. */
  #places = createEntryLog();
  #isHolding = false;

  constructor({ sessionBy, strictTime, maxMessages = Number.POSITIVE_INFINITY }: ReadingOptions) {
    this.#isByFile = sessionBy !== 'run';
    this.#isStrict = strictTime === true;
    this.#maxMessages = maxMessages;
  }

  /** Whether the next call may be joined to earlier ones. */
  get isOpen(): boolean {
    return this.#last !== undefined;
  }

  get isHolding(): boolean {
    return this.#isHolding;
  }

  /**
   * Takes the elements of a line, of which those with a chain list only their own messages.
   * @returns the elements; the held calls before the first entry that is of no chain
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
    const length = chain === undefined ? 0 : lengthOf(entry, chain);
    if (length > this.#maxMessages) {
      yield { ...entry, length };
      return;
    }
    if (chain !== undefined && this.#last !== undefined && this.#isNext(entry, this.#last)) {
      this.#hold(entry, chain);
      if (this.#open.size > MAX_CHAINS) yield* this.end();
      return;
    }
    yield* this.end();
    yield chain === undefined ? entry : listed(entry, chain);
    if (chain === undefined) return;
    this.#last = entry;
    this.#open.set(keyOf(chain), { entry, chain, tools: undefined });
  }

  /** Whether a session that has both takes a call after the last one. */
  #isNext({ timestamp: time, sessionId }: Entry, last: Entry): boolean {
    const { timestamp: earlier } = last;
    const areTimed = earlier !== undefined && time !== undefined;
    const isLater = areTimed ? time > earlier || (time === earlier && !this.#isStrict) : earlier === time;
    return isLater && (this.#isByFile || sessionId === last.sessionId);
  }

  #hold(entry: Entry, chain: CallChain): void {
    const { before } = chain;
    const former = before && this.#open.get(before);
    const isContinued = former !== undefined && continues({ entry, chain }, former);
    if (isContinued) this.#open.delete(before as History);
    const tools = (isContinued ? former.tools : undefined) ?? [];
    tools.push(entry.tools);
    this.#open.set(keyOf(chain), { entry, chain, tools });
    this.#places.add(entry.origin);
    this.#isHolding = true;
    this.#last = entry;
  }

  /** Returns the held calls, each with the places since the one before it. */
  *end(): Generator<ReadElement> {
    const held = [...this.#open.values()].filter(({ tools }) => tools !== undefined);
    const places = placesOf(this.#places.take());
    this.forget();
    for (const { entry, chain, tools = [] } of held) {
      const lines = linesUpTo(entry.origin, places);
      const [own = [], ...others] = tools;
      const whole = { ...listed(entry, chain), tools: others.length === 0 ? own : tools.flat() };
      yield lines.count === 1 ? whole : { ...whole, lines, isGathered: true };
    }
  }

  forget(): void {
    this.#open.clear();
    this.#last = undefined;
    this.#places = createEntryLog();
    this.#isHolding = false;
  }
}

/** Takes the next places up to one. */
function linesUpTo({ offset }: Place, places: Generator<Place>): EntryLog {
  const log = createEntryLog();
  for (let next = places.next(); next.done !== true; next = places.next()) {
    log.add(next.value);
    if (next.value.offset === offset) break; // gathered lines are ordered by time
  }
  return log.take();
}

/** No call continues one that has no answer yet. */
const keyOf = (chain: CallChain): History | CallChain => chain.own ?? chain;

const listed = (entry: Entry, chain: CallChain): Entry => ({
  ...entry,
  messages: wholeMessages(entry.messages, chain),
});

/** Number of messages of a call, with those that it does not list. */
const lengthOf = ({ messages, reply }: Entry, { before }: CallChain): number =>
  messages.length + (before?.length ?? 0) + (reply === undefined ? 0 : 1);

/** Whether a call continues the last one of a chain, so that a session with both has no use for that. */
function continues({ entry, chain }: Pick<Open, 'entry' | 'chain'>, last: Open): boolean {
  const system = last.entry.messages.slice(0, last.chain.at);
  return entry.sessionId === last.entry.sessionId && isSameList(system, entry.messages.slice(0, chain.at));
}
