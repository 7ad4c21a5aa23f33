/** Holds calls that continue a response not seen yet until the source ends: exports may list the newest calls first. */
import type { Origin } from '../../model/element.ts';
import type { ReadElement } from '../dialect.ts';
import type { EntryFields } from '../dialect-spec.ts';

interface Waiting {
  readonly part: EntryFields;
  readonly origin: Origin;
  /** Number of the part in its object, from 0. */
  readonly number: number;
}

/** Estimate of the memory of a part without its object. */
const PART_BYTES = 256;

/** Makes an element; undefined if it was gathered. */
type Finish = (part: EntryFields, origin: Origin, number: number) => ReadElement | undefined;

export class WaitingParts {
  readonly #maxBytes: number;
  #parts: Waiting[] = [];
  #held = 0;

  constructor(maxBytes: number) {
    this.#maxBytes = maxBytes;
  }

  /** @returns false if the limit of memory is reached; then the part is not held */
  hold(part: EntryFields, origin: Origin, number: number): boolean {
    const isSame = this.#parts.at(-1)?.origin.offset === origin.offset;
    const weight = isSame ? PART_BYTES : origin.length; // the parts of one object are counted with the first
    if (this.#held + weight > this.#maxBytes) return false;
    this.#held += weight;
    this.#parts.push({ part, origin, number });
    return true;
  }

  /**
   * Reads the held calls again and again, until no more find the response that they continue; the rest stay refused.
   */
  *end(finish: Finish): Generator<ReadElement> {
    let before = Number.POSITIVE_INFINITY;
    while (this.#parts.length < before) {
      before = this.#parts.length;
      const missing: Waiting[] = [];
      // backwards, so that a log with the newest first needs one round
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
