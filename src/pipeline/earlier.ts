/**
 * What an earlier run has written, to take over from: a committed dataset (`--update`), or the staging folder of a run that was
 * killed, as far as its last checkpoint (`--resume`).
 */
import { lstatSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { ioError, TurnmillError } from '../errors.ts';
import type { FoundCheckpoint } from '../sinks/checkpoint.ts';
import { lstatIfAny } from '../sinks/fs-calls.ts';
import type { Manifest } from '../sinks/manifest.ts';
import { readBack } from '../sinks/read-back.ts';
import { damaged } from './earlier-lines.ts';

export interface EarlierFile {
  /** Below the root. */
  readonly path: string;
  readonly bytes: number;
  /** Of a committed file. */
  readonly sha256?: string;
}

export interface EarlierShard extends EarlierFile {
  readonly group: string;
  readonly records: number;
  /** Of a checkpoint: lines that were not yet in the file. */
  readonly gathered?: Uint8Array;
}

export interface Earlier {
  readonly root: string;
  readonly files: readonly EarlierFile[];
  readonly shards: readonly EarlierShard[];
}

/** Throws `invalid-dataset` where a file is missing or has another size: nothing is taken over, and nothing is up to date. */
export function earlierDataset(root: string, { files, shards }: Manifest): Earlier {
  for (const { path, bytes } of [...files, ...shards]) {
    const stats = lstatIfAny(join(root, path));
    if (stats?.isFile() !== true || Number(stats.size) !== bytes) throw notAsCommitted(join(root, path));
  }
  return { root, files, shards };
}

/** Cuts off what was written after the checkpoint: nobody can say what of it is on the disk. */
export function earlierCheckpoint({ root, files, shards }: FoundCheckpoint): Earlier {
  for (const { path, bytes } of [...files, ...shards]) {
    const whole = join(root, path);
    try {
      const stats = lstatSync(whole);
      if (!stats.isFile()) throw damaged(whole, 'is not a regular file');
      if (stats.size < bytes) throw damaged(whole, 'is shorter than its checkpoint says');
      truncateSync(whole, bytes);
    } catch (error) {
      throw error instanceof TurnmillError ? error : ioError('cut', whole, error);
    }
  }
  return { root, files, shards };
}

export interface ReadWhole {
  readonly signal?: AbortSignal | undefined;
  /** Gets what is in the file, decompressed. */
  readonly onContent?: (chunk: Uint8Array) => void;
}

/** Is a file of a committed dataset what its manifest says? Throws `invalid-dataset`. */
export async function readEarlierFile(root: string, file: EarlierFile, options: ReadWhole): Promise<void> {
  const path = join(root, file.path);
  const found = await readBack(path, options);
  const same = found.bytes === file.bytes && (file.sha256 ?? found.sha256) === found.sha256;
  if (!same) throw notAsCommitted(path);
}

function notAsCommitted(path: string): TurnmillError {
  return damaged(path, 'is not what the manifest says; build --replace makes the dataset anew');
}
