/**
 * Where a dataset is kept: in a folder (disk-store.ts) or in an object store (object-dataset.ts). Callers do not know
 * which. Either way nothing is visible before the commit, which is one atomic step.
 */
import type { TurnmillError } from '../../errors.ts';
import type { CommitRequest, Committed } from '../commit.ts';
import type { Modes } from '../modes.ts';
import type { Place } from '../place.ts';
import type { DatasetFiles } from './files.ts';

export interface DatasetStore {
  /** Keeps other runs with this destination out, as far as possible; the result ends that. Throws `locked`. */
  acquire(): Promise<() => Promise<void>>;
  /**
   * Cleans up after earlier runs, and checks that this one may write here. Call it under the lock, before any input is
   * read.
   * @throws TurnmillError `usage`, `cannot-create`, `invalid-dataset`, `permission`, `unavailable`
   */
  prepare(request: { readonly inputs: readonly string[]; readonly replace: boolean }): Promise<void>;
  /** The dataset of the previous run, as files. */
  previous(): Promise<Previous>;
  /** @param resumed the crashed run to continue from */
  open(resumed: string | undefined, modes: Modes): DatasetWriter;
}

export interface Previous {
  /** Path of the dataset, or of where it would be, in a file system. */
  readonly place: Place;
  /** Fetches the content of the shards, which may be missing until then. */
  fetchShards(): Promise<void>;
}

/** A dataset that is being written. */
export interface DatasetWriter {
  /** Local folder for the working files of the run. */
  readonly path: string;
  readonly files: DatasetFiles;
  /** Can a later run resume from a checkpoint of this one? */
  readonly keepsCheckpoints: boolean;
  /** Does it continue what a crashed run left, and was that still there? */
  readonly isResumed: boolean;
  /** Notes for people on leftovers that were left alone. */
  readonly notes: readonly string[];
  /** Wait for the promise before writing more records; undefined if there is room. */
  whenReady(): Promise<void> | undefined;
  /** Publishes the dataset, all or nothing. */
  commit(request: CommitRequest): Promise<Committed>;
  /** Drops what the crashed run left, which is no longer needed. */
  supersede(): readonly TurnmillError[];
  /** Removes everything; does nothing after the commit. */
  discard(): Promise<void>;
}
