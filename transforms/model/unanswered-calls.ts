/** Finds the call that a result answers without a search: one message can have tens of thousands of calls. */

interface WithId {
  readonly id: string | undefined;
}

/** The calls of one message. Ids repeat in real logs, so each result takes one call: the first one that is open. */
export class UnansweredCalls<Call extends WithId> {
  readonly #calls: readonly Call[];
  /** Open calls by id, the first one last. An id whose calls are all answered stays. Built for the first result. */
  #byId: Map<string | undefined, Call[]> | undefined;
  /** All calls before this index are answered. */
  #first = 0;
  #count: number;

  /** @param calls in order, no object twice */
  constructor(calls: readonly Call[]) {
    this.#calls = calls;
    this.#count = calls.length;
  }

  /** The number of open calls. */
  get count(): number {
    return this.#count;
  }

  /** Whether a call has this id, open or not. */
  knows(id: string | undefined): boolean {
    return this.#open(id) !== undefined;
  }

  /** Whether an open call has this id. */
  has(id: string | undefined): boolean {
    return this.#open(id)?.at(-1) !== undefined;
  }

  /** Removes and returns the first open call with this id. */
  take(id: string | undefined): Call | undefined {
    const call = this.#open(id)?.pop();
    if (call !== undefined) this.#count--;
    return call;
  }

  /** Removes and returns the first open call. */
  takeFirst(): Call | undefined {
    for (; this.#first < this.#calls.length; this.#first++) {
      const call = this.#calls[this.#first] as Call;
      if (this.#open(call.id)?.at(-1) === call) return this.take(call.id);
    }
    return undefined;
  }

  #open(id: string | undefined): Call[] | undefined {
    this.#byId ??= byId(this.#calls);
    return this.#byId.get(id);
  }
}

function byId<Call extends WithId>(calls: readonly Call[]): Map<string | undefined, Call[]> {
  const stacks = new Map<string | undefined, Call[]>();
  for (const call of calls.toReversed()) {
    const sameId = stacks.get(call.id);
    if (sameId === undefined) stacks.set(call.id, [call]);
    else sameId.push(call);
  }
  return stacks;
}
