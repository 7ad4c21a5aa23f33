/**
 * Lists the sources of a run: files as they are given, folders recursively, regular files only, in bytewise order of
 * their paths (conversion.md §8). Paths are bytes: a name that is not UTF-8 is a file like any other.
 */
import { type BigIntStats, type Dirent, lstatSync, opendirSync, statSync } from 'node:fs';
import { ioError, TurnmillError } from '../errors.ts';
import type { Listing, SkippedSource, SkipReason, SourceRef } from './source.ts';

const LOG_NAME = /\.(?:jsonl|ndjson|json)(?:\.gz)?$/i;
const SLASH = Buffer.from('/');
const STDIN: Omit<SourceRef, 'input'> = { name: '-', path: undefined, sizeBytes: 0 };

interface Found {
  readonly source?: SourceRef;
  readonly skipped?: SkippedSource;
  readonly order: Buffer;
}

/** @throws TurnmillError `no-input` when an input does not exist, `permission` when it may not be read */
export function listSources(inputs: readonly string[]): Listing {
  const found: Found[] = [];
  const seen = new Set<string>();
  let excluded = 0;

  function nameOf(relative: Buffer): { name: string; nameBase64?: string } {
    const name = relative.toString('utf8');
    return Buffer.from(name).equals(relative) ? { name } : { name, nameBase64: relative.toString('base64') };
  }

  function skip(input: number, relative: Buffer, reason: SkipReason): void {
    found.push({ skipped: { ...nameOf(relative), input, reason }, order: relative });
  }

  function addFile(input: number, path: Buffer, relative: Buffer, stats: BigIntStats): void {
    const inode = `${stats.dev}:${stats.ino}`;
    if (seen.has(inode)) skip(input, relative, 'duplicate-inode');
    else {
      seen.add(inode);
      const source = { ...nameOf(relative), input, path, sizeBytes: Number(stats.size) };
      found.push({ source, order: relative });
    }
  }

  function addEntry(input: number, entry: Dirent<Buffer>, path: Buffer, relative: Buffer): void {
    let stats: BigIntStats;
    try {
      stats = lstatSync(path, { bigint: true });
    } catch (error) {
      const gone = (error as NodeJS.ErrnoException).code === 'ENOENT';
      skip(input, relative, gone ? 'vanished' : 'unreadable');
      return;
    }
    if (stats.isDirectory()) walk(input, path, relative);
    else if (!LOG_NAME.test(entry.name.toString('latin1'))) excluded++;
    else if (stats.isSymbolicLink()) skip(input, relative, 'symlink');
    else if (!stats.isFile()) skip(input, relative, 'not-regular');
    else addFile(input, path, relative, stats);
  }

  function walk(input: number, folder: Buffer, relative: Buffer | undefined): void {
    let entries: Dirent<Buffer>[];
    try {
      entries = entriesOf(folder);
    } catch (error) {
      if (relative === undefined) throw ioError('read the folder', folder.toString(), error);
      skip(input, relative, 'unreadable');
      return;
    }
    for (const entry of entries) {
      const below = relative === undefined ? entry.name : Buffer.concat([relative, SLASH, entry.name]);
      addEntry(input, entry, Buffer.concat([folder, SLASH, entry.name]), below);
    }
  }

  function addInput(given: string, input: number): void {
    if (given === '-') {
      found.push({ source: { ...STDIN, input }, order: Buffer.from('-') });
      return;
    }
    const stats = statInput(given);
    const path = Buffer.from(given);
    if (stats.isDirectory()) walk(input, path, undefined);
    else if (stats.isFile()) addFile(input, path, path.subarray(path.lastIndexOf(SLASH) + 1), stats);
    else
      throw new TurnmillError('no-input', `${given} is no regular file: use - for a pipe`, {
        subject: given,
      });
  }

  for (const [input, given] of inputs.entries()) addInput(given, input);
  found.sort((a, b) => Buffer.compare(a.order, b.order) || inputOf(a) - inputOf(b));
  return {
    sources: found.flatMap(({ source }) => source ?? []),
    skipped: found.flatMap(({ skipped }) => skipped ?? []),
    excluded,
  };
}

const inputOf = ({ source, skipped }: Found): number => (source ?? skipped)?.input ?? 0;

function entriesOf(folder: Buffer): Dirent<Buffer>[] {
  const directory = opendirSync(folder as unknown as string, { encoding: 'buffer' as BufferEncoding });
  const entries: Dirent<Buffer>[] = [];
  try {
    for (let entry = directory.readSync(); entry !== null; entry = directory.readSync()) {
      entries.push(entry as unknown as Dirent<Buffer>);
    }
  } finally {
    directory.closeSync();
  }
  return entries;
}

function statInput(path: string): BigIntStats {
  try {
    return statSync(path, { bigint: true });
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code !== 'ENOENT' && code !== 'ENOTDIR') throw ioError('read', path, error);
    throw new TurnmillError('no-input', `there is no ${path}`, { subject: path, cause: error });
  }
}
