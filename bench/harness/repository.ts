/**
 * The paths that the benchmarks use. Everything runs in the root of the repository and uses relative paths, so that results and commands
 * contain no path of the machine.
 */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const findRoot = (): string => {
  let folder = dirname(fileURLToPath(import.meta.url));
  while (!existsSync(join(folder, 'package.json'))) {
    const parent = dirname(folder);
    if (parent === folder) throw new Error('no package.json above the bench');
    folder = parent;
  }
  return folder;
};

/** The absolute path of the repository. */
export const repositoryRoot: string = findRoot();

/** Generated corpora; not checked in. */
export const corporaFolder = 'bench/out/corpora';

/** The contenders' output folder; removed before every run. */
export const runFolder = 'bench/out/run';

/** The peers' built tools; not checked in. */
export const peersBuildFolder = 'bench/peers/build';

/** The command under test. */
export const turnmillBin = 'dist/package/bin.js';

/** The absolute form of a path below the root. */
export const atRoot = (path: string): string => join(repositoryRoot, path);
