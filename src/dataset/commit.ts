/**
 * The commit protocol: write, sync and close everything; read every file back and compare it with its writer's counts
 * and with the checksum of the bytes handed to the file system; then write run.json, the manifest as the last file,
 * sync the folders and rename. An error anywhere leaves the destination as it was.
 */

import { dirname, join, relative, sep } from 'node:path';
import { TurnmillError } from '../errors.ts';
import { readDirectory, setMode, syncDirectory } from './fs-calls.ts';
import { notAsWritten } from './fs-faults.ts';
import { DATA, manifestPath } from './layout.ts';
import type { WrittenFile } from './line-file.ts';
import { createManifest, type ManifestBody, manifestText } from './manifest.ts';
import { type FileReader, type ReadBack, readBack } from './read-back.ts';
import { writeRunFacts } from './run-facts.ts';
import type { Manifest, ManifestFile, ManifestShard } from './schema/manifest.ts';
import type { ShardInfo } from './shards.ts';
import { type Staging, SUBFOLDERS } from './staging.ts';
import { writeCheckedFile } from './whole-file.ts';

export interface CommitRequest {
  readonly shards: readonly ShardInfo[];
  /** Files of ledger/, quarantine/ and reports/, synced and closed, with the paths that their writers were passed. */
  readonly files: readonly WrittenFile[];
  readonly body: ManifestBody;
  /** Writes, syncs and closes files that contain the shards' hashes. */
  readonly writeLast?: ((shards: readonly ManifestShard[]) => Promise<readonly WrittenFile[]>) | undefined;
  /** Facts that differ from run to run (clock, host, paths), for run.json, which the manifest does not list. */
  readonly runFacts: object;
  /** Lines of JSON, for `proofs` in run.json. */
  readonly fingerprints?: WrittenFile;
  readonly replace: boolean;
  readonly signal?: AbortSignal;
  /** Other threads, which read some of the shards back. */
  readonly readers?: readonly FileReader[];
  /** Called once everything was read back and equals what was written. */
  readonly onReadBack?: () => void;
}

export interface StagedCommit extends CommitRequest {
  readonly staging: Staging;
}

export interface Committed {
  readonly manifest: Manifest;
  /** Leftovers that could not be removed after publishing. */
  readonly problems: readonly TurnmillError[];
}

/** Publishes the staged dataset. Throws `io` if the files on disk differ from what was written. */
export async function commitDataset(request: StagedCommit): Promise<Committed> {
  const { staging, body, runFacts, replace, signal } = request;
  const root = staging.path;
  const shards = request.shards.toSorted(byPath);
  const files = request.files.map((file) => figuresBelow(root, file)).sort(byPath);
  checkNames(
    root,
    [...shards, ...files].map((file) => file.path),
    shardFolders(shards),
  );
  const listedShards = await readBackShards(root, shards, request);
  const last = (await request.writeLast?.(listedShards)) ?? [];
  const allFiles = [...files, ...last.map((file) => figuresBelow(root, file))].sort(byPath);
  const listedFiles = await readBackFiles(root, allFiles, signal);

  request.onReadBack?.();
  const manifest = createManifest(body, listedShards, listedFiles);
  const mode = staging.modes.file('manifest.json');
  writeRunFacts(root, runFacts, request.fingerprints, mode);
  writeCheckedFile(manifestPath(root), [manifestText(manifest)], mode);
  const folders = [...shardFolders(shards), ...SUBFOLDERS];
  if (staging.modes.isExact) {
    const paths = [...listedShards, ...listedFiles].map(({ path }) => path);
    setModes(staging, [...paths, 'run.json', 'manifest.json'], folders);
  }
  for (const name of folders) syncDirectory(join(root, name));
  signal?.throwIfAborted();
  return { manifest, problems: staging.publish({ replace }) };
}

