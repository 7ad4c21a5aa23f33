/**
 * What an earlier run has written, to take over from: a committed dataset (`--update`), or the staging folder of a run that was
 * killed, as far as its last checkpoint (`--resume`).
 */

import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from 'node:zlib';
import type { FileCheckpoint } from '../dataset/checkpoint.ts';
import { lstatIfAny } from '../dataset/fs-calls.ts';
import { readBack, readChunks } from '../dataset/read-back.ts';
import type { Manifest } from '../dataset/schema.ts';
import { ioError, type TurnmillError } from '../errors.ts';
import { BlockSums } from './block-sums.ts';
import { damaged, otherBytes } from './earlier-lines.ts';

export interface EarlierFile {
  /** Below the root. */
  readonly path: string;
  readonly bytes: number;
  /** Of a committed file. */
  readonly sha256?: string;
  /** Of a staged file. */
  readonly crc32?: number;
  /** Where the file was read and found right already. */
  readonly sums?: BlockSums;
}

export interface EarlierShard extends EarlierFile {
  readonly group: string;
  readonly records: number;
  /** Of a checkpoint: lines that were not yet in the file. */
  readonly gathered?: Uint8Array;
}

/** A file that was read and is what its run says. */
export type CheckedFile<T extends { readonly path: string }> = T & { readonly sums: BlockSums };

export interface Earlier {
  readonly root: string;
  readonly files: readonly CheckedFile<EarlierFile>[];
  readonly shards: readonly EarlierShard[];
}

/**
 * Reads all files but the shards, each of which is read when its first record is.
 * @throws TurnmillError `invalid-dataset` where a file is missing or has other bytes: nothing is taken over, and nothing is up to date
 */
export async function earlierDataset(
  root: string,
  { files, shards }: Manifest,
  signal?: AbortSignal,
): Promise<Earlier> {
  for (const { path, bytes } of [...files, ...shards]) {
    const stats = lstatIfAny(join(root, path));
    if (stats?.isFile() !== true || Number(stats.size) !== bytes) throw notAsCommitted(join(root, path));
  }
  const checked = [];
  for (const file of files) checked.push({ ...file, sums: await readEarlierFile(root, file, { signal }) });
  return { root, files: checked, shards };
}

/**
 * Reads staged files as far as a checkpoint goes, and changes nothing. Bytes after that do not count: nobody can say which of them
 * are on the disk.
 * @param refuse gets the path of a file whose bytes are not those of the checkpoint
 */
export async function checkStaged<T extends FileCheckpoint>(
  root: string,
  files: readonly T[],
  refuse: (path: string) => never,
  signal?: AbortSignal,
): Promise<CheckedFile<T>[]> {
  const checked: CheckedFile<T>[] = [];
  for (const file of files) {
    const sums = new BlockSums();
    if (!(await holds(join(root, file.path), file, sums, signal))) refuse(file.path);
    checked.push({ ...file, sums });
  }
  return checked;
}

async function holds(
  path: string,
  file: FileCheckpoint,
  sums: BlockSums,
  signal: AbortSignal | undefined,
): Promise<boolean> {
  if (!(Number(lstatIfAny(path)?.size) >= file.bytes)) return false;
  let bytes = 0;
  let checksum = 0;
  try {
    for await (const chunk of readChunks(path, { signal, most: file.bytes })) {
      bytes += chunk.length;
      checksum = crc32(chunk, checksum);
      sums.add(chunk);
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw ioError('read', path, error);
  }
  return bytes === file.bytes && checksum === file.crc32;
}

/** Cuts off what was written after the checkpoint. */
export function cutToCheckpoint(root: string, files: readonly FileCheckpoint[]): void {
  for (const { path, bytes } of files) {
    const whole = join(root, path);
    try {
      truncateSync(whole, bytes);
    } catch (error) {
      throw ioError('cut', whole, error);
    }
  }
}

export interface ReadWhole {
  readonly signal?: AbortSignal | undefined;
  /** Gets what is in the file, decompressed. */
  readonly onContent?: (chunk: Uint8Array) => void;
}

/**
 * Reads a file and compares it with its manifest, or with its checkpoint once more.
 * @throws TurnmillError when it has other bytes: `invalid-dataset`; `io` for a staged file, which was right before
 * @returns the checksums of what is in it, decompressed
 */
export async function readEarlierFile(
  root: string,
  file: EarlierFile,
  { signal, onContent }: ReadWhole,
): Promise<BlockSums> {
  const path = join(root, file.path);
  const sums = new BlockSums();
  const found = await readBack(path, {
    signal,
    onContent(chunk) {
      sums.add(chunk);
      onContent?.(chunk);
    },
  });
  const { bytes, sha256 = found.sha256, crc32: checksum = found.crc32 } = file;
  const same = found.bytes === bytes && sha256 === found.sha256 && checksum === found.crc32;
  if (!same) throw file.sha256 === undefined ? otherBytes(path) : notAsCommitted(path);
  return sums;
}

function notAsCommitted(path: string): TurnmillError {
  return damaged(path, 'does not match the manifest; run build --replace to rebuild the dataset');
}
