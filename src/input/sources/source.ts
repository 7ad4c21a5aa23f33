/** Sources of a run: named bytes in a fixed order, and files that were found but are not read. */

import type { S3Options } from '../../object-store/options.ts';
import type { SkipReason } from './skip-reasons.ts';

/** Identifies a file on this host. */
export interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/** Identifies a source in every file. */
export interface SourceKey {
  /** Path below the input root with `/` between folders, as UTF-8 text; `-` for standard input. */
  readonly name: string;
  /** The bytes of the path in base64, if it is not UTF-8. */
  readonly nameBase64?: string;
  /** Index of the input that it was found in. */
  readonly input: number;
}

/**
 * A file, an object, standard input or a stream. Except for streams, it is plain data that can be posted to worker
 * threads. Only the file (`dev`, `ino`) or object (`etag`) that was listed is read.
 */
export interface SourceRef extends SourceKey, Partial<FileIdentity> {
  /**
   * Path of a file or URL of an object, its bytes as Latin-1 characters: a path need not be UTF-8. Undefined for
   * standard input and streams.
   */
  readonly path: string | undefined;
  /** Stream to read, if the caller provides the bytes. */
  readonly stream?: AsyncIterable<Uint8Array>;
  /** Size on disk, or in the store, when it was listed. */
  readonly sizeBytes: number;
  /** ctime of the file when it was listed, in ns since 1970. */
  readonly ctimeNs?: bigint;
  /** ETag of an object, and how to reach its store. All objects of a run share the options. */
  readonly etag?: string;
  readonly s3?: S3Options;
  /** Files of a folder that is one source, in reading order. `path` is then the folder's. */
  readonly parts?: readonly SourceRef[];
}

/** Sources in order: a list, or a table that creates them on demand. */
export type Sources = Pick<readonly SourceRef[], 'length' | 'at' | typeof Symbol.iterator>;

/** A source that is an object of a store. */
export type ObjectRef = SourceRef & Required<Pick<SourceRef, 'etag' | 's3'>> & { readonly path: string };

export function isObject(ref: SourceRef): ref is ObjectRef {
  return ref.s3 !== undefined;
}

export function isStdin({ path, stream }: Pick<SourceRef, 'path' | 'stream'>): boolean {
  return path === undefined && stream === undefined;
}

/** A file that is not read: one with the name of a log that is not a regular file, or one with another name. */
export interface SkippedSource extends SourceKey {
  readonly reason: SkipReason;
}

/** A file that is not a log by its name is `excluded`; the others are logs that an option leaves out. */
export type LeftOutReason = Extract<SkipReason, 'not-included' | 'excluded-by-option' | 'too-old'>;
export type PassedOverReason = Extract<SkipReason, 'excluded'> | LeftOutReason;
export const PASSED_OVER: readonly PassedOverReason[] = [
  'excluded',
  'not-included',
  'excluded-by-option',
  'too-old',
];

export function isPassedOver(reason: string): reason is PassedOverReason {
  return (PASSED_OVER as readonly string[]).includes(reason);
}

/** How many files are passed over, by reason; reasons without a file are missing. */
export type PassedOverCounts = Readonly<Partial<Record<PassedOverReason, number>>>;

/** Returns those of the counts by reason that are of files which were passed over. */
export function passedOverIn(skipped: Readonly<Record<string, number>>): PassedOverCounts {
  return Object.fromEntries(Object.entries(skipped).filter(([reason]) => isPassedOver(reason)));
}

export interface Listing {
  /** Sorted by name bytewise, then by input. */
  readonly sources: Sources;
  /** At most a thousand of the files that are passed over are listed. */
  readonly skipped: readonly SkippedSource[];
  /** How many files in the folders do not have the name of a log, or were not chosen. */
  readonly passedOver: PassedOverCounts;
  /** Number of those files by extension. */
  readonly extensions: Readonly<Record<string, number>>;
  /** The logs that `--since`, `--include` and `--exclude` leave out, in the order of `sources`; only their keys are known. */
  readonly leftOut?: Sources;
  /** Permissions that all sources that are files grant (at most `0o777`); undefined if none is a file. */
  readonly mode?: number | undefined;
}
