/** Nothing but what the manifest lists lies in the folder: a trainer that reads data/* would take it in. */
import { type Dir, lstatSync, opendirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { ioError, TurnmillError } from '../errors.ts';
import { readOwnFile } from '../own-file.ts';
import { asObject } from './json-value.ts';
import { MANIFEST } from './manifest-file.ts';
import type { Problems } from './problems.ts';

const RUN_FACTS = 'run.json';
/** It names each source: a million of them in 60 MB. */
const RUN_FACTS_MAX_BYTES = 256 * 1024 * 1024;
const FOLDERS: ReadonlySet<string> = new Set(['data', 'ledger', 'quarantine', 'reports']);

/** @param listed the paths of the manifest's shards and files */
export function checkForeignFiles(root: string, listed: ReadonlySet<string>, problems: Problems): void {
  const folders = new Set([...listed].map((path) => dirname(path)));
  for (const [name, isFolder] of namesIn(root)) {
    if (FOLDERS.has(name) && isFolder) {
      checkFolder(name);
    } else if (name === RUN_FACTS) checkRunFacts(root, problems);
    else if (name !== MANIFEST) foreign(name);
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

/** The names in a folder, and which are folders themselves; not all at once, there may be any number. */
function* namesIn(path: string): Generator<readonly [string, boolean]> {
  let folder: Dir | undefined;
  try {
    folder = opendirSync(path);
    for (let entry = folder.readSync(); entry !== null; entry = folder.readSync()) {
      yield [entry.name, entry.isDirectory()];
    }
  } catch (error) {
    throw ioError('read the folder', path, error);
  } finally {
    folder?.closeSync();
  }
}

/** What differs from run to run is protected by nothing; it may be gone, but not be something else. */
function checkRunFacts(root: string, problems: Problems): void {
  const path = join(root, RUN_FACTS);
  const stats = lstatSync(path);
  if (!stats.isFile() || stats.size > RUN_FACTS_MAX_BYTES) {
    problems.add(RUN_FACTS, 'expected a small plain file, found something else');
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
