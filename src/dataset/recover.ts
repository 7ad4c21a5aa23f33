/**
 * Finds and repairs a publication that was interrupted. If `link-RUN` exists, RUN did not reach its swap. If `link-RUN`
 * is gone and `old-RUN` exists, RUN did, but had not yet removed the superseded dataset. A version with neither was
 * published and belongs to the user, even if its link was moved: it is left alone.
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
import { locate, type Place, runsWith, siblingName, siblingPath, versionOf } from './place.ts';

export interface Recovery {
  /** Which dataset was put back at OUT, if OUT was missing. */
  readonly restored: 'new' | 'old' | undefined;
  /** Leftovers that could not be removed; they do no harm. */
  readonly problems: readonly TurnmillError[];
}

/** Finishes or undoes the publication of killed runs. Call it under the lock, before `checkDestination`. */
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

/** Returns the folder to read the dataset from, and changes nothing. Throws `no-input` if there is none. */
export function resolveDataset(out: string): string {
  const folder =
    realpathIfAny(out) ?? (realpathIfAny(dirname(out)) && datasetBeside(locate(out))) ?? realpathIfAny(out); // a publication may have finished since the first look
  if (folder !== undefined) return folder;
  throw new TurnmillError('no-input', `no dataset found at ${out}`, { subject: out });
}

/** Returns the dataset of an interrupted publication, if there is one: the new version, or the old folder. */
function datasetBeside(place: Place): string | undefined {
  const candidates = runsWithoutSwap(place).flatMap((runId) => [
    siblingPath(place, 'v', runId),
    siblingPath(place, 'old', runId),
  ]);
  return candidates.find((path) => isDataset(path));
}

/** Returns the runs that moved the old folder aside but did not put the new link in its place. */
function runsWithoutSwap(place: Place): string[] {
  if (lstatIfAny(place.path) !== undefined) return [];
  return runsWith(place, ['old']).filter((runId) => {
    const aside = lstatIfAny(siblingPath(place, 'old', runId))?.isDirectory();
    return aside && lstatIfAny(siblingPath(place, 'link', runId)) !== undefined;
  });
}

/** Restores the new version if it exists (it gets its name only once it is complete), else the old one. */
function restore(place: Place, runId: string): Recovery['restored'] {
  if (!runsWithoutSwap(place).includes(runId)) return undefined;
  const isNew = isDataset(siblingPath(place, 'v', runId));
  rename(siblingPath(place, isNew ? 'link' : 'old', runId), place.path);
  syncDirectory(place.parent);
  return isNew ? 'new' : 'old';
}

/** Removes what RUN left beside OUT: its own version if it was not published, else the one that it superseded. */
export function tidy(place: Place, runId: string): TurnmillError[] {
  const link = siblingPath(place, 'link', runId);
  const published = readLinkIfAny(place.path) === siblingName(place, 'v', runId);
  try {
    if (published || lstatIfAny(link) === undefined) removeSuperseded(place, runId);
    else removeUnpublished(place, runId);
    unlinkIfAny(link); // Comes last: as long as it exists, all of this can be repeated.
    return [];
  } catch (error) {
    return [error instanceof TurnmillError ? error : ioError('clean up next to', place.path, error)];
  }
}

function removeSuperseded(place: Place, runId: string): void {
  const old = siblingPath(place, 'old', runId);
  const target = readLinkIfAny(old);
  const superseded = target === undefined ? undefined : versionOf(place, target);
  if (superseded !== undefined && readLinkIfAny(place.path) !== target)
    removeTree(siblingPath(place, 'v', superseded));
  removeTree(old);
}

function removeUnpublished(place: Place, runId: string): void {
  const old = siblingPath(place, 'old', runId);
  if (lstatIfAny(old)?.isDirectory()) {
    const text = `${old} is a dataset that an interrupted run set aside, but ${place.path} is a different one: move one of them away`;
    throw new TurnmillError('cannot-create', text, { subject: old });
  }
  removeTree(siblingPath(place, 'v', runId));
  unlinkIfAny(old);
}
