/**
 * The paths that the benchmarks use. Everything runs in the root of the repository with relative paths, so that the results and commands
 * contain no paths of this machine.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const findRoot = (): string => {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('the benchmarks are not below a folder with a package.json');
    folder = parent;
  }
  return folder;
};

export const repositoryRoot: string = findRoot();

/** Generated corpora; not checked in. */
export const corporaFolder = 'bench/out/corpora';

/** The output folder of the contenders; removed before every run. */
export const runFolder = 'bench/out/run';

/** The built peers; not checked in. */
export const peersBuildFolder = 'bench/peers/build';

/** The command under test. */
export const turnmillBin = 'dist/package/bin.js';

/** Returns the absolute path of a file in the repository. */
export const atRoot = (path: string): string => join(repositoryRoot, path);
