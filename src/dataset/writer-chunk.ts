/** Chunks for the writers of the library: elements, one by one or in arrays. */
import type { Kind, StreamElement } from '../../transforms/model/element.ts';
import { checkOrder, elementsOfChunk } from '../../transforms/stage-input.ts';

/** Returns the elements of a chunk. @throws TypeError for anything else, and for elements that are not records yet */
export function chunkElements(chunk: unknown, writer: string): readonly StreamElement[] {
  const elements = elementsOfChunk(chunk, writer);
  for (const { kind } of elements) checkOrder(kind, 'record', writer);
  return elements;
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
