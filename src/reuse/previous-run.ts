/**
 * Reads the files of a previous run: a published dataset (`--update`), or the staging folder of a killed run up to its
 * last checkpoint (`--resume`). Every file is compared with its checksum before anything in it is used.
 */

import { truncateSync } from 'node:fs';
import { join } from 'node:path';
import { crc32 } from '../crc32.ts';
import type { FileCheckpoint } from '../dataset/checkpoint-file.ts';
import { lstatIfAny } from '../dataset/fs-calls.ts';
import { PATHS } from '../dataset/layout.ts';
import { type LineFileName, type LineTypes, parseLine } from '../dataset/parse-line.ts';
import { type ReadBackOptions, readBack, readChunks } from '../dataset/read-back.ts';
import type { Manifest } from '../dataset/schema/manifest.ts';
import { io, ioError, type TurnmillError } from '../errors.ts';
import { PATH_HASH_BYTES } from '../ledger/compared-path.ts';
import { BlockSums } from './block-sums.ts';
import { CheckedLines, changedSince, damaged } from './checked-lines.ts';

/** A file and the checksum that its run recorded. */
export interface PreviousFile {
  /** Path below the root. */
  readonly path: string;
  readonly bytes: number;
  /** Set for a file of a dataset. */
  readonly sha256?: string;
  /** Set for a staged file. */
  readonly crc32?: number;
}

/** A file that matches its checksum. */
export type CheckedFile<File extends PreviousFile = PreviousFile> = File & { readonly sums: BlockSums };

export interface PreviousShard extends PreviousFile {
  readonly group: string;
  readonly records: number;
  /** Lines that were not yet in the file at the checkpoint. */
  readonly gathered?: Uint8Array;
  /** Set if the file has been checked. */
  readonly sums?: BlockSums;
}

/** The files of a previous run. All except the shards have been checked. */
export class PreviousRun {
  /** The folder that all paths are relative to. */
  readonly root: string;
  readonly shards: readonly PreviousShard[];
  readonly #files: ReadonlyMap<string, CheckedFile>;

  constructor(root: string, files: readonly CheckedFile[], shards: readonly PreviousShard[]) {
    this.root = root;
    this.shards = shards;
    this.#files = new Map(files.map((file) => [file.path, file]));
  }

  pathOf(name: string): string {
    return join(this.root, name);
  }

  /**
   * Yields the lines of a file in order.
   * @throws TurnmillError `invalid-dataset` if the file does not exist or a line is not of its type; `io` if it has
   * changed since it was checked
   */
  lines<F extends LineFileName>(name: F): Generator<LineTypes[F], undefined> {
    return parsedLines(name, this.pathOf(name), this.#file(name));
  }

  /**
   * Yields the paths of the written and contained sessions in order, each valid until the next one.
   * @throws TurnmillError as `lines`
   */
  paths(): Generator<Uint8Array, undefined> {
    return pathsIn(this.pathOf(PATHS), this.#file(PATHS));
  }

  #file(name: string): CheckedFile {
    const file = this.#files.get(name);
    if (file === undefined) throw damaged(this.pathOf(name), 'is missing');
    return file;
  }
}

const COUNT_BYTES = 4;
const NO_PATH = new Uint8Array(0);

function* pathsIn(path: string, { bytes, sums }: CheckedFile): Generator<Uint8Array, undefined> {
  const file = new CheckedLines(path, bytes, sums);
  try {
    for (let head = file.take(COUNT_BYTES); head !== undefined; head = file.take(COUNT_BYTES)) {
      const length = head.readUInt32LE() * PATH_HASH_BYTES;
      const hashes = length === 0 ? NO_PATH : file.take(length);
      if (hashes === undefined) throw damaged(path, 'is cut');
      yield hashes;
    }
  } finally {
    file.park();
  }
}

function* parsedLines<F extends LineFileName>(
  name: F,
  path: string,
  { bytes, sums }: CheckedFile,
): Generator<LineTypes[F], undefined> {
  const lines = new CheckedLines(path, bytes, sums);
  try {
    for (let number = 1; ; number++) {
      const line = lines.next();
      if (line === undefined) return;
      const parsed = parseLine(name, line);
      if (parsed === undefined) throw damaged(path, `has a line that does not belong there: line ${number}`);
      yield parsed;
    }
  } finally {
    lines.park();
  }
}

/**
 * Opens a published dataset. Reads all files except the shards, which are read when their first record is needed.
 * @throws TurnmillError `invalid-dataset` if a file is missing or has other bytes
 */
export async function openPreviousDataset(
  root: string,
  { files, shards }: Pick<Manifest, 'files' | 'shards'>,
  signal?: AbortSignal,
): Promise<PreviousRun> {
  for (const { path, bytes } of [...files, ...shards]) {
    const stats = lstatIfAny(join(root, path));
    if (stats?.isFile() !== true || Number(stats.size) !== bytes) throw notAsPublished(join(root, path));
  }
  const checked = [];
  for (const file of files) checked.push({ ...file, sums: await checkFile(root, file, { signal }) });
  return new PreviousRun(root, checked, shards);
}

/**
 * Reads staged files up to a checkpoint, and changes nothing. Later bytes do not count: they may not be on the disk.
 * @param refuse called with the path of a file that differs from the checkpoint
 */
export async function checkStagedFiles<File extends FileCheckpoint>(
  root: string,
  files: readonly File[],
  refuse: (path: string) => never,
  signal?: AbortSignal,
): Promise<CheckedFile<File>[]> {
  const checked: CheckedFile<File>[] = [];
  for (const file of files) {
    const sums = new BlockSums();
    if (!(await matches(join(root, file.path), file, sums, signal))) refuse(file.path);
    checked.push({ ...file, sums });
  }
  return checked;
}

/**
 * Returns whether the file begins with the bytes of the checkpoint.
 * @param sums receives the checksums of its blocks
 */
async function matches(
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

/** Cuts off the bytes that were written after the checkpoint. */
export function cutToCheckpoint(root: string, files: readonly FileCheckpoint[]): void {
  for (const { path, bytes } of files) {
    const stagedPath = join(root, path);
    io('cut', stagedPath, () => truncateSync(stagedPath, bytes));
  }
}

/**
 * Reads a whole file and compares it with the manifest, or with the checkpoint a second time.
 * @throws TurnmillError if it has other bytes: `invalid-dataset`; `io` for a staged file, which matched before
 * @returns the checksums of its content, decompressed
 */
export async function checkFile(
  root: string,
  file: PreviousFile,
  { signal, onContent }: ReadBackOptions,
): Promise<BlockSums> {
  const path = join(root, file.path);
  const sums = new BlockSums();
  const read = await readBack(path, {
    signal,
    onContent(chunk) {
      sums.add(chunk);
      onContent?.(chunk);
    },
  });
  const { bytes, sha256 = read.sha256, crc32: checksum = read.crc32 } = file;
  const isSame = read.bytes === bytes && sha256 === read.sha256 && checksum === read.crc32;
  if (!isSame) throw file.sha256 === undefined ? changedSince(path) : notAsPublished(path);
  return sums;
}

export function notAsPublished(path: string): TurnmillError {
  return damaged(path, 'does not match the manifest; run build --replace to rebuild the dataset');
}
