/** Files in a dataset's folder that turnmill did not write: replacing the dataset must not delete them. */
import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import { sha256 } from '../sha256.ts';
import { lstatIfAny, makeLink, readBytesIfAny, readDirectory, readLinkIfAny } from './fs-calls.ts';
import { CARD, MANIFEST, RUN_FACTS } from './layout.ts';
import { readManifest } from './manifest.ts';
import type { Manifest } from './schema/manifest.ts';
import { writeWholeFile } from './whole-file.ts';

const MAX_CARD_BYTES = 16 * 1024 * 1024;

/** Yields the paths of files that the manifest does not list, without a card that can be taken along. */
export function* foreignFiles(root: string): Generator<string> {
  const own = new Set([MANIFEST, RUN_FACTS, ...listedIn(root)]);
  own.delete(CARD); // a pipe in its place is foreign
  const isOwn = (path: string, entry: Dirent): boolean =>
    own.has(path) || (path === CARD && (entry.isFile() || entry.isSymbolicLink()));
  const folders = [''];
  for (let folder = folders.pop(); folder !== undefined; folder = folders.pop()) {
    for (const entry of readDirectory(join(root, folder))) {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) folders.push(path);
      else if (!isOwn(path, entry)) yield path;
    }
  }
}

/** Whether the dataset has a card that the user wrote or changed: a file or a link. */
export function hasOwnCard(root: string): boolean {
  const path = join(root, CARD);
  const stats = lstatIfAny(path);
  if (stats === undefined) return false;
  const listed = readManifest(root).files?.find((file) => file.path === CARD);
  if (listed === undefined || !stats.isFile() || Number(stats.size) !== listed.bytes) return true;
  return sha256(readBytesIfAny(path, MAX_CARD_BYTES) ?? '') !== listed.sha256;
}

/** Copies the user's card from the dataset that is replaced, if it has one. */
export function takeCardAlong(from: string, to: string): void {
  if (!hasOwnCard(from)) return;
  const path = join(from, CARD);
  const stats = lstatIfAny(path);
  if (stats === undefined) return;
  const target = readLinkIfAny(path);
  // The new dataset lies in the same parent, so a relative target stays right.
  if (target !== undefined) makeLink(target, join(to, CARD));
  if (!stats.isFile()) return;
  const content = readBytesIfAny(path, MAX_CARD_BYTES);
  if (content !== undefined) writeWholeFile(join(to, CARD), content, Number(stats.mode) & 0o777);
}

function listedIn(root: string): readonly string[] {
  const { shards = [], files = [] }: Partial<Manifest> = readManifest(root);
  return [...shards, ...files].map(({ path }) => path);
}
