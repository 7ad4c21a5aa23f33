/** Files in a dataset's folder that turnmill did not write: replacing the dataset must not delete them. */
import type { Dirent } from 'node:fs';
import { join } from 'node:path';
import { lstatIfAny, makeLink, readBytesIfAny, readDirectory, readLinkIfAny } from './fs-calls.ts';
import { MANIFEST, RUN_FACTS } from './layout.ts';
import { readManifest } from './manifest.ts';
import type { Manifest } from './schema/manifest.ts';
import { writeWholeFile } from './whole-file.ts';

/** The card of a dataset: a user's own is taken along when the dataset is replaced. */
const CARD = 'README.md';
const MAX_CARD_BYTES = 16 * 1024 * 1024;

/** Yields the paths of files that the manifest does not list, without a card that can be taken along. */
export function* foreignFiles(root: string): Generator<string> {
  const own = new Set([MANIFEST, RUN_FACTS, ...listedIn(root)]);
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

/** Copies the user's card, a file or a link, from the dataset that is replaced, if it has one. */
export function takeCardAlong(from: string, to: string): void {
  const path = join(from, CARD);
  const stats = lstatIfAny(path);
  if (stats === undefined || listedIn(from).includes(CARD)) return;
  const target = readLinkIfAny(path);
  // The new dataset lies in the same parent, so a relative target stays right.
  if (target !== undefined) makeLink(target, join(to, CARD));
  if (!stats.isFile()) return;
  const content = readBytesIfAny(path, MAX_CARD_BYTES);
  if (content !== undefined) writeWholeFile(join(to, CARD), content, { mode: Number(stats.mode) & 0o777 });
}

function listedIn(root: string): readonly string[] {
  const { shards = [], files = [] }: Partial<Manifest> = readManifest(root);
  return [...shards, ...files].map(({ path }) => path);
}
