/**
 * Lists the sources of a run: named files, and the regular files with the names of logs in folders, in bytewise order of
 * their paths. Paths are handled as bytes in Latin-1 characters: they need not be UTF-8, and they compare bytewise.
 * Objects of a store, which were listed before, are sorted in.
 */
import { type BigIntStats, lstatSync, opendirSync, statSync } from 'node:fs';
import { ioError, TurnmillError } from '../../errors.ts';
import type { S3Options } from '../../object-store/options.ts';
import { objectUrl } from '../../object-store/url.ts';
import { CASSETTE } from '../framing/shape.ts';
import { isTypedHistory, logFoldersOf } from './beside-logs.ts';
import type { WhyLeftOut } from './chosen-files.ts';
import { deckSources } from './deck-files.ts';
import { firstBytes } from './first-bytes.ts';
import { byRelative, endOf, type Follow, type FoundLink } from './links.ts';
import { isLog } from './log-names.ts';
import type { ListedInput } from './objects.ts';
import { PassedOver } from './passed-over.ts';
import type { SkipReason } from './skip-reasons.ts';
import type { LeftOutReason, Listing, PassedOverReason, SkippedSource, SourceRef } from './source.ts';
import { compareSources, type FolderPlace, latin1, nameOf, SourceTable, systemPath } from './source-table.ts';
import type { Input } from './stream-source.ts';

const MARKDOWN_NAME = /\.(?:md|markdown)$/i;
const YAML_NAME = /\.ya?ml$/i;
const ALL_PERMISSIONS = 0o777;
const STDIN: Omit<SourceRef, 'input'> = { name: '-', path: undefined, sizeBytes: 0 };

interface Folder extends FolderPlace {
  readonly stats: BigIntStats;
  /** Whether it is in the home of a client, but not in one of the folders with logs. */
  readonly isBeside: boolean;
}

/** Listings of the inputs in object stores. */
export interface ListedObjects {
  readonly byInput: ReadonlyMap<Input, ListedInput>;
  readonly s3: S3Options;
}

/**
 * @param follow which symbolic links in folders to follow
 * @param whyLeftOut which of the files in folders not to read
 * @throws TurnmillError `no-input` if an input does not exist or is a dataset, `permission` if it may not be read
 */
export function listSources(
  inputs: readonly Input[],
  follow: Follow = 'none',
  objects?: ListedObjects,
  whyLeftOut: WhyLeftOut = () => undefined,
): Listing {
  return new SourceLister(inputs, follow, objects, whyLeftOut).list();
}

class SourceLister {
  readonly #inputs: readonly Input[];
  readonly #follow: Follow;
  readonly #objects: ListedObjects | undefined;
  readonly #whyLeftOut: WhyLeftOut;
  readonly #sources = new SourceTable();
  readonly #skipped: SkippedSource[] = [];
  /** Rows of sources that may be listed more than once. */
  readonly #repeatable = new Set<number>();
  /** Folders walked so far, if links are followed. */
  readonly #walked = new Set<string>();
  /** Folders still to walk; a list, because a tree may be deeper than the call stack. */
  readonly #folders: Folder[] = [];
  /** Links to follow after everything else was listed. */
  #links: FoundLink[] = [];
  readonly #passedOver = new PassedOver(compareSources);
  /** Logs that were not chosen. */
  readonly #leftOut = new SourceTable();
  readonly #places: FolderPlace[] = [];
  #mode: number | undefined;

  constructor(
    inputs: readonly Input[],
    follow: Follow,
    objects: ListedObjects | undefined,
    whyLeftOut: WhyLeftOut,
  ) {
    this.#inputs = inputs;
    this.#follow = follow;
    this.#objects = objects;
    this.#whyLeftOut = whyLeftOut;
  }

