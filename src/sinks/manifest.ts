/**
 * manifest.json: what a dataset holds, and the only thing that makes a folder one. It is written last, and nothing in
 * it depends on clock, host or path: the same input gives the same bytes (conversion.md §8).
 */
import { join } from 'node:path';
import { TurnmillError } from '../errors.ts';
import { SCHEMA_VERSION } from '../version.ts';
import { readTextIfAny } from './fs-calls.ts';
import { prettyJson } from './whole-file.ts';

const MANIFEST_NAME = 'manifest.json';
const TOOL_NAME = 'turnmill';
/** A million shards. */
const MOST_BYTES = 256 * 1024 * 1024;

export interface ManifestShard {
  readonly path: string;
  readonly group: string;
  readonly records: number;
  readonly bytes: number;
  readonly sha256: string;
}

/** Of ledger, quarantine and reports. */
export interface ManifestFile {
  readonly path: string;
  readonly bytes: number;
  readonly sha256: string;
}

/** What the run says about itself: plain JSON values, nothing volatile. */
export interface ManifestBody {
  readonly tool: { readonly name: string; readonly version: string };
  readonly settings: object;
  readonly settings_sha256: string;
  readonly totals: object;
  /** The ledger's sums. */
  readonly ledger: object;
}

export interface Manifest extends ManifestBody {
  readonly schema: number;
  /** Sorted by path, bytewise, as are the files. */
  readonly shards: readonly ManifestShard[];
  readonly files: readonly ManifestFile[];
}

/** With its members in the order of the file. */
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

export function manifestPath(folder: string): string {
  return join(folder, MANIFEST_NAME);
}

/** The manifest of a dataset. Throws `invalid-dataset` when it is none. */
export function readManifest(folder: string): Manifest {
  const text = readTextIfAny(manifestPath(folder), MOST_BYTES);
  try {
    if (text !== undefined) return JSON.parse(text) as Manifest;
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new TurnmillError('invalid-dataset', `${folder} has no manifest that can be read`, {
    subject: folder,
  });
}

/**
 * Is there a manifest of this tool, in a schema that it knows?
 * @throws TurnmillError `permission`; `invalid-dataset` when something that is no regular file, or is far too long, has its name
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
