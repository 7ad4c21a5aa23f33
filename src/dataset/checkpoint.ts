/**
 * How far a run is, on the disk beside what it has written (`build --resume`, docs/decisions/0012-resume.md): a file in the
 * staging folder that is replaced by a rename, so that a kill leaves the one before or this one, whole.
 */

import { dirname, join } from 'node:path';
import { sha256 } from '../sha256.ts';
import { readTextIfAny, rename, syncDirectory, unlinkIfAny } from './fs-calls.ts';
import { WORK_FILES } from './layout.ts';
import { type Place, partPath, runsWith } from './place.ts';
import type { ShardCheckpoint } from './shards.ts';
import { SUBFOLDERS } from './staging.ts';
import { writeCheckedFile } from './whole-file.ts';

const VERSION = 2;

/** What was written of a file when everything in it was on the disk. */
export interface FileCheckpoint {
  /** Below the staging folder. */
  readonly path: string;
  readonly bytes: number;
  /** Of those bytes, as they were given to the file system. */
  readonly crc32: number;
}

export interface Checkpoint {
  readonly toolVersion: string;
  readonly settings: object;
  /** Sources that are done: the index of the next one. */
  readonly sources: number;
  readonly shards: readonly ShardCheckpoint[];
  readonly files: readonly FileCheckpoint[];
}

/** A checkpoint, and the run that left it. */
export interface FoundCheckpoint extends Checkpoint {
  readonly runId: string;
  /** The staging folder. */
  readonly root: string;
}

/** Replaces the checkpoint in the folder. What it speaks of must be on the disk. */
export function writeCheckpoint(root: string, checkpoint: Checkpoint): void {
  const folders = new Set([...SUBFOLDERS, ...checkpoint.shards.map(({ path }) => dirname(path))]);
  for (const folder of folders) syncDirectory(join(root, folder));
  syncDirectory(root);
  syncDirectory(dirname(root));
  const path = join(root, WORK_FILES.checkpoint);
  const fresh = `${path}.new`;
  const shards = checkpoint.shards.map((shard) => ({
    ...shard,
    gathered: Buffer.from(shard.gathered).toString('base64'),
  }));
  const text = JSON.stringify({ ...checkpoint, shards });
  unlinkIfAny(fresh);
  writeCheckedFile(fresh, [JSON.stringify({ v: VERSION, sha256: sha256(text), text })]);
  rename(fresh, path);
  syncDirectory(dirname(path));
}

/** Of all that killed runs have left beside the destination, the one that is furthest on. Only under the lock. */
export function findCheckpoint(place: Place): FoundCheckpoint | undefined {
  let best: FoundCheckpoint | undefined;
  for (const runId of runsWith(place, ['staging'])) {
    const root = partPath(place, 'staging', runId);
    const read = readCheckpoint(root);
    if (read !== undefined && read.sources > (best?.sources ?? 0)) best = { ...read, runId, root };
  }
  return best;
}

function readCheckpoint(root: string): Checkpoint | undefined {
  const found = readTextIfAny(join(root, WORK_FILES.checkpoint));
  if (found === undefined) return undefined;
  try {
    const { v, sha256: hash, text } = JSON.parse(found);
    if (v !== VERSION || hash !== sha256(text)) return undefined;
    const { shards, ...rest } = JSON.parse(text);
    return {
      ...rest,
      shards: shards.map((shard: { readonly gathered: string }) => ({
        ...shard,
        gathered: Buffer.from(shard.gathered, 'base64'),
      })),
    };
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof TypeError) return undefined;
    throw error;
  }
}
