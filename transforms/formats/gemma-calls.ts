/** Finds the call that a result in one of FunctionGemma's turns answers. */

interface OpenCall {
  readonly id: string | undefined;
  readonly name: string;
  /** Index among the calls of its function. */
  readonly place: number;
  isAnswered: boolean;
}

/** The calls of one turn of the model, which may come from several messages. */
export class GemmaCalls {
  /** Open calls, the nearest one last. */
  readonly #byId = new Map<string, OpenCall[]>();
  readonly #byName = new Map<string, FunctionCalls>();
  /** Calls without an id, by the name of their function, and all of them (key undefined). */
  readonly #withoutId = new Map<string | undefined, Queue>();

  add(id: string | undefined, name: string): void {
    const sameName = this.#byName.get(name) ?? new FunctionCalls();
    this.#byName.set(name, sameName);
    const call = sameName.add(id, name);
    if (id === undefined) {
      this.#queueOf(undefined).calls.push(call);
      this.#queueOf(name).calls.push(call);
      return;
    }
    const sameId = this.#byId.get(id);
    if (sameId === undefined) this.#byId.set(id, [call]);
    else sameId.push(call);
  }

  /**
   * Closes the nearest open call with this id. Returns its name, and whether a call of the same function, with another
   * id, is still open before it.
   */
  answer(id: string): { readonly name: string; readonly isLate: boolean } | undefined {
    const call = this.#byId.get(id)?.pop();
    if (call === undefined) return undefined;
    const { name, place } = call;
    const other = this.#byName.get(name)?.firstOpen(id);
    call.isAnswered = true;
    return { name, isLate: other !== undefined && other.place < place };
  }

  /**
   * Closes the first open call, for a result without an id, if none of the calls has one. Returns its name.
   * @param name of the function, if the result has it
   */
  answerWithoutId(name: string | undefined): { readonly name: string } | undefined {
    if (this.#byId.size > 0) return undefined;
    const queue = this.#queueOf(name);
    while (queue.calls[queue.first]?.isAnswered === true) queue.first++;
    const call = queue.calls[queue.first];
    if (call !== undefined) call.isAnswered = true;
    return call;
  }

  #queueOf(name: string | undefined): Queue {
    const queue = this.#withoutId.get(name) ?? { calls: [], first: 0 };
    this.#withoutId.set(name, queue);
    return queue;
  }
}

/** Calls in order; those before `first` are answered. */
interface Queue {
  readonly calls: OpenCall[];
  first: number;
}

/** The calls of one function, in order. */
class FunctionCalls {
  readonly #calls: OpenCall[] = [];
  /** Index of the first open call. */
  #first = 0;
  /**
   * Index of the first open call with another id than that one. Never goes back: the first call of an id is answered
   * after all others of its id, so that none of those before this index is open when the first one changes.
   */
  #second = 0;

  add(id: string | undefined, name: string): OpenCall {
    const call: OpenCall = { id, name, place: this.#calls.length, isAnswered: false };
    this.#calls.push(call);
    return call;
  }

  /** The first open call that does not have this id. */
  firstOpen(otherThan: string): OpenCall | undefined {
    const calls = this.#calls;
    while (calls[this.#first]?.isAnswered === true) this.#first++;
    const first = calls[this.#first];
    if (first?.id !== otherThan) return first;
    this.#second = Math.max(this.#second, this.#first);
    const isPassed = (call: OpenCall | undefined): boolean =>
      call?.isAnswered === true || call?.id === otherThan;
    while (isPassed(calls[this.#second])) this.#second++;
    return calls[this.#second];
  }
}
