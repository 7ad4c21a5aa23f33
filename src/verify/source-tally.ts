/** What the lines about one source add up to, for the comparison with what the ledger says of it. */
import type { Counts } from './counts.ts';

export interface SourceTally {
  /** By the sessions: snapshot, superseded, truncated, and the entries of rejected ones by reason. */
  readonly fates: Counts;
  /** Quarantine's records by `scope:reason`, and `record:FORMAT REASON`. */
  readonly quarantine: Counts;
  /** Entries of rejected sessions by reason: quarantine has a record of each. */
  readonly rejectedEntries: Counts;
  /** Records that a format refused, by `FORMAT REASON`: quarantine has each of them too. */
  readonly refusals: Counts;
}

export function createSourceTally(): SourceTally {
  return { fates: new Map(), quarantine: new Map(), rejectedEntries: new Map(), refusals: new Map() };
}
