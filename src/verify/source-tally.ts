/** What the lines about one source add up to, for the comparison with what the ledger says of it. */
import type { Counts } from './counts.ts';
import type { SourceExtent } from './source-extent.ts';

export interface SourceTally {
  readonly extent: SourceExtent;
  /** By the sessions: snapshot, superseded, truncated, and the entries of rejected ones by reason. */
  readonly fates: Counts;
  /** Quarantine's records by `scope:reason`, and `record:FORMAT REASON`. */
  readonly quarantine: Counts;
  /** Entries of rejected sessions by reason: quarantine has a record of each. */
  readonly rejectedEntries: Counts;
  /** Records that a format refused, by `FORMAT REASON`: quarantine has each of them too. */
  readonly refusals: Counts;
  /** Where the next place in the source may begin, by what names it: snapshots, rejected lines, rejected entries. */
  readonly after: Counts;
}

export function createSourceTally(extent: SourceExtent): SourceTally {
  return {
    extent,
    fates: new Map(),
    quarantine: new Map(),
    rejectedEntries: new Map(),
    refusals: new Map(),
    after: new Map(),
  };
}
