/** Creates the files of a dataset by their paths below its root. */
import { dirname, join } from 'node:path';
import { TurnmillError } from '../../errors.ts';
import { type AppendFile, createAppendFile } from '../append-file.ts';
import { lstatIfAny, makeDirectory } from '../fs-calls.ts';
import { DATA } from '../layout.ts';
import type { Modes } from '../modes.ts';

export interface DatasetFiles {
  /** Creates the file, which must not exist. */
  create(path: string): AppendFile;
}

/** Files in a folder that has the subfolders of a dataset; subfolders of `data/` are created. */
export class FolderFiles implements DatasetFiles {
  readonly #root: string;
  readonly #modes: Pick<Modes, 'file' | 'folder'>;
  readonly #guards = new Map<string, () => void>();

  constructor(root: string, modes: Pick<Modes, 'file' | 'folder'>) {
    this.#root = root;
    this.#modes = modes;
    this.#guards.set(DATA, folderGuard(root, DATA));
  }

  create(path: string): AppendFile {
    if (path.startsWith(`${DATA}/`)) this.#checkFolder(dirname(path));
    return createAppendFile(join(this.#root, path), this.#modes.file(path));
  }

  #checkFolder(folder: string): void {
    this.#guards.get(DATA)?.();
    if (!this.#guards.has(folder)) {
      const parent = dirname(folder);
      if (parent !== DATA) this.#checkFolder(parent);
      makeDirectory(join(this.#root, folder), this.#modes.folder(folder));
      this.#guards.set(folder, folderGuard(this.#root, folder));
    }
    this.#guards.get(folder)?.();
  }
}

/** Returns a check that the folder was not replaced: `O_NOFOLLOW` protects only the last part of a path. */
function folderGuard(dir: string, name: string): () => void {
  const folder = join(dir, name);
  const first = lstatIfAny(folder);
  return () => {
    const now = lstatIfAny(folder);
    if (now?.isDirectory() && now.dev === first?.dev && now.ino === first.ino) return;
    throw new TurnmillError('io', `${dir}: ${name}/ was replaced while it was written`, {
      subject: folder,
    });
  };
}
