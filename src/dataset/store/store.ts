/**
 * One interface for datasets in a folder (disk-store.ts) and in an object store (object-dataset.ts). In both, nothing is
 * visible before the commit, which is one atomic step.
 */
import type { TurnmillError } from '../../errors.ts';
import type { CommitRequest, Committed } from '../commit.ts';
import type { Modes } from '../modes.ts';
import type { Place } from '../place.ts';
import type { DatasetFiles } from './files.ts';

export interface DatasetStore {
  /** Locks the destination, as far as possible, and returns a function that unlocks it. Throws `locked`. */
  acquire(): Promise<() => Promise<void>>;
  /**
   * Cleans up after earlier runs, and checks that this run may write here. Call it under the lock, before any input is
   * read.
   * @throws TurnmillError `usage`, `cannot-create`, `invalid-dataset`, `permission`, `unavailable`
   */
  prepare(request: { readonly inputs: readonly string[]; readonly replace: boolean }): Promise<void>;
  /** Makes the dataset of the previous run available as local files. */
  previous(): Promise<Previous>;
  /** @param resumed the crashed run to continue from */
  open(resumed: string | undefined, modes: Modes): DatasetWriter;
  /**
   * Opens a local folder for records that are read again before they are published. Undefined if `open` does that
   * too.
   */
  openDraft?(modes: Modes): DatasetWriter;
}

export interface Previous {
  /** Local path of the dataset; it need not exist. */
  readonly place: Place;
  /** Fetches the content of the shards, which may be missing until then. */
  fetchShards(): Promise<void>;
}

export interface DatasetWriter {
  /** Local folder for the working files of the run. */
  readonly path: string;
  /** Id of the run, by which a later one resumes it; empty if that is not possible. */
  readonly runId: string;
  readonly files: DatasetFiles;
  /** Whether a later run can resume from a checkpoint of this one. */
  readonly keepsCheckpoints: boolean;
  /** Whether it continues a crashed run whose staging folder still exists. */
  readonly isResumed: boolean;
  /** Notes for people on leftovers that were left alone. */
  readonly notes: readonly string[];
  /** Returns a promise to await before more records are written; undefined if there is room. */
  whenReady(): Promise<void> | undefined;
  /** Whether the commit keeps a card of the user, so that none may be written. */
  keepsCard(): boolean;
  /** Publishes the dataset, all or nothing. */
  commit(request: CommitRequest): Promise<Committed>;
  /** Removes the leftovers of the crashed run once they are no longer needed. */
  supersede(): readonly TurnmillError[];
  /** Removes everything, if it can; does nothing after the commit. */
  discard(): Promise<unknown> | readonly TurnmillError[];
}
