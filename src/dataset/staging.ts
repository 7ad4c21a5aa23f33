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

/** Creating it also creates the subfolders, and removes the folders of crashed runs. Create it under the lock. */
export class Staging {
  readonly path: string;
  readonly modes: Modes;
  readonly runId: string = randomBytes(8).toString('hex');
  /** Notes for people on leftovers that were left alone. */
  readonly notes: readonly string[];
  readonly #destination: Destination;
  readonly #isDataset: boolean;
  /** The crashed run that it continues, while the staging folder of that run still exists. */
  #resumed: string | undefined;
  #isPublished = false;

  /**
   * @param resumed the crashed run to continue from: its folder stays until it is superseded
   * @param modes permissions of what is created in it
   */
  constructor(destination: Destination, resumed?: string, modes: Modes = modesOf({})) {
    const crashed = runsWith(destination, ['staging']).filter((run) => run !== resumed);
    const paths = crashed.map((run) => siblingPath(destination, 'staging', run));
    const foreign = new Set(paths.filter((folder) => isOfOtherBoot(folder, join(folder, WORK))));
    for (const folder of paths) if (!foreign.has(folder)) remove(folder); // what is left does no harm
    this.notes = [...foreign].map(
      (folder) =>
        `${basename(folder)} is left alone: a run before a restart, or on another machine, wrote it less than a day ago; remove it by hand if that run is over`,
    );
    this.path = siblingPath(destination, 'staging', this.runId);
    this.modes = modes;
    this.#destination = destination;
    this.#isDataset = destination.state === 'folder' || destination.state === 'link';
    this.#resumed = resumed;
    makeDirectory(this.path, OWNER_ONLY);
    try {
      for (const name of SUBFOLDERS) makeDirectory(join(this.path, name), modes.folder(name));
      makeDirectory(join(this.path, WORK), OWNER_ONLY);
      recordBoot(join(this.path, WORK));
    } catch (error) {
      remove(this.path);
      throw error;
    }
  }

  /** Whether it continues a crashed run whose staging folder still exists. */
  get isResumed(): boolean {
    return this.#resumed !== undefined;
  }

  /** Whether publishing keeps a card of the user, so that none may be written. */
  keepsCard(): boolean {
    return this.#isDataset && hasOwnCard(this.#destination.path);
  }

  /**
   * Moves it to OUT; files and subfolders must already be synced. Returns the leftovers that could not be removed
   * afterwards. If it throws, `discard` still has to be called.
   */
  publish({ replace }: { replace: boolean }): TurnmillError[] {
    removeTree(join(this.path, WORK));
    if (replace && this.#isDataset) takeCardAlong(this.#destination.path, this.path);
    setMode(this.path, this.modes.folder('.'));
    syncDirectory(this.path);
    publish(this.#destination, this.runId, replace);
    this.#isPublished = true;
    return [...this.supersede(), ...tidy(this.#destination, this.runId)];
  }

  /** Removes the staging folder of the resumed run once it is no longer needed. Returns what could not be removed. */
  supersede(): TurnmillError[] {
    if (this.#resumed === undefined) return [];
    const folder = siblingPath(this.#destination, 'staging', this.#resumed);
    this.#resumed = undefined;
    return remove(folder);
  }

  /** Removes it; does nothing after publication. Returns what could not be removed. */
  discard(): TurnmillError[] {
    return this.#isPublished ? [] : [...remove(this.path), ...tidy(this.#destination, this.runId)];
  }
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
