/**
 * Lists the sources of a run: files as named, folders recursively, regular files only, in bytewise order of their
 * paths. Paths are handled as bytes in Latin-1 characters: they need not be UTF-8, they compare bytewise, and a million
 * of them take little room. Objects of a store, listed before, are sorted in.
 */
import { type BigIntStats, lstatSync, opendirSync, statSync } from 'node:fs';
import { ioError, TurnmillError } from '../../errors.ts';
import type { S3Options } from '../../object-store/options.ts';
import { objectUrl } from '../../object-store/url.ts';
import { isBesideLogs, logFoldersOf } from './beside-logs.ts';
import { byRelative, endOf, type Follow, type FoundLink } from './links.ts';
import type { ListedInput } from './objects.ts';
import { PassedOver } from './passed-over.ts';
import type { Listing, SkippedSource, SkipReason, SourceRef } from './source.ts';
import type { Input } from './stream-source.ts';

/** Names of logs, and of rotated ones: a.jsonl.1, a.log.2.gz, a.log-20260113, a.jsonl.2026-01-13.zst. */
const LOG_NAME = /\.(?:jsonl|ndjson|json|toml|traj|har|log|sse)(?:[.-]\d+)*(?:\.(?:gz|zst))?$/i;
const isLog = (relative: string): boolean => LOG_NAME.test(relative) && !isBesideLogs(relative);
const ALL_PERMISSIONS = 0o777;
const STDIN: Omit<SourceRef, 'input'> = { name: '-', path: undefined, sizeBytes: 0 };

interface Folder {
  readonly input: number;
  readonly path: string;
  /** Undefined for the input itself. */
  readonly relative: string | undefined;
  readonly stats: BigIntStats;
  /** Is it in the home of a client, but not in one of the folders with logs? */
  readonly isBeside: boolean;
}

/** Inputs in object stores, and their listings. */
export interface ListedObjects {
  readonly found: ReadonlyMap<Input, ListedInput>;
  readonly s3: S3Options;
}

/**
 * @param follow which symbolic links in folders to follow
 * @throws TurnmillError `no-input` if an input does not exist, `permission` if it may not be read
 */
export function listSources(
  inputs: readonly Input[],
  follow: Follow = 'none',
  objects?: ListedObjects,
): Listing {
  return new SourceLister(inputs, follow, objects).list();
}

class SourceLister {
  readonly #inputs: readonly Input[];
  readonly #follow: Follow;
  readonly #objects: ListedObjects | undefined;
  readonly #sources: SourceRef[] = [];
  readonly #skipped: SkippedSource[] = [];
  readonly #inodes = new Map<SourceRef, string>();
  /** Folders walked so far, if links are followed. */
  readonly #walked = new Set<string>();
  /** Folders still to walk, as a list: a tree may be deeper than a call stack. */
  readonly #folders: Folder[] = [];
  /** Links to follow once everything else is listed. */
  #links: FoundLink[] = [];
  readonly #passedOver = new PassedOver(compareSources);
  #mode: number | undefined;
  /** Device of the previous file, shared because almost all files are on one. */
  #device: bigint | undefined;

  constructor(inputs: readonly Input[], follow: Follow, objects: ListedObjects | undefined) {
    this.#inputs = inputs;
    this.#follow = follow;
    this.#objects = objects;
  }

