/** Chunks for the writers of the library: elements, one by one or in arrays. */
import type { Kind, StreamElement } from '../../transforms/model/element.ts';
import { checkOrder, elementsOfChunk } from '../../transforms/stage-input.ts';
import { failUsage } from '../errors.ts';

/** Returns the elements of a chunk. @throws TypeError for anything else, and for elements that are not records yet */
export function chunkElements(chunk: unknown, writer: string): readonly StreamElement[] {
  const elements = elementsOfChunk(chunk, writer);
  for (const element of elements) checkOrder(element, 'record', writer);
  return elements;
}

/** @throws TurnmillError `usage` for anything but an object with some of these options */
export function checkNames(options: unknown, names: readonly string[], writer: string): void {
  if (typeof options !== 'object' || options === null)
    failUsage(`${writer} takes an object with options: ${names.join(', ')}`);
  const unknown = Object.keys(options).find((name) => !names.includes(name));
  if (unknown !== undefined) failUsage(`${writer} has no option '${unknown}'; it has ${names.join(', ')}`);
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
