/**
 * Reads a regular file, exactly the bytes that it had when it was opened. If it grows, shrinks, is written to or cannot
 * be read, that is a fault of the source. Synchronous, because a task has nothing else to do.
 */
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { SourceFault, systemCode } from '../../errors.ts';
import { fingerprintOf, identityOf, isSettled } from '../fingerprint.ts';
import { type ChecksumKind, createChecksum, type RunningChecksum } from './checksum.ts';
import type { FileIdentity } from './source.ts';

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;
const COMPARED_BYTES = 1024 * 1024;

export interface OpenFileOptions {
  /** Whether to follow links: for a path that the user named, but not for one that was found in a folder. */
  readonly follow: boolean;
  /** The file as it was listed. Another file at its path is rejected as `vanished`. */
  readonly expected?: Partial<FileIdentity> | undefined;
  /** Whether to hash the content for the fingerprint (`--checksum`). */
  readonly checksum?: boolean | undefined;
}

/** Throws SourceFault. */
export function openFile(path: Uint8Array, options: OpenFileOptions): OpenFile {
  const fd = attempt('open', () =>
    openSync(path as Buffer, O_RDONLY | O_NONBLOCK | (options.follow ? 0 : O_NOFOLLOW)),
  );
  try {
    const stats = attempt('inspect', () => fstatSync(fd, { bigint: true }));
    if (!stats.isFile()) throw new SourceFault('not-regular', 'not a regular file');
    requireSame(stats, options.expected);
    if (stats.size === 0n) refuseHidden(fd);
    return new OpenFile(fd, stats, options.checksum === true, false);
  } catch (error) {
    release(fd);
    throw error;
  }
}

/** A regular file that is read from start to end, with reads at other positions in between. */
export class OpenFile {
  readonly sizeBytes: number;
  /** Identifies the version of the file. */
  readonly identity: string;
  readonly #fd: number;
  readonly #stats: BigIntStats;
  readonly #isSettled: boolean;
  /** Undefined on a first reading whose fingerprint needs no checksum: computing one takes a tenth of a build. */
  readonly #checksumKind: ChecksumKind | undefined;
  #checksum: RunningChecksum | undefined;
  /** Whether the fingerprint has the checksum. */
  readonly #needsChecksum: boolean;
  #readBytes = 0;
  /** Whether all reads are at explicit positions. */
  #isPlaced: boolean;

