/**
 * Permissions of the dataset: by default those that every source grants, or exactly those of `--mode`. Rejected lines
 * may contain anything, so only the owner can ever read quarantine/.
 */
import { dirname } from 'node:path';
import { ifPossible } from '../errors.ts';
import { fileSystem } from './file-system.ts';
import { manifestPath } from './layout.ts';

const FILE = 0o666;
const OWNER = 0o600;
const READERS = 0o444;
const OWNER_ONLY_FOLDERS: ReadonlySet<string> = new Set(['quarantine']);

export interface Modes {
  /** Whether the user named the mode. If so, files and folders get it regardless of the umask. */
  readonly isExact: boolean;
  /** Returns the mode of a file. @param path below the dataset's root */
  file(path: string): number;
  /** Returns the mode of a folder: users who may read its files may enter it. @param path below the root; `.` for the root */
  folder(path: string): number;
}

export interface ModeRequest {
  /** Mode that the user named: read and write bits. */
  readonly mode?: number | undefined;
  /** Permissions that all sources grant; undefined if none of them is a file. */
  readonly sources?: number | undefined;
}

/** Returns the modes; the owner can always read and write. */
export function modesOf({ mode, sources = FILE }: ModeRequest): Modes {
  const wanted = mode ?? sources & ~process.umask();
  const shared = (wanted & FILE) | OWNER;
  const bits = (folder: string): number => (OWNER_ONLY_FOLDERS.has(folder) ? OWNER : shared);
  return {
    isExact: mode !== undefined,
    file: (path) => bits(dirname(path)),
    folder: (path) => bits(path) | ((bits(path) & READERS) >> 2),
  };
}

/** Permissions of files made from a dataset: those of its records. For a URL, those that the umask leaves. */
export function modesLike(dataset: string): Modes {
  return modesOf({ mode: modeOf(manifestPath(dataset)) });
}

const modeOf = (path: string): number | undefined =>
  ifPossible(() => Number(fileSystem.statSync(path, { bigint: true }).mode) & FILE);
