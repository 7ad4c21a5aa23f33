/**
 * manifest.json: lists the files of a dataset, and makes its folder a dataset. It is written last and does not depend on
 * clock, host or path: the same input gives the same bytes.
 */

import { dirname, join } from 'node:path';
import { ifPossible, TurnmillError } from '../errors.ts';
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
 * Reads the manifest of a dataset. Throws `no-input` if the folder has none, `invalid-dataset` if it is damaged, was
 * written by a newer version, or names a file outside the dataset.
 */
export function readManifest(folder: string): Manifest {
  const text = readTextIfAny(manifestPath(folder), MAX_MANIFEST_BYTES);
  if (text === undefined) {
    const why = lstatIfAny(folder) === undefined ? 'there is no such folder' : 'it has no manifest.json';
    throw new TurnmillError('no-input', `no dataset found in ${folder}: ${why}`, { subject: folder });
  }
  const manifest = parseManifest(text);
  if (manifest === undefined) refuse(folder, 'is not a JSON object: the dataset is damaged');
  if (manifest.tool?.name !== TOOL_NAME) refuse(folder, 'is not a manifest of turnmill');
  checkSchema(folder, manifest);
  checkPaths(folder, manifest);
  return manifest;
}

/** Returns undefined if the text is not a JSON object. */
function parseManifest(text: string): Manifest | undefined {
  const value: unknown = ifPossible(() => JSON.parse(text));
  return typeof value === 'object' && value !== null ? (value as Manifest) : undefined;
}

function checkSchema(folder: string, { schema }: Manifest): void {
  if (schema > SCHEMA_VERSION)
    refuse(
      folder,
      `was written by a newer turnmill, schema ${schema}; this one reads up to ${SCHEMA_VERSION}: update turnmill`,
    );
}

/** Checks the paths before any of them is opened, because the manifest may come from anywhere. */
function checkPaths(folder: string, { shards, files }: Partial<Manifest>): void {
  const folders = new Set<string>();
  for (const listed of [shards ?? [], files ?? []].flat() as readonly unknown[]) {
    const path = (listed as Partial<ManifestFile> | null)?.path;
    if (typeof path !== 'string' || !INSIDE.test(path)) {
      const shown = JSON.stringify(path)?.slice(0, SHOWN_CHARACTERS);
      refuse(folder, `names ${shown}, which is not a file inside a dataset: nothing was opened`);
    }
    for (let above = dirname(path); above !== '.'; above = dirname(above)) folders.add(above);
  }
  for (const name of folders) {
    if (lstatIfAny(join(folder, name))?.isSymbolicLink())
      refuse(folder, `names files in ${name}/, which is a symbolic link: nothing was opened`);
  }
}

function refuse(folder: string, why: string): never {
  throw new TurnmillError('invalid-dataset', `${manifestPath(folder)} ${why}`, { subject: folder });
}

/**
 * Returns whether the folder has a manifest of this tool.
 * @throws TurnmillError `permission`, or `invalid-dataset` if manifest.json is not a regular file, is far too long or was
 * written by a newer version
 */
export function isDataset(folder: string): boolean {
  let text: string | undefined;
  try {
    text = readTextIfAny(manifestPath(folder), MAX_MANIFEST_BYTES);
  } catch (error) {
    const code = error instanceof TurnmillError ? error.code : undefined;
    if (code === 'permission' || code === 'invalid-dataset') throw error;
    return false;
  }
  const manifest = text === undefined ? undefined : parseManifest(text);
  if (manifest?.tool?.name !== TOOL_NAME || !Number.isInteger(manifest.schema)) return false;
  checkSchema(folder, manifest);
  return true;
}
