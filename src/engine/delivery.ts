/** Collects the results of a task until there are enough for a delivery. */

import { type Result, weightOf } from '../ledger/result.ts';
import type { ProfileFigures } from '../profile.ts';

/** Results that are handed out together. */
export interface Delivery {
  readonly results: readonly Result[];
  /** Bytes read from the sources since the last delivery. */
  readonly readBytes: number;
  /** Whether it ends with the report of a source that has `flush`. */
  readonly flushed: boolean;
  /** Figures since the last delivery, if the thread is profiled. */
  readonly profile?: ProfileFigures;
}

export class DeliveryBuilder {
  #results: Result[] = [];
  #weight = 0;
  #readBytes = 0;

  /** Approximate memory of the results so far, in bytes. */
  get weight(): number {
    return this.#weight;
  }

  add(result: Result): void {
    this.#results.push(result);
    this.#weight += weightOf(result);
  }

  countRead(bytes: number): void {
    this.#readBytes += bytes;
  }

  /** Returns the collected results and starts the next delivery. */
  take(flushed = false): Delivery {
    const delivery = { results: this.#results, readBytes: this.#readBytes, flushed };
    this.#results = [];
    this.#weight = this.#readBytes = 0;
    return delivery;
  }
}
