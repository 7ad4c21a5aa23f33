/**
 * Reuse of sources whose results a previous run has. The code for it is loaded on demand, because most runs reuse
 * nothing.
 */
import type { Result } from '../ledger/result.ts';

export interface Reuse {
  /** Returns whether the results of the source with this index are reused. */
  has(index: number): boolean;
  /** Yields the results of the reused sources before this index that have not been yielded yet. */
  before(index: number): AsyncIterable<Result>;
}

export const NOTHING_REUSED: Reuse = {
  has: () => false,
  async *before() {
    // nothing is reused
  },
};
