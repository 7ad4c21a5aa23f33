/**
 * Moves a staged dataset to OUT (docs/contributing/decisions/0004-publishing-by-rename.md). The steps are a list, so that a test can
 * stop after any of them; recover.ts cleans up after a crash between two steps.
 */
import { checkUnchanged, type Destination } from './destination.ts';
import {
  lstatIfAny,
  makeLink,
  readLinkIfAny,
  removeEmptyDirectory,
  rename,
  syncDirectory,
  unlinkIfAny,
} from './fs-calls.ts';
import { siblingName, siblingPath } from './place.ts';

export interface PublicationStep {
  readonly name: string;
  run(): void;
}

/** Returns all steps in order. With `replace`, OUT becomes a link to a version, whatever it was before. */
export function publicationSteps(
  destination: Destination,
  runId: string,
  replace: boolean,
): PublicationStep[] {
  const { path, parent, state } = destination;
  const [staging, version, link, old] = (['staging', 'v', 'link', 'old'] as const).map((part) =>
    siblingPath(destination, part, runId),
  ) as [string, string, string, string];
  const versionName = siblingName(destination, 'v', runId);
  const check = { name: 'check', run: () => checkUnchanged(destination) };
  const sync = { name: 'sync the parent', run: () => syncDirectory(parent) };

  if (!replace) return [check, { name: 'rename', run: () => renameOnce(staging, path, parent) }];

  // The link comes first: as long as it exists, the version beside it was never published.
  const announce = { name: 'announce', run: () => makeLink(versionName, link) };
  const name = { name: 'name the version', run: () => rename(staging, version) };
  const swap = { name: 'swap', run: () => rename(link, path) };
  if (state === 'link') {
    const mark = { name: 'mark the old version', run: () => makeLink(readLinkIfAny(path) ?? '', old) };
    return [check, announce, mark, name, sync, check, swap, sync];
  }
  if (state === 'folder') {
    // No fsync in between, so that OUT is missing for only two system calls.
    const setAside = { name: 'set the old one aside', run: () => rename(path, old) };
    return [check, announce, name, sync, check, setAside, swap, sync];
  }
  const empty = { name: 'remove the empty folder', run: () => removeEmptyDirectory(path) };
  // Not `rename`, which would silently replace anything put there in the meantime.
  const appear = { name: 'link', run: () => makeLink(versionName, path) };
  const done = { name: 'retract the announcement', run: () => unlinkIfAny(link) };
  return [check, announce, name, sync, check, ...(state === 'empty' ? [empty] : []), appear, sync, done];
}

/** Runs all steps. If one fails, restores the old dataset at OUT and rethrows the error. */
export function publish(destination: Destination, runId: string, replace: boolean): void {
  const old = siblingPath(destination, 'old', runId);
  try {
    for (const step of publicationSteps(destination, runId, replace)) step.run();
  } catch (error) {
    const aside = lstatIfAny(old)?.isDirectory() && lstatIfAny(destination.path) === undefined;
    if (aside) rename(old, destination.path);
    throw error;
  }
}

/** Undoes the rename if the parent cannot be synced: a crash could undo what the run has already reported. */
function renameOnce(staging: string, path: string, parent: string): void {
  rename(staging, path);
  try {
    syncDirectory(parent);
  } catch (error) {
    rename(path, staging);
    throw error;
  }
}
