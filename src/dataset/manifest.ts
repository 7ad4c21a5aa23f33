/**
 * manifest.json: lists the files of a dataset, and makes its folder a dataset. It is written last and does not depend on
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
/**
 * The card, or a file in one of the four folders or in the folder of a format or split in data/. Such a path cannot lead
 * out of the dataset.
 */
const INSIDE =
  /^(?:README\.md|(?:data(?:\/[a-z][a-z0-9_-]*){0,2}|ledger|quarantine|reports)\/[A-Za-z0-9][A-Za-z0-9._-]*)$/;
const SHOWN_CHARACTERS = 200;
/** Enough for a million shards. */
export const MAX_MANIFEST_BYTES: number = 256 * 1024 * 1024;

/** The manifest without its lists: plain JSON values that do not vary between runs. */
export type ManifestBody = Omit<Manifest, 'schema' | 'shards' | 'files'>;

/** Creates the manifest, with its members in the order of the file. */
export function createManifest(
  body: ManifestBody,
  shards: readonly ManifestShard[],
  files: readonly ManifestFile[],
): Manifest {
  const { tool, settings, settings_sha256, slice, totals, ledger } = body;
  const about = { schema: SCHEMA_VERSION, tool, settings, settings_sha256, ...(slice && { slice }) };
  return { ...about, shards, files, totals, ledger };
}

export function manifestText(manifest: Manifest): string {
  return prettyJson(manifest);
}

/**
 * Reads the manifest of a dataset. Throws `no-input` if there is no such folder, `invalid-dataset` if it has no manifest or
 * one that names a file outside the dataset.
 */
export function readManifest(folder: string): Manifest {
  const manifest = parseManifest(folder);
  if (manifest === undefined) {
    const [code, why] =
      lstatIfAny(folder) !== undefined
        ? (['invalid-dataset', 'its manifest.json is missing or damaged'] as const)
        : (['no-input', 'there is no such folder'] as const);
    throw new TurnmillError(code, `no dataset found in ${folder}: ${why}`, { subject: folder });
  }
  checkPaths(folder, manifest, true);
  return manifest;
}

/** Throws `invalid-dataset` if the folder's manifest names a file outside the dataset; undefined if it has none. */
export function checkManifest(folder: string): Manifest | undefined {
  const manifest = parseManifest(folder);
  if (manifest !== undefined) checkPaths(folder, manifest, false);
  return manifest;
}

/** Returns undefined if the file is missing or not a JSON object. */
function parseManifest(folder: string): Manifest | undefined {
  const text = readTextIfAny(manifestPath(folder), MAX_MANIFEST_BYTES);
  try {
    const value = text === undefined ? undefined : JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Manifest) : undefined;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/**
 * Checks the paths before any of them is opened, because the manifest may come from anywhere.
 * @param requirePaths whether an entry without a path is an error
 */
function checkPaths(folder: string, { shards, files }: Partial<Manifest>, requirePaths: boolean): void {
  const folders = new Set<string>();
  for (const listed of [shards ?? [], files ?? []].flat() as readonly unknown[]) {
    const path = (listed as Partial<ManifestFile> | null)?.path;
    if (path === undefined && !requirePaths) continue;
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
 * Returns whether the folder has a manifest of this tool, in a version that it can read.
 * @throws TurnmillError `permission`, or `invalid-dataset` if manifest.json is not a regular file or is far too long
 */
export function isDataset(folder: string): boolean {
  try {
    const text = readTextIfAny(manifestPath(folder), MAX_MANIFEST_BYTES);
    const { schema, tool } = (text === undefined ? {} : JSON.parse(text)) as Partial<Manifest>;
    return Number.isInteger(schema) && (schema as number) <= SCHEMA_VERSION && tool?.name === TOOL_NAME;
  } catch (error) {
    const code = error instanceof TurnmillError ? error.code : undefined;
    if (code === 'permission' || code === 'invalid-dataset') throw error;
    return false;
  }
}
