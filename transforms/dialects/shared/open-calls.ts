/** The calls of a conversation that have no result yet. */

interface OpenCall {
  readonly id: string;
  readonly name: string | undefined;
  /** Index of its message. */
  readonly at: number;
}

/** Ids of items of the Responses API that are calls: such a call was logged without the id that its result names. */
export const ITEM_ID: RegExp = /^(?:fc|ctc)_/;

export class OpenCalls {
  #calls: OpenCall[] = [];
  /** Number of calls that got an id. */
  #named = 0;

  copy(): OpenCalls {
    const copy = new OpenCalls();
    copy.#calls = [...this.#calls];
    copy.#named = this.#named;
    return copy;
  }

  /** Has no call been added? */
  get isNew(): boolean {
    return this.#calls.length + this.#named === 0;
  }

  /** Indexes of the messages with these calls. */
  get places(): ReadonlySet<number> {
    return new Set(this.#calls.map(({ at }) => at));
  }

  hasName(name: string): boolean {
    return this.#calls.some((call) => call.name === name);
  }

  /** Adds a call. @returns its id: its own one, else a new one; an empty id is none */
  add(id: string | undefined, name: string | undefined, at: number): string {
    const own = id || `call_${++this.#named}`;
    this.#calls.push({ id: own, name, at });
    return own;
  }

  /**
   * Ends the call that a result answers.
   * @returns its id: that of the result, else that of the first open call of its name, else of the first one. An id that
   * repeats is that of the nearest message. A call that is logged under the id of its item of the Responses API has results
   * under another id, in its order.
   */
  answer(logged: string | undefined, name: string | undefined): string | undefined {
    const id = logged || undefined;
    const nearest = this.#calls.findLast((call) => call.id === id)?.at;
    const isItems = id !== undefined && nearest === undefined && !ITEM_ID.test(id);
    const at =
      id === undefined
        ? Math.max(
            this.#calls.findIndex((call) => call.name === name),
            0,
          )
        : this.#calls.findIndex((call) =>
            isItems ? ITEM_ID.test(call.id) : call.id === id && call.at === nearest,
          );
    const [call] = at < 0 ? [] : this.#calls.splice(at, 1);
    return isItems ? (call?.id ?? id) : (id ?? call?.id);
  }
}
