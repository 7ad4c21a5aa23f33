/**
 * Reads one regular file, exactly the bytes it had when it was opened: a file that grows, shrinks, is written to or fails to
 * give its bytes is a fault of that source. Synchronous: a task has nothing else to do.
 */
import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { SourceFault, systemCode } from '../../errors.ts';
import { fingerprintOf, identityOf, isSettled } from '../fingerprint.ts';
import { type ChecksumKind, createChecksum, type RunningChecksum } from './checksum.ts';
import type { FileIdentity } from './source.ts';

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;

export interface OpenFileOptions {
  /** A path that the user named may be a link; one that was found in a folder may not. */
  readonly follow: boolean;
  /** The file that was listed. Any other one at its path is refused as `vanished`. */
  readonly expected?: Partial<FileIdentity> | undefined;
  /** Hash everything that is read, for a fingerprint of the content (`--checksum`). */
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

/** A regular file that is read from its start to its end, with a look at any other place. */
export class OpenFile {
  readonly sizeBytes: number;
  /** Tells it from what it was or will be. */
  readonly identity: string;
  readonly #fd: number;
  readonly #stats: BigIntStats;
  readonly #isSettled: boolean;
  readonly #checksumKind: ChecksumKind | undefined;
  #checksum: RunningChecksum | undefined;
  #readBytes = 0;
  /** Is it read at positions of its own? */
  #isPlaced: boolean;

  /** @param isSecond the descriptor was read before: it is read at positions of its own */
  constructor(fd: number, stats: BigIntStats, withContent: boolean, isSecond: boolean) {
    this.#fd = fd;
    this.#stats = stats;
    this.#isPlaced = isSecond;
    this.#isSettled = isSettled(stats);
    this.sizeBytes = Number(stats.size);
    this.identity = identityOf(stats);
    if (withContent) this.#checksumKind = 'sha256';
    else if (!this.#isSettled) this.#checksumKind = 'crc32';
    this.#checksum = this.#checksumKind && createChecksum(this.#checksumKind);
  }

  /** Bytes given out so far. */
  get readBytes(): number {
    return this.#readBytes;
  }

  /** The identity, and the checksum that was taken beside it; undefined before the end was read. */
  fingerprint(): string | undefined {
    if (this.#checksum === undefined) return this.identity;
    if (this.#readBytes !== this.sizeBytes) return undefined;
    return fingerprintOf(this.identity, this.#checksum.digest(), this.#isSettled);
  }

  /** Fills the room from its start; 0 at the end of the file. Throws SourceFault. */
  read(room: Uint8Array): number {
    const have = this.#readBytes;
    const wanted = Math.min(room.length, this.sizeBytes - have);
    if (wanted === 0) return 0;
    const position = this.#isPlaced ? have : null;
    const count = attempt('read', () => readSync(this.#fd, room, 0, wanted, position));
    if (count === 0) throw changed(`it ended after ${have} of ${this.sizeBytes} bytes`);
    this.#readBytes += count;
    this.#checksum?.update(room.subarray(0, count));
    return count;
  }

  /** Goes back to behind the head, which was read before. */
  rewind(head: Uint8Array): void {
    this.#readBytes = head.length;
    this.#isPlaced = true;
    this.#checksum = this.#checksumKind && createChecksum(this.#checksumKind);
    this.#checksum?.update(head);
  }

  /** The same from a place of its own, which moves nothing. */
  readAt(position: number, room: Uint8Array): number {
    const wanted = Math.min(room.length, this.sizeBytes - position);
    return attempt('read', () => readSync(this.#fd, room, 0, wanted, position));
  }

  /**
   * Throws SourceFault `changed-while-read` when the file is not what it was when it was opened.
   * @param strictly also when it was deleted or replaced meanwhile, which changes its entry's time as a hidden write does
   */
  verify(strictly = false): void {
    const now = this.#inspect();
    const { size, mtimeNs, ctimeNs, nlink } = this.#stats;
    if (now.size !== size) throw changed(`it had ${size} bytes when it was opened and now has ${now.size}`);
    if (now.mtimeNs !== mtimeNs) throw changed('it was written to');
    if (now.ctimeNs !== ctimeNs && (strictly || now.nlink >= nlink))
      throw changed('it was written to, or its entry was changed (ctime), while it was read');
  }

  /**
   * Was it changed in any way that left its size as it was? A write whose time of modification was put back shows in its
   * entry's time (ctime) only.
   */
  isTouched(): boolean {
    const { size, ctimeNs } = this.#inspect();
    return size === this.#stats.size && ctimeNs !== this.#stats.ctimeNs;
  }

  /** The same file as it is now, from its start, through the same descriptor: only one of the two may be used and closed. */
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

/** A path may lead to another file than it did when it was listed: the file was replaced, or a folder on its way was. */
function requireSame({ dev, ino }: BigIntStats, expected: Partial<FileIdentity> = {}): void {
  if (expected.ino === undefined || (expected.ino === ino && expected.dev === dev)) return;
  throw new SourceFault('vanished', 'it was replaced by another file after it was listed');
}

/** A file of /proc reports size 0 although it has content, so its end is not known in advance. */
function refuseHidden(fd: number): void {
  if (attempt('read', () => readSync(fd, Buffer.alloc(1), 0, 1, 0)) === 0) return;
  throw new SourceFault('not-regular', 'it has content, although its size is 0');
}

/** Whatever the system answers, the descriptor is gone, and closing what was only read loses nothing. */
export function release(fd: number): void {
  try {
    closeSync(fd);
  } catch {
    // Size and time of the file were compared before with what was read.
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
