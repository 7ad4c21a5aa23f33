/**
 * Compares the files in the folder with the manifest: each listed file must exist and have the listed size and hash, and
 * there must be no other files.
 */
import { createHash } from 'node:crypto';
import { type Dir, lstatSync, opendirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ioError, TurnmillError } from '../errors.ts';
import { readOwnFile, streamOwnFile } from '../own-file.ts';
import { type ListedFile, MANIFEST } from './manifest-file.ts';
import type { Problems } from './problems.ts';
import { asObject } from './untrusted.ts';

const CHUNK_BYTES = 1024 * 1024;
const RUN_FACTS = 'run.json';
/** A user's own is not listed in the manifest. */
const CARD = 'README.md';
/** run.json has a fingerprint for each source: 60 MB for a million of them. */
const RUN_FACTS_MAX_BYTES = 256 * 1024 * 1024;
const FOLDERS: ReadonlySet<string> = new Set(['data', 'ledger', 'quarantine', 'reports']);

/**
 * Compares the listed files with the manifest.
 * @returns the paths that are regular files, with any content
 * @throws TurnmillError `io` or `permission` if one cannot be read
 */
export async function checkListedFiles(
  root: string,
  files: readonly ListedFile[],
  problems: Problems,
): Promise<ReadonlySet<string>> {
  const readable = new Set<string>();
  for (const file of files) {
    const kind = kindOf(join(root, file.path));
    if (kind !== 'file') {
      problems.add(file.path, `expected a file of ${file.bytes} bytes, found ${kind}`);
      continue;
    }
    readable.add(file.path);
    const { bytes, sha256 } = await measure(join(root, file.path));
    problems.equal(file.path, undefined, 'bytes', file.bytes, bytes);
    problems.equal(file.path, undefined, 'sha256', file.sha256, sha256);
  }
  return readable;
}

function kindOf(path: string): 'file' | 'nothing' | 'not a regular file' {
  try {
    return lstatSync(path).isFile() ? 'file' : 'not a regular file';
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return 'nothing';
    throw ioError('read', path, error);
  }
}

async function measure(path: string): Promise<{ bytes: number; sha256: string }> {
  const hash = createHash('sha256');
  try {
    const source = streamOwnFile(path, { highWaterMark: CHUNK_BYTES });
    await pipeline(source, hash);
    return { bytes: source.bytesRead, sha256: hash.digest('hex') };
  } catch (error) {
    if (error instanceof TurnmillError) throw error;
    throw ioError('read', path, error);
  }
}

/**
 * Reports files that the manifest does not list: a trainer that reads data/* would include them.
 * @param listed the paths of the manifest's shards and files
 */
export function checkForeignFiles(root: string, listed: ReadonlySet<string>, problems: Problems): void {
  const folders = new Set([...listed].flatMap((path) => [dirname(path), dirname(dirname(path))]));
  for (const [name, isFolder] of namesIn(root)) {
    if (FOLDERS.has(name) && isFolder) checkFolder(name);
    else if (name === RUN_FACTS) checkRunFacts(root, problems);
    else if (name !== MANIFEST && (name !== CARD || isFolder)) foreign(name);
  }

  function checkFolder(folder: string): void {
    for (const [name, isFolder] of namesIn(join(root, folder))) {
      const path = `${folder}/${name}`;
      if (isFolder && folders.has(path)) checkFolder(path);
      else if (!listed.has(path)) foreign(path);
    }
  }

  function foreign(path: string): void {
    problems.add(path, 'not listed in the manifest');
  }
}

/** Yields the names in a folder, of which there may be any number, and whether they are folders. */
function* namesIn(path: string): Generator<readonly [string, boolean]> {
  let folder: Dir | undefined;
  try {
    folder = opendirSync(path);
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync())
      yield [entry.name, entry.isDirectory()];
  } catch (error) {
    throw ioError('read the folder', path, error);
  } finally {
    folder?.closeSync();
  }
}

/** Checks run.json, which the manifest does not list: it may be missing, but must not be something else. */
function checkRunFacts(root: string, problems: Problems): void {
  const path = join(root, RUN_FACTS);
  const stats = lstatSync(path);
  if (!stats.isFile() || stats.size > RUN_FACTS_MAX_BYTES) {
    problems.add(RUN_FACTS, 'expected a small regular file, found something else');
    return;
  }
  let value: unknown;
  try {
    value = JSON.parse(readOwnFile(path, RUN_FACTS_MAX_BYTES).toString('utf8'));
  } catch (error) {
    if (error instanceof TurnmillError) throw error;
    if (!(error instanceof SyntaxError)) throw ioError('read', path, error);
  }
  if (asObject(value) === undefined) problems.add(RUN_FACTS, 'expected a JSON object, found something else');
}
