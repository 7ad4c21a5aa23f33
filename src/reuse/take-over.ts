/** What a run need not do again, because an earlier one has: the part of a killed run, the unchanged part of the dataset. */

import { lstatIfAny } from '../dataset/fs-calls.ts';
import { manifestPath } from '../dataset/layout.ts';
import { modesOf } from '../dataset/modes.ts';
import type { Place } from '../dataset/place.ts';
import type { Listing } from '../input/sources/source.ts';
import type { Settings } from '../settings/settings.ts';
import { createKept } from './earlier-kept.ts';
import { type Kept, NOTHING_KEPT, type TakenOver } from './kept.ts';
import { planResume } from './resume.ts';
import { planUpdate, type Update } from './update.ts';

export interface TakeOverHooks {
  readonly signal?: AbortSignal;
  readonly onNote?: (message: string) => unknown;
}

export interface TakeOver {
  /** The update that has nothing to do. */
  readonly nothingChanged: Update | undefined;
  /** Are results of an earlier run reused at all? */
  readonly isAny: boolean;
  /** The killed run whose staging folder is read. */
  readonly resumed: { readonly runId: string; readonly sources: number } | undefined;
  /** @param pathFor where a file may lie while the run is at work */
  open(pathFor: (name: string) => string): Kept;
}

/** @throws TurnmillError `cannot-resume`, `invalid-dataset` */
export async function planTakeOver(
  place: Place,
  settings: Settings,
  listing: Listing,
  { onNote, signal }: TakeOverHooks,
): Promise<TakeOver> {
  const update = settings.update ? await planUpdate(place.path, settings, listing, signal) : undefined;
  if (typeof update === 'string') onNote?.(`${update}: everything is read again`);
  const plan = typeof update === 'object' ? update : undefined;
  if (plan !== undefined && settings.checksum && plan.withoutContent > 0) {
    const all = listing.sources.length;
    onNote?.(`${plan.withoutContent} of ${all} sources have no SHA-256 yet: they are read again`);
  }
  const resumed = settings.resume ? await planResume(place, settings, listing, signal) : undefined;
  if (settings.resume)
    onNote?.(
      resumed === undefined
        ? 'no run left a checkpoint here: this one starts from the beginning'
        : `${resumed.sources} of ${listing.sources.length} sources are done`,
    );
  return {
    nothingChanged:
      plan !== undefined && mayEndAtOnce(plan, settings) && hasMode(plan, settings) ? plan : undefined,
    resumed,
    isAny: resumed !== undefined || plan?.proofs.some((proof) => proof !== undefined) === true,
    open(pathFor) {
      const open = (taken: TakenOver): Kept => createKept(taken, settings, listing, pathFor, signal);
      const first = resumed === undefined ? NOTHING_KEPT : open(resumed);
      const done = resumed?.sources ?? 0;
      if (plan === undefined) return first;
      return inTurn(
        first,
        open({ ...plan, proofs: plan.proofs.map((proof, i) => (i < done ? undefined : proof)) }),
      );
    },
  };
}

/** A run that must not tolerate what the dataset holds goes through all of it, and fails. */
function mayEndAtOnce({ nothingChanged }: Update, { onReject, maxQuarantine }: Settings): boolean {
  return nothingChanged && onReject === 'quarantine' && maxQuarantine === undefined;
}

/** A mode that the user names is given to a dataset that is up to date, too. */
function hasMode({ earlier }: Update, { mode }: Settings): boolean {
  if (mode === undefined) return true;
  const found = lstatIfAny(manifestPath(earlier.root))?.mode ?? 0n;
  return (Number(found) & 0o777) === modesOf({ mode }).file('manifest.json');
}

/** All sources of the first stand before those of the second. */
function inTurn(first: Kept, second: Kept): Kept {
  return {
    has: (index) => first.has(index) || second.has(index),
    async *before(index) {
      yield* first.before(index);
      yield* second.before(index);
    },
  };
}
