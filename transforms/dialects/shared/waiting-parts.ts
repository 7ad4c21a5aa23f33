/** Calls that continue a response which the source has not had yet: exports list the newest first. They are held until the source ends. */
import type { Origin } from '../../model/element.ts';
import type { ReadElement } from '../dialect.ts';
import type { EntryFields } from '../dialect-spec.ts';

interface Waiting {
  readonly part: EntryFields;
  readonly origin: Origin;
  /** Number of the part in its object. */
  readonly number: number;
}

/** Makes an element; nothing if it was gathered. */
type Finish = (part: EntryFields, origin: Origin, number: number) => ReadElement | undefined;

export class WaitingParts {
  readonly #maxBytes: number;
  #parts: Waiting[] = [];
  #held = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @returns false if that would be more than may be held */
  hold(part: EntryFields, origin: Origin, number: number): boolean {
    if (this.#held + origin.length > this.#maxBytes) return false;
    this.#held += origin.length;
    this.#parts.push({ part, origin, number });
    return true;
  }

  /** Reads what was held, until no call finds its beginning any more; the others stay refused. */
  *end(finish: Finish): Generator<ReadElement> {
    let before = Number.POSITIVE_INFINITY;
    while (this.#parts.length < before) {
      before = this.#parts.length;
      const missing: Waiting[] = [];
      // the last ones first: a log that lists the newest first is then read in one round
      for (const waiting of this.#parts.reverse()) {
        const part = waiting.part.later?.();
        if (part === undefined) missing.push(waiting);
        else yield* elementsOf(finish(part, waiting.origin, waiting.number));
      }
      this.#parts = missing.reverse();
    }
    for (const { part, origin, number } of this.#parts)
      yield* elementsOf(finish({ ...part, later: undefined }, origin, number));
    this.forget();
  }

  forget(): void {
    this.#parts = [];
    this.#held = 0;
  }
}

const elementsOf = (element: ReadElement | undefined): readonly ReadElement[] =>
  element === undefined ? [] : [element];