  /** @param isSecond whether the descriptor was read before, so that reads need explicit positions */
  constructor(fd: number, stats: BigIntStats, withContent: boolean, isSecond: boolean) {
    this.#fd = fd;
    this.#stats = stats;
    this.#isPlaced = isSecond;
    this.#isSettled = isSettled(stats);
    this.sizeBytes = Number(stats.size);
    this.identity = identityOf(stats);
    this.#needsChecksum = withContent || !this.#isSettled;
    if (withContent) this.#checksumKind = 'sha256';
    else if (!this.#isSettled || isSecond) this.#checksumKind = 'crc32';
    this.#checksum = this.#checksumKind && createChecksum(this.#checksumKind);
  }

  /** Bytes returned so far. */
  get readBytes(): number {
    return this.#readBytes;
  }

  /** Returns the identity with its checksum, if there is one; undefined before the end was read. */
  fingerprint(): string | undefined {
    if (this.#checksum === undefined || !this.#needsChecksum) return this.identity;
    if (this.#readBytes !== this.sizeBytes) return undefined;
    return fingerprintOf(this.identity, this.#checksum.digest(), this.#isSettled);
  }

  /** Fills `room` from its start; returns 0 at the end of the file. Throws SourceFault. */
  read(room: Uint8Array): number {
    const at = this.#readBytes;
    const wanted = Math.min(room.length, this.sizeBytes - at);
    if (wanted === 0) return 0;
    const position = this.#isPlaced ? at : null;
    const count = attempt('read', () => readSync(this.#fd, room, 0, wanted, position));
    if (count === 0) throw changed(`it ended after ${at} of ${this.sizeBytes} bytes`);
    this.#readBytes += count;
    this.#checksum?.update(room.subarray(0, count));
    return count;
  }

  /** Goes back to the end of the head, which was read before. */
  rewind(head: Uint8Array): void {
    this.#readBytes = head.length;
    this.#isPlaced = true;
    this.#checksum = this.#checksumKind && createChecksum(this.#checksumKind);
    this.#checksum?.update(head);
  }

  /** Reads at a position, without moving the position of `read`. */
  readAt(position: number, room: Uint8Array): number {
    const wanted = Math.min(room.length, this.sizeBytes - position);
    return attempt('read', () => readSync(this.#fd, room, 0, wanted, position));
  }

  /**
   * Throws SourceFault `changed-while-read` if the file has changed since it was opened. A new ctime alone may come from a
   * hard link or from a write whose mtime was set back: if there is a checksum of what was read, it decides.
   * @param strictly also compare if it was deleted or replaced, which changes ctime too
   */
  verify(strictly = false): void {
    const now = this.#inspect();
    const { size, mtimeNs, ctimeNs, nlink } = this.#stats;
    if (now.size !== size) throw changed(`it had ${size} bytes when it was opened and now has ${now.size}`);
    if (now.mtimeNs !== mtimeNs) throw changed('it was written to');
    const isTouched = now.ctimeNs !== ctimeNs && (strictly || now.nlink >= nlink);
    if (isTouched && !this.#hasSameContent())
      throw changed('it was written to, or its entry was changed (ctime), while it was read');
  }

  /** Whether the file, if it was read whole, still has the content that was read. */
  #hasSameContent(): boolean {
    if (this.#checksumKind === undefined || this.#readBytes !== this.sizeBytes) return false;
    const room = Buffer.allocUnsafe(Math.min(this.sizeBytes, COMPARED_BYTES));
    const checksum = createChecksum(this.#checksumKind);
    for (let at = 0; at < this.sizeBytes; ) {
      const count = this.readAt(at, room);
      if (count === 0) return false;
      checksum.update(room.subarray(0, count));
      at += count;
    }
    return checksum.digest() === this.#checksum?.digest();
  }

  /** Returns whether it changed without changing its size. A write whose mtime was set back shows only in ctime. */
  isTouched(): boolean {
    const { size, ctimeNs } = this.#inspect();
    return size === this.#stats.size && ctimeNs !== this.#stats.ctimeNs;
  }

  /**
   * Reopens the file in its current state, from its start, with the same descriptor: from then on, use and close only
   * one of the two.
   */
  again(): OpenFile {
    return new OpenFile(this.#fd, this.#inspect(), this.#checksumKind === 'sha256', true);
  }

  close(): void {
    release(this.#fd);
  }

  #inspect(): BigIntStats {
    return attempt('inspect', () => fstatSync(this.#fd, { bigint: true }));
  }
}

/** Throws if the path no longer leads to the listed file, because the file or a folder on its path was replaced. */
function requireSame({ dev, ino }: BigIntStats, expected: Partial<FileIdentity> = {}): void {
  if (expected.ino === undefined || (expected.ino === ino && expected.dev === dev)) return;
  throw new SourceFault('vanished', 'it was replaced by another file after it was listed');
}

/** Throws for a file with size 0 that has content, such as those in /proc: its end is not known in advance. */
function refuseHidden(fd: number): void {
  if (attempt('read', () => readSync(fd, Buffer.alloc(1), 0, 1, 0)) === 0) return;
  throw new SourceFault('not-regular', 'it has content, although its size is 0');
}

/** Closes a file that was only read. Ignores errors: the descriptor is gone in any case, and nothing can be lost. */
export function release(fd: number): void {
  try {
    closeSync(fd);
  } catch {
    // the caller has already compared the size and the times of the file with those at its opening
  }
}

const changed = (detail: string): SourceFault => new SourceFault('changed-while-read', detail);

function attempt<T>(doing: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    if (code === 'ENOENT') throw new SourceFault('vanished', 'it was deleted after it was listed', error);
    throw new SourceFault(
      code === 'ELOOP' ? 'not-regular' : 'unreadable',
      `cannot ${doing} it: ${code}`,
      error,
    );
  }
}
