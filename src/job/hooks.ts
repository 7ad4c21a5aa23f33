/** What a caller gets to see of a run, and how it stops one. */
import type { Listing } from '../input/sources/source.ts';
import type { Outcome } from '../ledger/result.ts';

/** How far a run is; given out while it runs. */
export interface RunProgress {
  readonly sources: number;
  readonly totalSources: number;
  readonly readBytes: number;
  /** Undefined for standard input. */
  readonly totalBytes: number | undefined;
  readonly records: number;
  readonly rejections: number;
}

export interface RunHooks {
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: RunProgress) => void;
  /** Sees every outcome, in the order of the sources, before it is recorded; a promise is waited for. */
  readonly onOutcome?: (outcome: Outcome, listing: Listing) => Promise<void> | void;
  /** What a person should know of how the run goes about it. False: it did not get there. */
  readonly onNote?: (message: string) => boolean | undefined;
}
