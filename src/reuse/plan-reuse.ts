/**
 * Plans what a run can reuse: the sources that a killed run completed, and those unchanged since the dataset was built.
 */

import { lstatIfAny } from '../dataset/fs-calls.ts';
import { manifestPath } from '../dataset/layout.ts';
import { modesOf } from '../dataset/modes.ts';
import type { Place } from '../dataset/place.ts';
import type { Manifest } from '../dataset/schema/manifest.ts';
import type { Listing } from '../input/sources/source.ts';
import type { Settings } from '../settings/settings.ts';
import { planResume } from './resume.ts';
import { NOTHING_REUSED, type Reuse } from './reuse.ts';
import { InTurn, type Reusable, ReusedSources } from './reused-sources.ts';
import { planUpdate, type Update } from './update.ts';

export interface ReuseHooks {
  readonly signal?: AbortSignal;
  readonly onNote?: (message: string) => unknown;
}

export interface ReusePlan {
  /** Manifest of the dataset, if it already is what this run would build. */
  readonly upToDate: Manifest | undefined;
  /** Are results taken from the dataset, so that its shards are needed? */
  readonly readsDataset: boolean;
  /** The killed run to continue from, and how many sources it completed. */
  readonly resumed: { readonly runId: string; readonly sources: number } | undefined;
  /** @param pathFor path for a temporary file of the run */
  open(pathFor: (name: string) => string): Reuse;
}

/** @throws TurnmillError `cannot-resume`, `invalid-dataset` */
export async function planReuse(
  place: Place,
  settings: Settings,
  listing: Listing,
  { onNote, signal }: ReuseHooks,
): Promise<ReusePlan> {
  const { update: isUpdate, resume: isResume, format } = settings;
  const total = listing.sources.length;
  const found = isUpdate ? await planUpdate(place.path, settings, listing, signal) : undefined;
  if (typeof found === 'string') onNote?.(`${found}: everything is read again`);
  const update = typeof found === 'object' ? found : undefined;
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
    upToDate: update !== undefined && isUpToDate(update, settings) ? update.manifest : undefined,
    readsDataset: update?.fingerprints.some((fingerprint) => fingerprint !== undefined) === true,
    resumed,
    open(pathFor) {
      const options = { format: format[0] ?? '', pathFor, signal };
      const open = (reusable: Reusable): Reuse => new ReusedSources(reusable, listing, options);
      const first = resumed === undefined ? NOTHING_REUSED : open(resumed);
      if (update === undefined) return first;
      return new InTurn(first, open({ ...update, fingerprints: withoutDone(update, resumed?.sources ?? 0) }));
    },
  };
}

/** Drops the sources that the killed run completed from those taken from the dataset. */
function withoutDone({ fingerprints }: Reusable, done: number): Reusable['fingerprints'] {
  return fingerprints.map((fingerprint, index) => (index < done ? undefined : fingerprint));
}

/** Is the dataset up to date? If the run must not tolerate its rejections, it goes through all of it and fails. */
function isUpToDate(update: Update, settings: Settings): boolean {
  const { onReject, maxQuarantine } = settings;
  const toleratesAll = onReject === 'quarantine' && maxQuarantine === undefined;
  return update.nothingChanged && toleratesAll && hasMode(update, settings);
}

/** A mode that the user names is applied even to a dataset that is up to date. */
function hasMode({ run }: Update, { mode }: Settings): boolean {
  if (mode === undefined) return true;
  const found = lstatIfAny(manifestPath(run.root))?.mode ?? 0n;
  return (Number(found) & 0o777) === modesOf({ mode }).file('manifest.json');
}
