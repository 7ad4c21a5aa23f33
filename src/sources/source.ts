/** What a run reads: named byte sources in a fixed order, and what was found but is not read. */

/** Tells a file from every other one on this host. */
export interface FileIdentity {
  readonly dev: bigint;
  readonly ino: bigint;
}

/** One file, or standard input. Plain data: it crosses to worker threads. The file that is read is the one that was listed (`dev`, `ino`). */
export interface SourceRef extends Partial<FileIdentity> {
  /** Path below the input root with `/` between folders, as UTF-8 text; `-` for standard input. */
  readonly name: string;
  /** The same, base64, when the path is not UTF-8. */
  readonly nameBase64?: string;
  /** Which of the inputs it came from. */
  readonly input: number;
  /** What to open, its bytes as Latin-1 characters: a path need not be UTF-8. Undefined for standard input. */
  readonly path: string | undefined;
  /** Bytes on disk when it was listed. */
  readonly sizeBytes: number;
}

/** Something that has the name of a log but is not read. */
export interface SkippedSource {
  readonly name: string;
  readonly nameBase64?: string;
  readonly input: number;
  readonly reason: SkipReason;
}

/** `symlink` and `duplicate-inode` are harmless; the others reject the source (exit 3). */
export type SkipReason = 'symlink' | 'duplicate-inode' | 'not-regular' | 'unreadable' | 'vanished';

export interface Listing {
  /** Sorted by name bytewise, then by input. */
  readonly sources: readonly SourceRef[];
  readonly skipped: readonly SkippedSource[];
  /** Files in the folders whose names are not those of logs. */
  readonly excluded: number;
}
