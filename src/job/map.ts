/** Runs the tasks, merges in the results of reused sources in the order of the sources, and has everything recorded. */

import { runWorkers } from '../engine/pool.ts';
import { TurnmillError } from '../errors.ts';
import type { Listing } from '../input/sources/source.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Outcome } from '../ledger/result.ts';
import type { Profile } from '../profile.ts';
import type { Checkpoints } from '../record/checkpoints.ts';
import type { Recorder } from '../record/result-writer.ts';
import { type Kept, NOTHING_KEPT } from '../reuse/kept.ts';
import { checkTolerance } from '../settings/error-budget.ts';
import type { Settings } from '../settings/settings.ts';
import type { RunHooks } from './hooks.ts';

export interface RecordParts {
  readonly settings: Settings;
  readonly listing: Listing;
  readonly ledger: Ledger;
  readonly recorder: Recorder;
  readonly kept: Kept;
  readonly checkpoints: Checkpoints;
  readonly hooks: RunHooks;
  readonly profile: Profile | undefined;
}

/** Facts about the run that are not in the ledger. */
export interface Recorded {
  readonly readBytes: number;
  readonly workerRestarts: number;
}

export async function recordAll(parts: RecordParts): Promise<Recorded> {
  const { settings, listing, ledger, recorder, kept, checkpoints, hooks, profile } = parts;
  const { signal, onProgress, onOutcome } = hooks;
  const { maxQuarantine } = settings;
  const isKept = (index: number): boolean => kept.has(index);
  const totalBytes = listing.sources.some(({ path }) => path === undefined)
    ? undefined
    : listing.sources.reduce((sum, { sizeBytes }, index) => sum + (isKept(index) ? 0 : sizeBytes), 0);
  let readBytes = 0;
  let sources = 0;
  let workerRestarts = 0;
  const onRestart = (): void => {
    workerRestarts++;
  };
  hooks.heap?.begin();

  function take(outcome: Outcome): Promise<void> | void {
    const seen = onOutcome?.(outcome, listing);
    return seen === undefined ? record(outcome) : seen.then(() => record(outcome));
  }

  function record(outcome: Outcome): Promise<void> | void {
    const done = recorder.accept(outcome);
    return done === undefined ? taken(outcome) : done.then(() => taken(outcome));
  }

  function taken(outcome: Outcome): void {
    if (outcome.kind === 'source') sources++;
    // a percentage is of all lines: it is known at the end
    if (typeof maxQuarantine === 'number') checkTolerance(maxQuarantine, ledger.keptOut());
    checkpoints.see(outcome);
  }

  async function takeKept(end: number): Promise<void> {
    for await (const outcome of kept.before(end)) {
      signal?.throwIfAborted();
      await take(outcome);
      if (outcome.kind === 'source') tellProgress();
    }
  }

  function tellProgress(): void {
    if (onProgress === undefined) return;
    const records = ledger.records();
    const { rejections } = ledger.keptOut();
    onProgress({ sources, totalSources: listing.sources.length, readBytes, totalBytes, records, rejections });
  }

  recorder.skipped(listing.skipped);
  const batches = runWorkers(listing.sources, settings, { signal, onRestart, profile, isKept });
  profile?.enter('record');
  for await (const batch of profile?.eachLater('wait', batches) ?? batches) {
    if (batch.profile !== undefined) profile?.add(batch.profile);
    signal?.throwIfAborted();
    hooks.heap?.check();
    readBytes += batch.readBytes;
    for (const outcome of batch.outcomes) {
      if (outcome.kind === 'source-begin' && kept !== NOTHING_KEPT) await takeKept(outcome.source);
      const done = take(outcome);
      if (done !== undefined) await done;
    }
    tellProgress();
  }
  await takeKept(listing.sources.length);
  profile?.enter('other');
  signal?.throwIfAborted();
  if (settings.limit === undefined && sources !== listing.sources.length) {
    throw new TurnmillError(
      'unfinished',
      `the workers stopped after ${sources} of ${listing.sources.length} sources`,
    );
  }
  ledger.overLimit(listing.sources.length - sources);
  return { readBytes, workerRestarts };
}
