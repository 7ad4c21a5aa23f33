/** Collects the results of a task until there are enough of them to be handed out together. */

import { type Outcome, weightOf } from '../ledger/result.ts';
import type { ProfileFigures } from '../profile.ts';

/** Results that are handed out together. */
export interface Batch {
  readonly outcomes: readonly Outcome[];
  /** Bytes read from the sources since the last batch. */
  readonly readBytes: number;
  /** Does it end with the report of a source that has `flush`? */
  readonly flushed: boolean;
  /** Since the last batch, when the thread is profiled. */
  readonly profile?: ProfileFigures;
}

export class BatchBuilder {
  #outcomes: Outcome[] = [];
  #weight = 0;
  #readBytes = 0;

  /** About how many bytes the results so far take in memory. */
  get weight(): number {
    return this.#weight;
  }

  add(outcome: Outcome): void {
    this.#outcomes.push(outcome);
    this.#weight += weightOf(outcome);
  }

  /** Counts bytes that were read from a source. */
  countRead(bytes: number): void {
    this.#readBytes += bytes;
  }

  /** Returns what was collected and begins the next batch. */
  take(flushed = false): Batch {
    const batch = { outcomes: this.#outcomes, readBytes: this.#readBytes, flushed };
    this.#outcomes = [];
    this.#weight = this.#readBytes = 0;
    return batch;
  }
}
