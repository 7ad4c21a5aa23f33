/**
 * Sources that need not be read, because an earlier run has: their outcomes come out of what it wrote, in between those
 * of the sources that the lanes read, in the order of the listing.
 */
import type { Listing, SourceRef } from '../sources/source.ts';
import type { Earlier } from './earlier.ts';
import { openEarlierLedger } from './earlier-ledger.ts';
import { type EarlierParts, earlierOutcomes } from './earlier-outcomes.ts';
import { createEarlierRecords } from './earlier-records.ts';
import type { Outcome } from './outcome.ts';
import type { Settings } from './settings.ts';

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

/**
 * @param pathFor where a file may lie while the run is at work
 * @throws TurnmillError `invalid-dataset` (then or later) when something is not what the earlier run says
 */
export function createKept(
  { earlier, proofs }: TakenOver,
  { format: [format = ''] }: Settings,
  listing: Listing,
  pathFor: (name: string) => string,
  signal?: AbortSignal,
): Kept {
  const groups = new Map(earlier.shards.map(({ path, group }) => [path, group]));
  let parts: EarlierParts | undefined;
  let next = 0;

  const open = (): EarlierParts => ({
    ledger: openEarlierLedger(earlier),
    records: createEarlierRecords(earlier, pathFor, signal),
    groupOf: (shard) => groups.get(shard) ?? '',
    format,
  });

  return {
    has: (index) => proofs[index] !== undefined,
    async *before(end) {
      for (; next < end; next++) {
        const proof = proofs[next];
        if (proof === undefined) continue;
        parts ??= open();
        const { name, nameBase64, input } = listing.sources[next] as SourceRef;
        yield* earlierOutcomes({ name, ...(nameBase64 && { nameBase64 }), input, index: next, proof }, parts);
      }
    },
  };
}
