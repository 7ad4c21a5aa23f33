/**
 * Plans what a run can reuse: the sources that a killed run completed, and those that are unchanged since the dataset
 * was built.
 */

import { lstatIfAny } from '../dataset/fs-calls.ts';
import { manifestPath } from '../dataset/layout.ts';
import { modesOf } from '../dataset/modes.ts';
import type { Place } from '../dataset/place.ts';
import type { Listing } from '../input/sources/source.ts';
import { exceeds } from '../settings/error-budget.ts';
import type { Settings } from '../settings/settings.ts';
import { keepsPaths } from '../settings/split-shares.ts';
import { KeptSessions } from './kept-sessions.ts';
import type { PreviousRun } from './previous-run.ts';
import { planResume } from './resume.ts';
import { NOTHING_REUSED, type Reuse } from './reuse.ts';
import { type Reusable, ReusedSources, SequentialReuse } from './reused-sources.ts';
import { planUpdate, type Rebuild, type Update } from './update.ts';

export interface ReuseHooks {
  readonly signal?: AbortSignal;
  readonly onNote?: (message: string) => unknown;
}

export interface ReusePlan {
  /** The existing dataset, if this run would build the same one. */
  readonly upToDate: Pick<Update, 'manifest' | 'rejected'> | undefined;
  /** The dataset that an update replaces. */
  readonly previous: PreviousRun | undefined;
  /** Counts the sessions that an update keeps; undefined if it may lose any number. */
  readonly keptSessions: KeptSessions | undefined;
  /** Whether results are taken from the dataset, so that its shards are needed. */
  readonly readsDataset: boolean;
  /** The killed run to continue from, and how many sources it completed. */
  readonly resumed: { readonly runId: string; readonly sources: number } | undefined;
  /** Opens the results to reuse. @param pathFor returns a path for a temporary file of the run */
  open(pathFor: (name: string) => string): Reuse;
}

/**
 * Finds out what can be reused, with `--update` and `--resume`.
 * @throws TurnmillError `cannot-resume`, `invalid-dataset`
 */
export async function planReuse(
  place: Place,
  settings: Settings,
  listing: Listing,
  { onNote, signal }: ReuseHooks,
): Promise<ReusePlan> {
  const { update: isUpdate, resume: isResume, format } = settings;
  const total = listing.sources.length;
  const planned = isUpdate ? await planUpdate(place.path, settings, listing, signal) : undefined;
  if (planned !== undefined && 'why' in planned) onNote?.(`${planned.why}: everything is read again`);
  const update = planned === undefined || 'why' in planned ? undefined : planned;
  if (update !== undefined && settings.checksum && update.withoutContent > 0)
    onNote?.(`${update.withoutContent} of ${total} sources have no SHA-256 yet: they are read again`);
  const resumed = isResume ? await planResume(place, settings, listing, signal) : undefined;
  if (isResume) {
    onNote?.(
      resumed === undefined
        ? 'no run left a checkpoint here: this one starts from the beginning'
        : `${resumed.sources} of ${total} sources are done`,
    );
  }
  return {
    upToDate: update !== undefined && isUpToDate(update, settings) ? update : undefined,
    previous: planned?.run,
    keptSessions: keptSessions(planned, settings, listing),
    readsDataset: update?.fingerprints.some((fingerprint) => fingerprint !== undefined) === true,
    resumed,
    open(pathFor) {
      const options = { format: format[0] ?? '', hasPaths: keepsPaths(settings), pathFor, signal };
      const open = (reusable: Reusable): Reuse => new ReusedSources(reusable, listing, options);
      const first = resumed === undefined ? NOTHING_REUSED : open(resumed);
      if (update === undefined) return first;
      return new SequentialReuse(
        first,
        open({ ...update, fingerprints: withoutDone(update, resumed?.sources ?? 0) }),
      );
    },
  };
}

function keptSessions(
  planned: Update | Rebuild | undefined,
  settings: Settings,
  listing: Listing,
): KeptSessions | undefined {
  const run = settings.allowShrink ? undefined : planned?.run;
  return run && new KeptSessions(run, listing, settings);
}

/** Excludes the sources that the killed run completed from those that are taken from the dataset. */
function withoutDone({ fingerprints }: Reusable, done: number): Reusable['fingerprints'] {
  return fingerprints.map((fingerprint, index) => (index < done ? undefined : fingerprint));
}

/** Returns whether the dataset can be kept. If the run does not tolerate its rejections, a build reports them. */
function isUpToDate(update: Update, settings: Settings): boolean {
  const { nothingChanged, rejected } = update;
  const { onReject, maxQuarantine } = settings;
  const tolerates = onReject === 'quarantine' || rejected.rejections === 0;
  const isTooMuch = maxQuarantine !== undefined && exceeds(maxQuarantine, rejected);
  return nothingChanged && tolerates && !isTooMuch && hasMode(update, settings);
}

/** Returns whether the dataset has the mode that the user names, if any: it is applied even if nothing else changed. */
function hasMode({ run }: Update, { mode }: Settings): boolean {
  if (mode === undefined) return true;
  const current = lstatIfAny(manifestPath(run.root))?.mode ?? 0n;
  return (Number(current) & 0o777) === modesOf({ mode }).file('manifest.json');
}
