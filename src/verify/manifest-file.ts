/**
 * Reads manifest.json, which makes a folder a dataset. A missing manifest or an unknown schema ends the check; any other
 * damage to it is a problem.
 */
import { createHash } from 'node:crypto';
import { lstatSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type {
  Manifest,
  ManifestFile,
  ManifestShard,
  ManifestSlice,
  ManifestTotals,
} from '../dataset/schema/manifest.ts';
import type { LedgerSums } from '../dataset/schema/reports.ts';
import { io, ioError, TurnmillError } from '../errors.ts';
import { readOwnFile } from '../own-file.ts';
import { SCHEMA_VERSION } from '../version.ts';
import type { Problems } from './problems.ts';
import { asCount, asObject, asText, type JsonObject, type Untrusted } from './untrusted.ts';

export const MANIFEST = 'manifest.json';

/** A file that the manifest lists, with members of the right type. */
export type ListedFile = ManifestFile;
export type ListedShard = ManifestShard;

export interface ManifestFacts {
  readonly shards: readonly ListedShard[];
  readonly files: readonly ListedFile[];
  readonly settings: JsonObject;
  /** Names of the formats, in order. */
  readonly formats: readonly string[];
  readonly totals: Untrusted<ManifestTotals>;
  readonly ledger: Untrusted<LedgerSums>;
}

/**
 * The card, or a file in one of the four folders or in the folder of a format or split in data/. Such a path cannot lead
 * out of the dataset.
 */
const PATH =
  /^(?:README\.md|(?:data(?:\/[a-z][a-z0-9_-]*){0,2}|ledger|quarantine|reports)\/[A-Za-z0-9][A-Za-z0-9._-]*)$/;
/** Enough for a million shards. */
const MAX_BYTES = 256 * 1024 * 1024;
const SHA256 = /^[0-9a-f]{64}$/;
const VERSION = /^\d+\.\d+\.\d+(?:[-+][0-9A-Za-z.+-]+)?$/;
const MEMBERS = 'schema tool settings settings_sha256 shards files totals ledger';
/** Members of a dataset that was built with `--slice`. */
const MEMBERS_OF_SLICE = MEMBERS.replace('shards', 'slice shards');

/**
 * Reads and checks the manifest.
 * @throws TurnmillError `no-input` without a manifest, `invalid-dataset` if its schema is unknown or it names a file
 * outside the dataset
 */
export function readManifest(root: string, problems: Problems): ManifestFacts {
  const bytes = manifestBytes(join(root, MANIFEST));
  const manifest = parseManifest(bytes, root);
  checkPaths(manifest, root);
  const settings = asObject(manifest.settings) ?? {};
  const check = (what: string, expected: unknown, found: unknown): void =>
    problems.equal(MANIFEST, undefined, what, expected, found);
  const written = Buffer.from(pretty(manifest));
  if (!written.equals(bytes))
    problems.add(MANIFEST, 'its bytes differ from those of a manifest with these values');
  const { slice } = manifest;
  check('members', slice === undefined ? MEMBERS : MEMBERS_OF_SLICE, Object.keys(manifest).join(' '));
  if (slice !== undefined) checkSlice(asObject(slice) ?? {}, check);
  const tool = asObject(manifest.tool) ?? {};
  check('members of tool', 'name version', Object.keys(tool).join(' '));
  check('tool.version is a version', true, VERSION.test(String(tool.version)));
  check('settings_sha256', sha256(JSON.stringify(settings)), manifest.settings_sha256);
  return {
    shards: listed(manifest.shards, 'shards', problems, shardOf),
    files: listed(manifest.files, 'files', problems, fileOf),
    settings,
    formats: formatsOf(settings, problems),
    totals: asObject(manifest.totals) ?? {},
    ledger: asObject(manifest.ledger) ?? {},
  };
}

function checkSlice(
  slice: Untrusted<ManifestSlice>,
  check: (what: string, expected: unknown, found: unknown) => void,
): void {
  const { index, of, sources, listing_sha256 } = slice;
  check('members of slice', 'index of sources listing_sha256', Object.keys(slice).join(' '));
  const isNumbered = (asCount(index) ?? 0) >= 1 && (asCount(index) ?? 0) <= (asCount(of) ?? 0);
  check('slice.index is a number from 1 to slice.of', true, isNumbered);
  check('slice.sources is a number', true, asCount(sources) !== undefined);
  check('slice.listing_sha256 is a hash', true, SHA256.test(asText(listing_sha256) ?? ''));
}

/** Formats a value like the JSON files of a dataset that are not files of lines. */
export function pretty(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`;
}

function formatsOf({ format }: JsonObject, problems: Problems): readonly string[] {
  const names = Array.isArray(format) ? format.filter((name) => asText(name) !== undefined) : [];
  const each = new Set(names).size;
  const good = Array.isArray(format) && each > 0 && each === format.length;
  if (!good) problems.equal(MANIFEST, undefined, 'settings.format', 'a list of formats', format);
  return names;
}

function manifestBytes(path: string): Buffer {
  try {
    if (!lstatSync(path).isFile())
      throw new TurnmillError('invalid-dataset', `${path} is not a regular file`, { subject: path });
    return readOwnFile(path, MAX_BYTES);
  } catch (error) {
    if (error instanceof TurnmillError) throw error;
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw ioError('read', path, error);
    throw new TurnmillError('no-input', `no dataset found: ${path} is missing`, {
      subject: path,
      cause: error,
    });
  }
}

function parseManifest(bytes: Buffer, root: string): Untrusted<Manifest> {
  const invalid = (why: string): TurnmillError =>
    new TurnmillError('invalid-dataset', `${join(root, MANIFEST)} ${why}`, { subject: root });
  let value: unknown;
  try {
    value = JSON.parse(bytes.toString('utf8'));
  } catch {
    throw invalid('is not JSON');
  }
  const manifest = asObject(value);
  if (manifest === undefined) throw invalid('is not a JSON object');
  if (asObject(manifest.tool)?.name !== 'turnmill') throw invalid('is not a manifest of turnmill');
  const schema = asCount(manifest.schema) ?? 0;
  if (schema > SCHEMA_VERSION)
    throw invalid(
      `was written by a newer turnmill, schema ${schema}; this one reads up to ${SCHEMA_VERSION}: update turnmill`,
    );
  if (schema < 1) throw invalid('has no known schema');
  return manifest;
}

/** Throws for a path that leads out of the folder, before any path is opened: a manifest may come from anywhere. */
function checkPaths({ shards, files }: Untrusted<Manifest>, root: string): void {
  const items = [shards, files].flatMap((list) => (Array.isArray(list) ? list : []));
  const paths = items.map((item) => asObject(item)?.path).filter((path) => path !== undefined);
  const outside = paths.find((path) => !PATH.test(asText(path) ?? ''));
  if (outside !== undefined) {
    const shown = JSON.stringify(outside).slice(0, 200);
    throw unsafe(root, `names ${shown}, which is not a file inside a dataset`);
  }
  const folders = new Set(paths.map((path) => dirname(String(path))));
  for (const folder of new Set([...folders, ...[...folders].map((name) => name.replace(/\/.*/, ''))]))
    if (isLink(join(root, folder))) throw unsafe(root, `names files in ${folder}/, which is a symbolic link`);
}

const isLink = (path: string): boolean =>
  io('read', path, () => lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true);

function unsafe(root: string, why: string): TurnmillError {
  const text = `${join(root, MANIFEST)} ${why}: nothing was opened`;
  return new TurnmillError('invalid-dataset', text, { subject: root });
}

function listed<T extends ListedFile>(
  value: unknown,
  name: string,
  problems: Problems,
  read: (item: Untrusted<T>) => T | undefined,
): T[] {
  if (!Array.isArray(value)) problems.equal(MANIFEST, undefined, name, 'a list', value);
  const items: T[] = [];
  for (const [i, item] of (Array.isArray(value) ? value : []).entries()) {
    const good = read((asObject(item) ?? {}) as Untrusted<T>);
    const after = items.at(-1)?.path;
    if (good === undefined) problems.add(MANIFEST, `${name}[${i}] lacks a safe path, a count or a hash`);
    else if (after !== undefined && after >= good.path)
      problems.add(MANIFEST, `${name}[${i}]: ${good.path} is out of order`);
    else items.push(good);
  }
  return items;
}

function fileOf(item: Untrusted<ListedFile>): ListedFile | undefined {
  const path = asText(item.path) ?? '';
  const bytes = asCount(item.bytes);
  const hash = asText(item.sha256) ?? '';
  return PATH.test(path) && bytes !== undefined && SHA256.test(hash)
    ? { path, bytes, sha256: hash }
    : undefined;
}

function shardOf(item: Untrusted<ListedShard>): ListedShard | undefined {
  const file = fileOf(item);
  const group = asText(item.group);
  const records = asCount(item.records);
  return file && group !== undefined && records !== undefined ? { ...file, group, records } : undefined;
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
