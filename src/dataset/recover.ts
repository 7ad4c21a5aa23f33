/**
 * Finds and repairs a publication that was interrupted. If `link-RUN` exists, RUN did not reach its swap. If it is gone
 * and `old-RUN` exists, RUN did, but had not removed the superseded dataset yet. A version without either was published
 * once and belongs to the user, wherever its link was moved: it is left alone.
 */
import { dirname } from 'node:path';
import { ioError, TurnmillError } from '../errors.ts';
import {
  lstatIfAny,
  readLinkIfAny,
  realpathIfAny,
  removeTree,
  rename,
  syncDirectory,
  unlinkIfAny,
} from './fs-calls.ts';
import { isDataset } from './manifest.ts';
import { locate, type Place, partName, partPath, runsWith, versionOf } from './place.ts';

export interface Recovery {
  /** Which dataset was put back at OUT, if OUT was missing. */
  readonly restored: 'new' | 'old' | undefined;
  /** Leftovers that could not be removed; they do no harm. */
  readonly problems: readonly TurnmillError[];
}

/** Finishes what a killed run began. Call it under the lock, before `checkDestination`. */
export function recoverDestination(out: string): Recovery {
  const place = locate(out);
  const problems: TurnmillError[] = [];
  let restored: Recovery['restored'];
  for (const runId of runsWith(place, ['link', 'old'])) {
    restored ??= restore(place, runId);
    problems.push(...tidy(place, runId));
  }
  return { restored, problems };
}

/** The folder to read the dataset from; changes nothing. Throws `no-input` if there is none. */
export function resolveDataset(out: string): string {
  const whole = realpathIfAny(out) ?? (realpathIfAny(dirname(out)) && beside(locate(out)));
  // Look again: a publication may have ended since the first look.
  const found = whole ?? realpathIfAny(out);
  if (found !== undefined) return found;
  throw new TurnmillError('no-input', `no dataset found at ${out}`, { subject: out });
}

function beside(place: Place): string | undefined {
  const parts = cutOff(place).flatMap((runId) => [
    partPath(place, 'v', runId),
    partPath(place, 'old', runId),
  ]);
  return parts.find((path) => isDataset(path));
}

/** Runs that set the old folder aside but did not put the new link in its place. */
function cutOff(place: Place): string[] {
  if (lstatIfAny(place.path) !== undefined) return [];
  return runsWith(place, ['old']).filter((runId) => {
    const aside = lstatIfAny(partPath(place, 'old', runId))?.isDirectory();
    return aside && lstatIfAny(partPath(place, 'link', runId)) !== undefined;
  });
}

/** Restores the new version if it exists (it gets its name only when whole), else the old one. */
function restore(place: Place, runId: string): Recovery['restored'] {
  if (!cutOff(place).includes(runId)) return undefined;
  const isNew = isDataset(partPath(place, 'v', runId));
  rename(partPath(place, isNew ? 'link' : 'old', runId), place.path);
  syncDirectory(place.parent);
  return isNew ? 'new' : 'old';
}

/** Removes what RUN left beside OUT: its own version, or the one that it superseded. */
export function tidy(place: Place, runId: string): TurnmillError[] {
  const link = partPath(place, 'link', runId);
  const published = readLinkIfAny(place.path) === partName(place, 'v', runId);
  try {
    if (published || lstatIfAny(link) === undefined) removeSuperseded(place, runId);
    else removeUnpublished(place, runId);
    unlinkIfAny(link); // Last: as long as it exists, all of this can be repeated.
    return [];
  } catch (error) {
    return [error instanceof TurnmillError ? error : ioError('clean up next to', place.path, error)];
  }
}

function removeSuperseded(place: Place, runId: string): void {
  const old = partPath(place, 'old', runId);
  const target = readLinkIfAny(old);
  const superseded = target === undefined ? undefined : versionOf(place, target);
  if (superseded !== undefined && readLinkIfAny(place.path) !== target) {
    removeTree(partPath(place, 'v', superseded));
  }
  removeTree(old);
}

function removeUnpublished(place: Place, runId: string): void {
  const old = partPath(place, 'old', runId);
  if (lstatIfAny(old)?.isDirectory()) {
    const text = `${old} is a dataset that an interrupted run set aside, but ${place.path} is a different one: move one of them away`;
    throw new TurnmillError('cannot-create', text, { subject: old });
  }
  removeTree(partPath(place, 'v', runId));
  unlinkIfAny(old);
}
