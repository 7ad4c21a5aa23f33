/**
 * Sources whose results a previous run already has, so that they need not be read again. Their code is loaded on
 * demand: most runs reuse nothing.
 */
import type { Result } from '../ledger/result.ts';

export interface Reuse {
  /** Are the results of the source with this index reused? */
  has(index: number): boolean;
  /** Returns the results of the reused sources before this index that have not been returned yet. */
  before(index: number): AsyncIterable<Result>;
}

export const NOTHING_REUSED: Reuse = {
  has: () => false,
  async *before() {
    // nothing is reused
  },
};