  list(): Listing {
    for (const [input, path] of this.#inputs.entries()) this.#addInput(path, input);
    this.#walk();
    this.#followLinks();
    sortSources(this.#sources);
    const sources = this.#withoutSeconds();
    return {
      sources,
      skipped: [...this.#skipped, ...this.#passedOver.named()].sort(compareSources),
      excluded: this.#passedOver.count,
      extensions: this.#passedOver.extensions(),
      mode: this.#mode,
    };
  }

  #addInput(item: Input, input: number): void {
    const listed = this.#objects?.found.get(item);
    if (this.#objects !== undefined && listed !== undefined)
      this.#addObjects(listed, this.#objects.s3, input);
    else if (typeof item !== 'string')
      this.#sources.push({ name: item.name, input, path: undefined, sizeBytes: 0, stream: item.stream });
    else if (item === '-') this.#sources.push({ ...STDIN, input });
    else this.#addPath(item, input);
  }

  #addPath(name: string, input: number): void {
    const stats = statInput(name);
    const path = latin1(name);
    if (stats.isDirectory()) this.#folders.push({ input, path, relative: undefined, stats, isBeside: false });
    else if (stats.isFile()) this.#addFile(input, path, path.slice(path.lastIndexOf('/') + 1), stats);
    else {
      const message = `${name} is not a regular file; for a pipe, use - as the input`;
      throw new TurnmillError('no-input', message, { subject: name });
    }
  }

  #addObjects({ prefix, isOne, objects }: ListedInput, s3: S3Options, input: number): void {
    for (const { bucket, key, etag, sizeBytes } of objects) {
      const relative = latin1(key.slice(prefix.length));
      if (!isOne && !isLog(relative)) {
        this.#passOver(input, relative);
        continue;
      }
      const path = latin1(objectUrl({ bucket, key }));
      const source = { ...nameOf(relative), input, path, sizeBytes, etag, s3 };
      this.#sources.push(source);
      if (this.#inputs.length > 1) this.#inodes.set(source, path);
    }
  }

  /** Walks the folders found so far, and those in them. */
  #walk(): void {
    for (let folder = this.#folders.pop(); folder !== undefined; folder = this.#folders.pop()) {
      const { input, path, relative, stats } = folder;
      if (this.#follow !== 'none') this.#walked.add(inodeOf(stats));
      const names = this.#namesOf(folder);
      const logs = logFoldersOf(path, names);
      for (const name of names) {
        const isBeside = folder.isBeside || (logs !== undefined && !logs.includes(name));
        const below = relative === undefined ? name : `${relative}/${name}`;
        this.#addEntry(input, `${path}/${name}`, below, isBeside);
      }
    }
  }

  #namesOf({ input, path, relative }: Folder): readonly string[] {
    try {
      return namesIn(path);
    } catch (error) {
      if (relative === undefined) throw ioError('read the folder', this.#inputs[input] as string, error);
      this.#skip(input, relative, 'unreadable');
      return [];
    }
  }

  #addEntry(input: number, path: string, relative: string, isBeside: boolean): void {
    let stats: BigIntStats;
    try {
      stats = lstatSync(isAscii(path) ? path : Buffer.from(path, 'latin1'), { bigint: true });
    } catch (error) {
      const gone = (error as NodeJS.ErrnoException).code === 'ENOENT';
      this.#skip(input, relative, gone ? 'vanished' : 'unreadable');
      return;
    }
    if (stats.isSymbolicLink() && this.#follow !== 'none' && !isBeside)
      this.#links.push({ input, path, relative });
    else this.#addFound(input, path, relative, stats, isBeside);
  }

  #addFound(input: number, path: string, relative: string, stats: BigIntStats, isBeside = false): void {
    if (stats.isDirectory()) this.#folders.push({ input, path, relative, stats, isBeside });
    else if (isBeside || !isLog(relative)) this.#passOver(input, relative);
    else if (stats.isSymbolicLink()) this.#skip(input, relative, 'symlink');
    else if (!stats.isFile()) this.#skip(input, relative, 'not-regular');
    else this.#addFile(input, path, relative, stats);
  }

  #addFile(input: number, path: string, relative: string, stats: BigIntStats): void {
    if (this.#device !== stats.dev) this.#device = stats.dev;
    const source = sourceOf(input, path, relative, this.#device, stats);
    this.#sources.push(source);
    this.#mode = (this.#mode ?? ALL_PERMISSIONS) & Number(stats.mode);
    // a file can appear twice only through links or several inputs
    if (stats.nlink > 1n || this.#inputs.length > 1 || this.#follow !== 'none')
      this.#inodes.set(source, inodeOf(stats));
  }

  /**
   * Follows the links found, sorted by name, and those found on the way. A link to a folder that has been walked is not
   * followed, so circles end.
   */
  #followLinks(): void {
    for (let found = this.#links; found.length > 0; found = this.#links) {
      this.#links = [];
      for (const link of found.sort(byRelative)) this.#followLink(link);
    }
  }

  #followLink(link: FoundLink): void {
    const end = endOf(link, this.#inputs[link.input] as string, this.#follow);
    const isWalked = end?.stats.isDirectory() === true && this.#walked.has(inodeOf(end.stats));
    if (end !== undefined && !isWalked) {
      this.#addFound(link.input, end.path, link.relative, end.stats);
      this.#walk();
    } else if (isLog(link.relative)) this.#skip(link.input, link.relative, 'symlink');
    else this.#passOver(link.input, link.relative);
  }

  /** Keeps the first of several entries for one file: the first in sorting order, whatever the order of the folders. */
  #withoutSeconds(): SourceRef[] {
    if (this.#inodes.size === 0) return this.#sources;
    const seen = new Set<string>();
    return this.#sources.filter((source) => {
      const inode = this.#inodes.get(source);
      if (inode === undefined) return true;
      const isFirst = !seen.has(inode);
      seen.add(inode);
      const { name, nameBase64, input } = source;
      if (!isFirst)
        this.#skipped.push({ name, ...(nameBase64 && { nameBase64 }), input, reason: 'duplicate-inode' });
      return isFirst;
    });
  }

