/**
 * The folder that a dataset is written into: hidden, 0700, in the destination's parent, so that one rename publishes
 * it. Nothing is visible under OUT before that.
 */

import { randomBytes } from 'node:crypto';
import { basename, join } from 'node:path';
import { TurnmillError } from '../errors.ts';
import { isOfOtherBoot, recordBoot } from './boot.ts';
import type { Destination } from './destination.ts';
import { hasOwnCard, takeCardAlong } from './foreign-files.ts';
import { makeDirectory, removeTree, setMode, syncDirectory } from './fs-calls.ts';
import { WORK } from './layout.ts';
import { type Modes, modesOf } from './modes.ts';
import { runsWith, siblingPath } from './place.ts';
import { publish } from './publish.ts';
import { tidy } from './recover.ts';

/** Every subfolder of a dataset. */
export const SUBFOLDERS = ['data', 'ledger', 'quarantine', 'reports'] as const;
const OWNER_ONLY = 0o700;

export interface Staging {
  readonly path: string;
  readonly modes: Modes;
  readonly runId: string;
  /** Whether it continues a crashed run whose staging folder still exists. */
  readonly isResumed: boolean;
  /** Leftovers of earlier runs that could not be removed. */
  readonly problems: readonly TurnmillError[];
  /** Notes for people on leftovers that were left alone. */
  readonly notes: readonly string[];
  /** Whether publishing keeps a card of the user, so that none may be written. */
  keepsCard(): boolean;
  /**
   * Moves it to OUT; files and subfolders must already be synced. Returns the leftovers that could not be removed
   * afterwards. If it throws, `discard` still has to be called.
   */
  publish(options: { replace: boolean }): TurnmillError[];
  /** Removes the staging folder of the resumed run once it is no longer needed. Returns what could not be removed. */
  supersede(): TurnmillError[];
  /** Removes it; does nothing after publication. Returns what could not be removed. */
  discard(): TurnmillError[];
}

/**
 * Creates the folder and its subfolders, and removes the folders of crashed runs. Call it under the lock.
 * @param resumed the crashed run to continue from: its folder stays until it is superseded
 * @param modes permissions of what is created in it
 */
export function openStaging(destination: Destination, resumed?: string, modes: Modes = modesOf({})): Staging {
  const crashed = runsWith(destination, ['staging']).filter((run) => run !== resumed);
  const paths = crashed.map((run) => siblingPath(destination, 'staging', run));
  const foreign = new Set(paths.filter((folder) => isOfOtherBoot(folder, join(folder, WORK))));
  const problems = paths.filter((folder) => !foreign.has(folder)).flatMap(remove);
  const notes = [...foreign].map(
    (folder) =>
      `${basename(folder)} is left alone: a run before a restart, or on another machine, wrote it less than a day ago; remove it by hand if that run is over`,
  );
  const runId = randomBytes(8).toString('hex');
  const path = siblingPath(destination, 'staging', runId);
  makeDirectory(path, OWNER_ONLY);
  try {
    for (const name of SUBFOLDERS) makeDirectory(join(path, name), modes.folder(name));
    makeDirectory(join(path, WORK), OWNER_ONLY);
    recordBoot(join(path, WORK));
  } catch (error) {
    remove(path);
    throw error;
  }
  const isDataset = destination.state === 'folder' || destination.state === 'link';
  let published = false;
  let superseded = resumed;

  function supersede(): TurnmillError[] {
    if (superseded === undefined) return [];
    const folder = siblingPath(destination, 'staging', superseded);
    superseded = undefined;
    return remove(folder);
  }

  return {
    path,
    modes,
    runId,
    get isResumed() {
      return superseded !== undefined;
    },
    problems,
    notes,
    keepsCard: () => isDataset && hasOwnCard(destination.path),
    publish({ replace }) {
      removeTree(join(path, WORK));
      if (replace && isDataset) takeCardAlong(destination.path, path);
      setMode(path, modes.folder('.'));
      syncDirectory(path);
      publish(destination, runId, replace);
      published = true;
      return [...supersede(), ...tidy(destination, runId)];
    },
    supersede,
    discard: () => (published ? [] : [...remove(path), ...tidy(destination, runId)]),
  };
}

export function workPath(root: string, name: string): string {
  return join(root, WORK, name);
}

/** Removes the folder, with the checkpoint first: if a kill interrupts this, no run can resume from the rest. */
function remove(path: string): TurnmillError[] {
  try {
    removeTree(join(path, WORK));
    removeTree(path);
    return [];
  } catch (error) {
    if (error instanceof TurnmillError) return [error];
    throw error;
  }
}
