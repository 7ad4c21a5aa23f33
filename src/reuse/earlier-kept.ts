/**
 * The outcomes of kept sources, out of what an earlier run wrote, in the order of the listing: they come in between those of the
 * sources that the workers read.
 */
import type { Listing, SourceRef } from '../input/sources/source.ts';
import type { Settings } from '../settings/settings.ts';
import { openEarlierLedger } from './earlier-ledger.ts';
import { type EarlierParts, earlierOutcomes } from './earlier-outcomes.ts';
import { createEarlierRecords } from './earlier-records.ts';
import type { Kept, TakenOver } from './kept.ts';

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
