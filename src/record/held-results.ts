/**
 * Holds the results of a source until its report shows whether they count: in memory, and as parts in a file if there
 * are many.
 */

import { type Result, weightOf } from '../ledger/result.ts';
import type { HeldParts } from './held-parts.ts';
import type { Destination } from './output.ts';

/** Most bytes in memory. It is small, because every garbage collection copies results that are held for long. */
const HELD_BYTES = 256 * 1024;
const NO_BYTES = new Uint8Array(0);

export class HeldResults {
  readonly #destination: Pick<Destination, 'discards' | 'openHeldParts'>;
  #held: Result[] = [];
  #bytes = 0;
  /**
   * Weight of the largest result. A single giant record is not written to the file, because reading it back would take a
   * second copy.
   */
  #largest = 0;
  #parts: HeldParts | undefined;

  constructor(destination: Pick<Destination, 'discards' | 'openHeldParts'>) {
    this.#destination = destination;
  }

  get isEmpty(): boolean {
    return this.#held.length === 0 && this.#parts === undefined;
  }

  add(result: Result): void {
    const held = this.#destination.discards ? withoutBytes(result) : result;
    this.#held.push(held);
    const weight = weightOf(held);
    this.#bytes += weight;
    this.#largest = Math.max(this.#largest, weight);
    if (this.#bytes - this.#largest <= HELD_BYTES) return;
    this.#parts ??= this.#destination.openHeldParts();
    if (this.#parts === undefined) return;
    this.#parts.write(this.#held);
    this.#forget();
  }

  /** Yields all results in order, and may be called again. The bytes of a result are valid until the next one. */
  *all(): Generator<Result> {
    if (this.#parts !== undefined) yield* this.#parts.read();
    yield* this.#held;
  }

  clear(): void {
    this.#parts?.close();
    this.#parts = undefined;
    this.#forget();
  }

  #forget(): void {
    this.#held = [];
    this.#bytes = this.#largest = 0;
  }
}

function withoutBytes(result: Result): Result {
  if (result.kind === 'record') return { ...result, bytes: NO_BYTES, seal: undefined };
  if (result.kind !== 'rejected-line') return result;
  const { raw: _raw, ...rejected } = result;
  return rejected;
}
