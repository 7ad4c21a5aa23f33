/**
 * The checkpoint file in the staging folder (`build --resume`, docs/contributing/decisions/0012-resume.md). It is replaced by a
 * rename, so that a kill leaves either the previous checkpoint or the new one, complete.
 */
import { dirname, join } from 'node:path';
import type { Listing } from '../input/sources/source.ts';
import { readBytesIfAny, syncDirectory } from './fs-calls.ts';
import { WORK_FILES } from './layout.ts';
import { createLineFile } from './line-file.ts';
import type { ListedSource } from './parse-line.ts';
import { SUBFOLDERS } from './staging.ts';
import { replaceWholeFile } from './whole-file.ts';

/** Size and checksum of a file at a checkpoint, when all its bytes were on the disk. */
export interface FileCheckpoint {
  /** Path below the staging folder. */
  readonly path: string;
  readonly bytes: number;
  /** CRC-32 of the bytes that were handed to the file system. */
  readonly crc32: number;
}

/**
 * Replaces the checkpoint in the folder. Everything that it names must already be on the disk.
 * @param pieces its bytes
 * @param shards the shards that it names
 */
export function replaceCheckpoint(
  root: string,
  pieces: readonly Uint8Array[],
  shards: readonly { readonly path: string }[],
): void {
  const folders = new Set([...SUBFOLDERS, ...shards.map(({ path }) => dirname(path))]);
  for (const folder of folders) syncDirectory(join(root, folder));
  syncDirectory(root);
  syncDirectory(dirname(root));
  replaceWholeFile(join(root, WORK_FILES.checkpoint), pieces);
}

/** Returns the bytes of the folder's checkpoint, if there is one. Throws `invalid-dataset` if it is not a regular file. */
export function readCheckpoint(root: string): Uint8Array | undefined {
  return readBytesIfAny(join(root, WORK_FILES.checkpoint));
}

/**
 * Saves the list of sources in the staging folder. A run that resumes compares it with the sources that it finds.
 */
export function writeListing(root: string, { sources }: Listing): FileCheckpoint {
  const file = createLineFile(join(root, WORK_FILES.listing));
  try {
    for (const { name, nameBase64, input, sizeBytes } of sources) {
      const line: ListedSource = { name, ...(nameBase64 !== undefined && { nameBase64 }), input, sizeBytes };
      file.writeText(JSON.stringify(line));
    }
    file.sync();
    file.close();
  } finally {
    file.abandon();
  }
  return { path: WORK_FILES.listing, bytes: file.bytes, crc32: file.crc32 };
}
