/** A dataset in a folder: staged beside it and published by a rename (docs/contributing/decisions/0004-publishing-by-rename.md). */
import type { TurnmillError } from '../../errors.ts';
import { type CommitRequest, type Committed, commitDataset } from '../commit.ts';
import { checkDestination, type Destination } from '../destination.ts';
import { acquireLock } from '../lock.ts';
import type { Modes } from '../modes.ts';
import { recoverDestination } from '../recover.ts';
import { openStaging, type Staging } from '../staging.ts';
import { type DatasetFiles, FolderFiles } from './files.ts';
import type { DatasetStore, DatasetWriter, Previous } from './store.ts';

export class DiskStore implements DatasetStore {
  readonly #out: string;
  #destination: Destination | undefined;

  constructor(out: string) {
    this.#out = out;
  }

  acquire(): Promise<() => Promise<void>> {
    return acquireLock(this.#out);
  }

  async prepare({ inputs, replace }: { inputs: readonly string[]; replace: boolean }): Promise<void> {
    recoverDestination(this.#out);
    this.#destination = checkDestination({ out: this.#out, inputs, replace });
  }

  async previous(): Promise<Previous> {
    return { place: this.#prepared, fetchShards: async () => undefined };
  }

  open(resumed: string | undefined, modes: Modes): DatasetWriter {
    return new DiskWriter(openStaging(this.#prepared, resumed, modes));
  }

  get #prepared(): Destination {
    if (this.#destination === undefined) throw new Error('the store is not prepared');
    return this.#destination;
  }
}

export class DiskWriter implements DatasetWriter {
  readonly path: string;
  readonly runId: string;
  readonly files: DatasetFiles;
  readonly keepsCheckpoints = true;
  readonly notes: readonly string[];
  readonly #staging: Staging;

  constructor(staging: Staging) {
    this.#staging = staging;
    this.path = staging.path;
    this.runId = staging.runId;
    this.notes = staging.notes;
    this.files = new FolderFiles(staging.path, staging.modes);
  }

  get isResumed(): boolean {
    return this.#staging.isResumed;
  }

  whenReady(): undefined {
    return undefined;
  }

  keepsCard(): boolean {
    return this.#staging.keepsCard();
  }

  commit(request: CommitRequest): Promise<Committed> {
    return commitDataset({ ...request, staging: this.#staging });
  }

  supersede(): readonly TurnmillError[] {
    return this.#staging.supersede();
  }

  async discard(): Promise<void> {
    this.#staging.discard();
  }
}
