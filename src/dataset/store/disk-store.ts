/** A dataset in a folder: staged beside it and published by a rename (docs/contributing/decisions/0004-publishing-by-rename.md). */
import { type CommitRequest, type Committed, commitDataset } from '../commit.ts';
import { checkDestination, type Destination } from '../destination.ts';
import { acquireLock } from '../lock.ts';
import type { Modes } from '../modes.ts';
import { recoverDestination } from '../recover.ts';
import { Staging } from '../staging.ts';
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
    return new DiskWriter(this.#prepared, resumed, modes);
  }

  get #prepared(): Destination {
    if (this.#destination === undefined) throw new Error('the store is not prepared');
    return this.#destination;
  }
}

export class DiskWriter extends Staging implements DatasetWriter {
  readonly files: DatasetFiles = new FolderFiles(this.path, this.modes);
  readonly keepsCheckpoints = true;

  whenReady(): undefined {
    return undefined;
  }

  commit(request: CommitRequest): Promise<Committed> {
    return commitDataset({ ...request, staging: this });
  }
}