/** Divides the shards between this thread and the readers: each takes the next one whenever it has read one. */
async function readBackShards(
  root: string,
  shards: readonly ShardInfo[],
  { signal, readers = [] }: Pick<CommitRequest, 'signal' | 'readers'>,
): Promise<readonly ManifestShard[]> {
  const listed: ManifestShard[] = [];
  const left = shards.entries();
  const readEach = async (reader?: FileReader): Promise<void> => {
    for (const [at, shard] of left) {
      const path = join(root, shard.path);
      const read = (await reader?.readBack(path)) ?? (await readBack(path, signal && { signal }));
      checkShard(path, shard, read);
      const { path: name, group, records, bytes } = shard;
      listed[at] = { path: name, group, records, bytes, sha256: read.sha256 };
    }
  };
  await Promise.all([...readers.map(readEach), readEach()]);
  return listed;
}

async function readBackFiles(
  root: string,
  files: readonly FileFigures[],
  signal: AbortSignal | undefined,
): Promise<readonly ManifestFile[]> {
  const listed: ManifestFile[] = [];
  for (const { path, bytes, lines, crc32 } of files) {
    const read = await readBack(join(root, path), signal && { signal });
    compare(join(root, path), 'bytes', bytes, read.bytes);
    if (lines !== undefined) compare(join(root, path), 'lines', lines, read.lines);
    if (crc32 !== read.crc32) throw notAsWritten(join(root, path));
    listed.push({ path, bytes, sha256: read.sha256 });
  }
  return listed;
}

/**
 * Adds the permissions that the umask removed when the files were created. If the machine crashes before they are on
 * the disk, the files have fewer permissions, never more.
 */
function setModes(
  { path: root, modes }: Staging,
  files: readonly string[],
  folders: readonly string[],
): void {
  for (const path of files) setMode(join(root, path), modes.file(path));
  for (const path of folders) setMode(join(root, path), modes.folder(path));
}

type FileFigures = Pick<WrittenFile, 'path' | 'bytes' | 'crc32'> & { readonly lines: number | undefined };

/** Returns a file's figures, with its path relative to the root. They are copied, because a line file has getters. */
function figuresBelow(root: string, { path, bytes, lines, crc32 }: WrittenFile): FileFigures {
  return { path: relative(root, path).split(sep).join('/'), bytes, lines, crc32 };
}

export function byPath(a: { readonly path: string }, b: { readonly path: string }): number {
  return Buffer.compare(Buffer.from(a.path), Buffer.from(b.path));
}

/** Returns the folders in data/: one for each format if there are several, and in it one for each split. */
function shardFolders(shards: readonly ShardInfo[]): string[] {
  const folders = new Set<string>();
  for (const { path } of shards)
    for (let folder = dirname(path); folder !== DATA; folder = dirname(folder)) folders.add(folder);
  return [...folders].sort();
}

/** Checks that the folder holds exactly the files that were written, and only regular ones. */
function checkNames(root: string, expected: readonly string[], folders: readonly string[]): void {
  const present = [...SUBFOLDERS, ...folders].flatMap((folder) =>
    readDirectory(join(root, folder)).flatMap((entry) => {
      const path = `${folder}/${entry.name}`;
      if (folders.includes(path) && entry.isDirectory()) return [];
      if (!entry.isFile()) fail(join(root, path), 'is not a regular file');
      return [path];
    }),
  );
  const known = new Set(expected);
  for (const path of present) if (!known.delete(path)) fail(join(root, path), 'was not written by this run');
  for (const path of known) fail(join(root, path), 'was written, but is gone');
}

function checkShard(path: string, shard: ShardInfo, read: ReadBack): void {
  compare(path, 'bytes', shard.bytes, read.bytes);
  compare(path, 'records', shard.records, read.lines - shard.innerLines);
  compare(path, 'uncompressed bytes', shard.uncompressedBytes, read.contentBytes);
  if (shard.crc32 !== read.crc32 || shard.contentCrc32 !== read.contentCrc32) throw notAsWritten(path);
}

function compare(path: string, unit: string, written: number, read: number): void {
  if (written !== read) fail(path, `has ${read} ${unit}, but ${written} were written`);
}

function fail(path: string, why: string): never {
  throw new TurnmillError('io', `${path} ${why}`, { subject: path });
}
