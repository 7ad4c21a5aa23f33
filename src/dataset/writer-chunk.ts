/** Chunks for the writers of the library: elements, one by one or in arrays. */
import type { Kind, StreamElement } from '../../transforms/model/element.ts';
import { TurnmillError } from '../errors.ts';

/** Returns the elements of a chunk. @throws TurnmillError `usage` for anything else */
export function chunkElements(chunk: unknown, writer: string): readonly StreamElement[] {
  const elements = [chunk].flat();
  if (elements.every((element) => typeof (element as StreamElement | null)?.kind === 'string'))
    return elements as StreamElement[];
  throw new TurnmillError('usage', `a ${writer} got a chunk that is not a turnmill element`);
}

/** Counts elements that a writer does not write, by kind. */
export class PassedOver {
  readonly #counts = new Map<Kind, number>();

  get counts(): ReadonlyMap<Kind, number> {
    return this.#counts;
  }

  add(kind: Kind): void {
    this.#counts.set(kind, (this.#counts.get(kind) ?? 0) + 1);
  }
}

/** Runs a step of a stream, and passes any error to `done`. */
export function attempt(done: (error?: Error | null) => void, work: () => void): void {
  try {
    work();
  } catch (error) {
    done(error as Error);
    return;
  }
  done();
}