  list(): Listing {
    for (const [input, path] of this.#inputs.entries()) this.#addInput(path, input);
    this.#walk();
    this.#followLinks();
    this.#sortWithoutDuplicates();
    this.#leftOut.sort(() => true);
    return {
      sources: this.#sources,
      leftOut: this.#leftOut,
      skipped: [...this.#skipped, ...this.#passedOver.named()].sort(compareSources),
      passedOver: this.#passedOver.counts,
      extensions: this.#passedOver.extensions(),
      mode: this.#mode,
    };
  }

  #addInput(item: Input, input: number): void {
    const listed = this.#objects?.byInput.get(item);
    if (this.#objects !== undefined && listed !== undefined)
      this.#addObjects(listed, this.#objects.s3, input);
    else if (typeof item !== 'string')
      this.#sources.addSingle({ name: item.name, input, path: undefined, sizeBytes: 0, stream: item.stream });
    else if (item === '-') this.#sources.addSingle({ ...STDIN, input });
    else this.#addPath(item, input);
  }

  #addPath(name: string, input: number): void {
    const stats = statInput(name);
    const path = latin1(name);
    if (stats.isDirectory()) this.#folders.push({ input, path, relative: undefined, stats, isBeside: false });
    else if (stats.isFile()) this.#addNamed(input, name, stats);
    else {
      const message = `${name} is not a regular file; for a pipe, use - as the input`;
      throw new TurnmillError('no-input', message, { subject: name });
    }
  }

  /** Adds a file that the user named; for a deck in Markdown, the files of samples that it embeds. */
  #addNamed(input: number, name: string, stats: BigIntStats): void {
    const path = latin1(name);
    const embedded = MARKDOWN_NAME.test(name) ? deckSources(name) : [];
    if (embedded.length === 0) this.#addFile(input, path, path.slice(path.lastIndexOf('/') + 1), stats);
    for (const one of embedded) this.#addFile(input, latin1(one.path), latin1(one.name), statInput(one.path));
  }

  #addObjects({ prefix, isOne, objects }: ListedInput, s3: S3Options, input: number): void {
    for (const { bucket, key, etag, sizeBytes, modifiedMs } of objects) {
      const relative = latin1(key.slice(prefix.length));
      if (!isOne && this.#isNotRead(input, relative, isLog(relative), modifiedMs)) continue;
      const path = latin1(objectUrl({ bucket, key }));
      const row = this.#sources.addSingle({ ...nameOf(relative), input, path, sizeBytes, etag, s3 });
      if (this.#inputs.length > 1) this.#repeatable.add(row);
    }
  }

  /** Walks the folders in `#folders`, and those in them. */
  #walk(): void {
    for (let folder = this.#folders.pop(); folder !== undefined; folder = this.#folders.pop()) {
      const { input, path, relative, stats } = folder;
      if (this.#follow !== 'none') this.#walked.add(inodeOf(stats));
      const names = this.#namesOf(folder);
      const logs = logFoldersOf(path, names);
      if (logs?.length === 0 && relative === undefined) refuseDataset(this.#inputs[input] as string);
      const place: FolderPlace = { input, path, relative };
      for (const name of names) {
        const isBeside = folder.isBeside || (logs !== undefined && !logs.includes(name));
        this.#addEntry(place, name, isBeside);
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

  #addEntry(place: FolderPlace, name: string, isBeside: boolean): void {
    const { input } = place;
    const path = `${place.path}/${name}`;
    const relative = place.relative === undefined ? name : `${place.relative}/${name}`;
    let stats: BigIntStats;
    try {
      stats = lstatSync(systemPath(path), { bigint: true });
    } catch (error) {
      const gone = (error as NodeJS.ErrnoException).code === 'ENOENT';
      this.#skip(input, relative, gone ? 'vanished' : 'unreadable');
      return;
    }
    if (stats.isSymbolicLink() && this.#follow !== 'none' && !isBeside)
      this.#links.push({ input, path, relative });
    else if (stats.isFile() && !isBeside && this.#isWanted(path, relative, stats))
      this.#count(this.#sources.addFile(place, name, stats), stats);
    else this.#addFound(input, path, relative, stats, isBeside);
  }

  #addFound(input: number, path: string, relative: string, stats: BigIntStats, isBeside = false): void {
    if (stats.isDirectory()) this.#folders.push({ input, path, relative, stats, isBeside });
    else if (this.#isNotRead(input, relative, !isBeside && isNamed(path, relative, stats), stats.mtimeMs))
      return;
    else if (stats.isSymbolicLink()) this.#skip(input, relative, 'symlink');
    else if (!stats.isFile()) this.#skip(input, relative, 'not-regular');
    else this.#addFile(input, path, relative, stats);
  }

  #isWanted(path: string, relative: string, stats: BigIntStats): boolean {
    return isNamed(path, relative, stats) && this.#whyLeftOut(relative, stats.mtimeMs) === undefined;
  }

  /** Adds a file that the user named, or that a link leads to. */
  #addFile(input: number, path: string, relative: string, stats: BigIntStats): void {
    const { size, ctimeNs, dev, ino } = stats;
    const source = { ...nameOf(relative), input, path, sizeBytes: Number(size), ctimeNs, dev, ino };
    this.#count(this.#sources.addSingle(source), stats);
  }

  #count(row: number, { mode, nlink }: BigIntStats): void {
    this.#mode = (this.#mode ?? ALL_PERMISSIONS) & Number(mode);
    // a file can appear twice only through links or several inputs
    if (nlink > 1n || this.#inputs.length > 1 || this.#follow !== 'none') this.#repeatable.add(row);
  }

  /**
   * Follows the links in the order of their names, and then those found on the way. A link to a folder that has been
   * walked is not followed, so circles end.
   */
  #followLinks(): void {
    for (let links = this.#links; links.length > 0; links = this.#links) {
      this.#links = [];
      for (const link of links.sort(byRelative)) this.#followLink(link);
    }
  }

  #followLink(link: FoundLink): void {
    const end = endOf(link, this.#inputs[link.input] as string, this.#follow);
    const isWalked = end?.stats.isDirectory() === true && this.#walked.has(inodeOf(end.stats));
    if (end !== undefined && !isWalked) {
      this.#addFound(link.input, end.path, link.relative, end.stats);
      this.#walk();
    } else if (isLog(link.relative)) this.#skip(link.input, link.relative, 'symlink');
    else this.#passOver(link.input, link.relative, 'excluded');
  }

  /** Sorts the sources, and keeps only the first of several entries for one file. */
  #sortWithoutDuplicates(): void {
    const seen = new Set<string>();
    this.#sources.sort((row) => {
      if (!this.#repeatable.has(row)) return true;
      const file = this.#sources.fileAt(row);
      const isFirst = !seen.has(file);
      seen.add(file);
      if (!isFirst) this.#skipped.push({ ...this.#sources.namedAt(row), reason: 'duplicate-inode' });
      return isFirst;
    });
  }

  #skip(input: number, relative: string, reason: SkipReason): void {
    this.#skipped.push({ ...nameOf(relative), input, reason });
  }

