/** Sources that need not be read, because an earlier run has. What can be done about them is loaded late: most runs have none. */

import type { Outcome } from '../ledger/result.ts';
import type { Earlier } from './earlier.ts';

/** What an earlier run wrote, and which of its sources count: for each index in the listing its proof, or undefined. */
export interface TakenOver {
  readonly earlier: Earlier;
  readonly proofs: readonly (string | undefined)[];
}

export interface Kept {
  has(index: number): boolean;
  /** The outcomes of the kept sources before this index that are not out yet. */
  before(index: number): AsyncIterable<Outcome>;
}

/** Reads everything. */
export const NOTHING_KEPT: Kept = {
  has: () => false,
  async *before() {
    // nothing is kept
  },
};
