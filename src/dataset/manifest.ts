/**
 * manifest.json: lists what a dataset holds, and makes its folder a dataset. It is written last and does not depend on
 * clock, host or path: the same input gives the same bytes.
 */

import { dirname, join } from 'node:path';
import { TurnmillError } from '../errors.ts';
import { SCHEMA_VERSION } from '../version.ts';
import { lstatIfAny, readTextIfAny } from './fs-calls.ts';
import { manifestPath } from './layout.ts';
import type { Manifest, ManifestFile, ManifestShard } from './schema/manifest.ts';
import { prettyJson } from './whole-file.ts';

const TOOL_NAME = 'turnmill';
/** A file in one of the four folders, or in a format's folder in data/. Such a path cannot lead out of the dataset. */
const INSIDE = /^(?:data(?:\/[a-z][a-z0-9-]*)?|ledger|quarantine|reports)\/[A-Za-z0-9][A-Za-z0-9._-]*$/;
const SHOWN_CHARACTERS = 200;
/** Enough for a million shards. */
const MOST_BYTES = 256 * 1024 * 1024;

/** Facts of the run: plain JSON values that do not vary between runs. */
export type ManifestBody = Omit<Manifest, 'schema' | 'shards' | 'files'>;

/** Creates the manifest, with its members in the order of the file. */
export function createManifest(
  body: ManifestBody,
  shards: readonly ManifestShard[],
  files: readonly ManifestFile[],
): Manifest {
  const { tool, settings, settings_sha256, totals, ledger } = body;
  return { schema: SCHEMA_VERSION, tool, settings, settings_sha256, shards, files, totals, ledger };
}

/** The text of manifest.json. */
export function manifestText(manifest: Manifest): string {
  return prettyJson(manifest);
}

/**
 * Reads the manifest of a dataset. Throws `invalid-dataset` if there is none, or it names a file outside the dataset.
 */
export function readManifest(folder: string): Manifest {
  const manifest = parsed(folder);
  if (manifest === undefined) {
    throw new TurnmillError('invalid-dataset', `${folder} has no readable manifest`, {
      subject: folder,
    });
  }
  checkPaths(folder, manifest, true);
  return manifest;
}

/** Throws `invalid-dataset` if the folder's manifest names a file outside the dataset; passes if there is none. */
export function checkManifest(folder: string): void {
  const manifest = parsed(folder);
  if (manifest !== undefined) checkPaths(folder, manifest, false);
}

/** Undefined if the file is missing or not a JSON object. */
function parsed(folder: string): Manifest | undefined {
  const text = readTextIfAny(manifestPath(folder), MOST_BYTES);
  try {
    const value = text === undefined ? undefined : JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Manifest) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * Checks paths before any of them is opened, because the manifest may come from anywhere.
 * @param isRead must every entry have a path?
 */
function checkPaths(folder: string, { shards, files }: Partial<Manifest>, isRead: boolean): void {
  const folders = new Set<string>();
  for (const listed of [shards ?? [], files ?? []].flat() as readonly unknown[]) {
    const path = (listed as Partial<ManifestFile> | null)?.path;
    if (path === undefined && !isRead) continue;
    if (typeof path !== 'string' || !INSIDE.test(path)) {
      const shown = JSON.stringify(path)?.slice(0, SHOWN_CHARACTERS);
      refuse(folder, `names ${shown}, which is not a file inside a dataset`);
    }
    for (let above = dirname(path); above !== '.'; above = dirname(above)) folders.add(above);
  }
  for (const name of folders) {
    if (lstatIfAny(join(folder, name))?.isSymbolicLink())
      refuse(folder, `names files in ${name}/, which is a symbolic link`);
  }
}

function refuse(folder: string, why: string): never {
  throw new TurnmillError('invalid-dataset', `${manifestPath(folder)} ${why}: nothing was opened`, {
    subject: folder,
  });
}

/**
 * Is there a manifest of this tool, in a schema that it knows?
 * @throws TurnmillError `permission`; `invalid-dataset` if the name belongs to something other than a regular file, or
 * to one that is far too long
 */
export function isDataset(folder: string): boolean {
  try {
    const text = readTextIfAny(manifestPath(folder), MOST_BYTES);
    const { schema, tool } = (text === undefined ? {} : JSON.parse(text)) as Partial<Manifest>;
    return Number.isInteger(schema) && (schema as number) <= SCHEMA_VERSION && tool?.name === TOOL_NAME;
  } catch (error) {
    const code = error instanceof TurnmillError ? error.code : undefined;
    if (code === 'permission' || code === 'invalid-dataset') throw error;
    return false;
  }
}