  /** Passes a file over that is not a log or that an option leaves out, and returns whether it is one. */
  #isNotRead(input: number, relative: string, isNamed: boolean, modifiedMs: number | bigint): boolean {
    const leftOut = isNamed ? this.#whyLeftOut(relative, modifiedMs) : undefined;
    if (leftOut !== undefined) this.#leaveOut(input, relative, leftOut);
    else if (!isNamed) this.#passOver(input, relative, 'excluded');
    return leftOut !== undefined || !isNamed;
  }

  #leaveOut(input: number, relative: string, reason: LeftOutReason): void {
    this.#places[input] ??= { input, path: '', relative: undefined };
    this.#leftOut.addFile(this.#places[input], relative, NO_FACTS);
    this.#passOver(input, relative, reason);
  }

  #passOver(input: number, relative: string, reason: PassedOverReason): void {
    this.#passedOver.add({ ...nameOf(relative), input, reason });
  }
}

function refuseDataset(name: string): never {
  const message = `${name} is a dataset, not a folder of logs; to read its records as logs, name ${name}/data`;
  throw new TurnmillError('no-input', message, { subject: name });
}

const NO_FACTS = { size: 0n, ctimeNs: 0n, dev: 0n, ino: 0n };
const HEAD_BYTES = 64;

/** Is it a log by its name, or a cassette? */
const isNamed = (path: string, relative: string, stats: BigIntStats): boolean =>
  isLog(relative) ? !isTypedHistory(path) : stats.isFile() && isCassette(path);

/** Is it a cassette of recorded HTTP in YAML? Other YAML files are not logs. */
function isCassette(path: string): boolean {
  return YAML_NAME.test(path) && CASSETTE.test(firstBytes(path, HEAD_BYTES) ?? '');
}

const inodeOf = ({ dev, ino }: BigIntStats): string => `${dev}:${ino}`;

const NAMES_AT_ONCE = 512;

function namesIn(folder: string): string[] {
  const path = Buffer.from(folder, 'latin1') as unknown as string; // opendir takes a Buffer, but its type omits it
  const directory = opendirSync(path, { encoding: 'latin1', bufferSize: NAMES_AT_ONCE });
  const names: string[] = [];
  try {
    for (let entry = directory.readSync(); entry !== null; entry = directory.readSync())
      names.push(entry.name);
  } finally {
    directory.closeSync();
  }
  return names.sort(); // the sources are then almost sorted
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