  #skip(input: number, relative: string, reason: SkipReason): void {
    this.#skipped.push({ ...nameOf(relative), input, reason });
  }

  #passOver(input: number, relative: string): void {
    this.#passedOver.add({ ...nameOf(relative), input, reason: 'excluded' });
  }
}

const latin1 = (text: string): string => (isAscii(text) ? text : Buffer.from(text).toString('latin1'));

const inodeOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;

type Named = Pick<SourceRef, 'name' | 'nameBase64' | 'input'>;

/** Sorts the sources. Names in ASCII, as most are, can be compared directly. */
function sortSources(sources: SourceRef[]): void {
  const isPlain = sources.every(({ name, nameBase64 }) => nameBase64 === undefined && isAscii(name));
  sources.sort(isPlain ? byName : compareSources);
}

/** Compares sources bytewise: a name that is not UTF-8 compares by its bytes too. */
export const compareSources: (a: Named, b: Named) => number = by(bytesOf);

function byName(a: Named, b: Named): number {
  if (a.name === b.name) return a.input - b.input;
  return a.name < b.name ? -1 : 1;
}

function by(keyOf: (source: Named) => string): (a: Named, b: Named) => number {
  return (a, b) => {
    const left = keyOf(a);
    const right = keyOf(b);
    if (left === right) return a.input - b.input;
    return left < right ? -1 : 1;
  };
}

function bytesOf({ name, nameBase64 }: Named): string {
  if (nameBase64 !== undefined) return Buffer.from(nameBase64, 'base64').toString('latin1');
  return isAscii(name) ? name : Buffer.from(name).toString('latin1');
}

const isAscii = (text: string): boolean => !NOT_ASCII.test(text);
const NOT_ASCII = /[^\0-\x7f]/;

function nameOf(relative: string): { name: string; nameBase64?: string } {
  if (isAscii(relative)) return { name: relative };
  const bytes = Buffer.from(relative, 'latin1');
  const name = bytes.toString('utf8');
  return Buffer.from(name).equals(bytes) ? { name } : { name, nameBase64: bytes.toString('base64') };
}

/**
 * Takes as little memory as possible: an object literal, since objects put together with spreads have a shape of 200
 * bytes each, and a name that is a slice of the path if possible.
 */
function sourceOf(
  input: number,
  path: string,
  relative: string,
  dev: bigint,
  { size, ino, ctimeNs }: BigIntStats,
): SourceRef {
  const sizeBytes = Number(size);
  const below = path.endsWith(relative) ? path.slice(-relative.length) : relative;
  const { name, nameBase64 } = nameOf(below);
  return nameBase64 === undefined
    ? { name, input, path, sizeBytes, ctimeNs, dev, ino }
    : { name, nameBase64, input, path, sizeBytes, ctimeNs, dev, ino };
}

const NAMES_AT_ONCE = 512;

function namesIn(folder: string): string[] {
  const path = Buffer.from(folder, 'latin1') as unknown as string; // opendir takes a Buffer; its type omits it
  const directory = opendirSync(path, { encoding: 'latin1', bufferSize: NAMES_AT_ONCE });
  const names: string[] = [];
  try {
    for (let entry = directory.readSync(); entry !== null; entry = directory.readSync())
      names.push(entry.name);
  } finally {
    directory.closeSync();
  }
  return names.sort(); // sorting all sources then only has to compare neighbours
}

function statInput(path: string): BigIntStats {
  try {
    return statSync(path, { bigint: true });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw ioError('read', path, error);
    throw new TurnmillError('no-input', `${path} not found`, { subject: path, cause: error });
  }
}
