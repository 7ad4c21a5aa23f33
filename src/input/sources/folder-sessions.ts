/**
 * Sessions that are folders: the files of a folder become one source, in the order of the numbers in their names.
 * OpenHands writes one file per event, recognised by its name; `--session-by folder` joins the files of every folder.
 * The files of a batch, requests and answers, become one source too.
 */
import { basename, resolve } from 'node:path';
import { batchesIn, mayBeBatchFile } from './batch-files.ts';
import type { Listing, SourceRef } from './source.ts';
import { compareSources } from './source-table.ts';

/** A file with one event: `event-00012-0f3e.json`, or `12.json` in a folder `events`. */
const EVENT_FILE = /(?:^|\/)(?:event-\d+(?:-[\w-]+)?|events\/\d+)\.json(?:\.(?:gz|zst))?$/;
/** A quick first test for event files: few logs are single documents. */
const DOCUMENT = /\.json(?:\.|$)/;
const EXTENSION = /\.[a-z]+(?:\.(?:gz|zst))?$/i;
const DIGITS = /(\d+)/;

/** How sources become sessions; undefined for by file, with event files by folder. */
export type FolderSessions = 'file' | 'id' | 'run' | 'folder' | undefined;

/** A folder that is an input. */
interface Root {
  readonly name: string;
  /** Bytes as Latin-1 characters, as in `SourceRef.path`. */
  readonly path: string;
}

const rootOf = (input: unknown): Root | undefined =>
  typeof input === 'string'
    ? { name: basename(resolve(input)), path: Buffer.from(input).toString('latin1') }
    : undefined;

const isEventFile = ({ name }: SourceRef, root: Root): boolean =>
  DOCUMENT.test(name) && EVENT_FILE.test(`${root.name}/${name}`);

/** Returns the folder of a file below the input; for a file directly in the input, the name of the input. */
function folderOf({ name }: SourceRef, root: Root): string {
  const end = name.lastIndexOf('/');
  return end < 0 ? root.name : name.slice(0, end);
}

/** Joins the files of folders that are sessions, and those of batches. */
export function joinFolders(
  listing: Listing,
  inputs: readonly unknown[],
  sessionBy: FolderSessions,
): Listing {
  if (sessionBy !== undefined && sessionBy !== 'folder') return listing;
  const folders = new Map<string, SourceRef[]>();
  const others = new Map<string, SourceRef[]>();
  const roots = inputs.map(rootOf);
  /** Index of each file in the maps above. */
  const indexes = new Map<SourceRef, number>();
  let index = -1;
  for (const ref of listing.sources) {
    index++;
    const root = roots[ref.input];
    if (root === undefined || !isBelow(ref, root)) continue;
    const isPart = sessionBy === 'folder' || isEventFile(ref, root);
    if (!isPart && !mayBeBatchFile(ref)) continue;
    indexes.set(ref, index);
    addTo(isPart ? folders : others, ref, root);
  }
  const joined = [...folders].map(([key, parts]) => folderSource(nameIn(key), parts));
  const taken = new Set([...folders.values()].flat().map((ref) => indexes.get(ref)));
  for (const [key, files] of others) {
    const batches = files.length > 1 ? batchesIn(files) : [];
    for (const parts of batches)
      joined.push(folderSource(batches.length === 1 ? nameIn(key) : nameOfBatch(parts), parts));
    for (const ref of batches.flat()) taken.add(indexes.get(ref));
  }
  if (joined.length === 0) return listing;
  const rest = [...listing.sources].filter((_, i) => !taken.has(i));
  return { ...listing, sources: [...rest, ...joined].sort(compareSources) };
}

const nameIn = (key: string): string => key.slice(key.indexOf('/') + 1);

/** One of several batches in a folder is named after its first file, which is no longer a source itself. */
const nameOfBatch = ([first]: readonly SourceRef[]): string =>
  (first as SourceRef).name.replace(EXTENSION, '');

function addTo(folders: Map<string, SourceRef[]>, ref: SourceRef, root: Root): void {
  const key = `${ref.input}/${folderOf(ref, root)}`;
  const parts = folders.get(key) ?? [];
  folders.set(key, parts);
  parts.push(ref);
}

/** Returns whether the source is below the input; an input that is a file is not. */
function isBelow({ nameBase64, path }: SourceRef, root: Root): boolean {
  return path !== undefined && nameBase64 === undefined && path !== root.path;
}

/** Joins files to one source, with a line feed between them. */
function folderSource(name: string, unsorted: readonly SourceRef[]): SourceRef {
  const parts = unsorted.toSorted((a, b) => byNumbers(a.name, b.name));
  const [first] = parts as [SourceRef];
  const path = (first.path as string).slice(0, -(Buffer.byteLength(basename(first.name)) + 1));
  const sizeBytes = parts.reduce((sum, part) => sum + part.sizeBytes, parts.length - 1);
  return { name, input: first.input, path, sizeBytes, parts };
}

/** Sorts `2.json` before `10.json`. */
function byNumbers(a: string, b: string): number {
  const [left, right] = [a.split(DIGITS), b.split(DIGITS)];
  for (const [i, piece] of left.entries()) {
    const other = right[i];
    if (other === undefined) return 1;
    if (piece === other) continue;
    const numbers = i % 2 === 1 ? Number(piece) - Number(other) : 0;
    if (numbers !== 0) return numbers;
    return piece < other ? -1 : 1;
  }
  return left.length - right.length;
}
