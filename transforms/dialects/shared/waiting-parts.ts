/**
 * Holds calls until the source ends: those that continue a response not seen yet, because exports may list the newest
 * calls first, and those that are logged in several objects.
 */
import type { Origin } from '../../model/element.ts';
import type { ReadElement } from '../dialect.ts';
import type { EntryFields, ObjectPart } from '../dialect-spec.ts';

interface Waiting {
  readonly part: EntryFields;
  readonly origin: Origin;
  /** Number of the part in its object, from 0. */
  readonly number: number;
}

/** Estimate of the memory of a part without its object. */
const PART_BYTES = 256;

/** Makes an element; undefined if it was gathered. */
type Finish = (part: ObjectPart, origin: Origin, number: number) => ReadElement | undefined;

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
   * Reads the held calls again. A call that names the response it awaits is read when that response was read; the others
   * are read again until no more find theirs. The rest stay refused.
   */
  *end(finish: Finish): Generator<ReadElement> {
    const awaiting = new Map<string, Waiting[]>();
    let before = Number.POSITIVE_INFINITY;
    // backwards, so that a log with the newest first needs one round
    let parts = this.#parts.reverse();
    while (parts.length > 0 && parts.length < before) {
      before = parts.length;
      const missing: Waiting[] = [];
      for (const first of parts) {
        const due = [first];
        for (let waiting = due.pop(); waiting !== undefined; waiting = due.pop()) {
          const { part, origin, number } = waiting;
          const read = part.later?.();
          if (read === undefined) {
            const list = part.awaits === undefined ? missing : listAt(awaiting, part.awaits);
            list.push(waiting);
          } else {
            yield* elementsOf(finish(read, origin, number));
            if (!('kind' in read)) due.push(...takenFrom(awaiting, read.responseId));
          }
        }
      }
      parts = missing;
    }
    const rest = [...parts, ...[...awaiting.values()].flat()];
    rest.sort((a, b) => a.origin.offset - b.origin.offset || a.number - b.number);
    for (const { part, origin, number } of rest)
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

function listAt(lists: Map<string, Waiting[]>, key: string): Waiting[] {
  const list = lists.get(key) ?? [];
  lists.set(key, list);
  return list;
}

function takenFrom(lists: Map<string, Waiting[]>, key: string | undefined): readonly Waiting[] {
  const list = key === undefined ? undefined : lists.get(key);
  if (key !== undefined) lists.delete(key);
  return list?.reverse() ?? [];
}
