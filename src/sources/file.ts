/**
 * Reads one regular file, exactly the bytes it had when it was opened: a file that grows, shrinks or fails to give
 * them is a fault of that source (reliability.md, F081 to F086). Synchronous: a lane has nothing else to do.
 */
import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import { SourceFault, systemCode } from '../errors.ts';
import { isSettled, stampOf, withChecksum } from './stamp.ts';

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;

export interface OpenFile {
  readonly sizeBytes: number;
  /** Tells it from what it was or will be. */
  readonly stamp: string;
  /** The stamp, with the checksum of a file whose times prove nothing yet, once it was read to its end. */
  proof(): string | undefined;
  /** Bytes given out so far. */
  readBytes(): number;
  /** Fills the room from its start; 0 at the end of the file. Throws SourceFault. */
  read(room: Uint8Array): number;
  /** The same from a place of its own, which moves nothing. */
  readAt(position: number, room: Uint8Array): number;
  /** At the end: is the file still as it was? Throws SourceFault `changed-while-read`. */
  verify(): void;
  close(): void;
}

/** @param follow a path that the user named may be a link; one that was found in a folder may not */
export function openFile(path: Uint8Array, follow: boolean): OpenFile {
  const fd = attempt('open', () =>
    openSync(path as Buffer, O_RDONLY | O_NONBLOCK | (follow ? 0 : O_NOFOLLOW)),
  );
  const stats = attempt('inspect', () => fstatSync(fd, { bigint: true }));
  if (!stats.isFile()) {
    release(fd);
    throw new SourceFault('not-regular', 'it is no regular file');
  }
  const sizeBytes = Number(stats.size);
  if (sizeBytes === 0) refuseHidden(fd);
  const stamp = stampOf(stats);
  const settled = isSettled(stats);
  let checksum = 0;
  let readBytes = 0;
  return {
    sizeBytes,
    stamp,
    proof() {
      if (settled) return stamp;
      return readBytes === sizeBytes ? withChecksum(stamp, checksum) : undefined;
    },
    readBytes: () => readBytes,
    read(room) {
      const wanted = Math.min(room.length, sizeBytes - readBytes);
      if (wanted === 0) return 0;
      const count = attempt('read', () => readSync(fd, room, 0, wanted, null));
      if (count === 0) throw changed(`it ended after ${readBytes} of ${sizeBytes} bytes`);
      readBytes += count;
      if (!settled) checksum = crc32(room.subarray(0, count), checksum);
      return count;
    },
    readAt: (position, room) =>
      attempt('read', () => readSync(fd, room, 0, Math.min(room.length, sizeBytes - position), position)),
    verify() {
      const now = attempt('inspect', () => fstatSync(fd, { bigint: true }));
      if (now.size !== stats.size)
        throw changed(`it had ${stats.size} bytes when it was opened and now has ${now.size}`);
      if (now.mtimeNs !== stats.mtimeNs) throw changed('it was written to');
    },
    close: () => release(fd),
  };
}

/** A file of /proc says that it is empty and has content all the same (F090): nobody knows where it ends. */
function refuseHidden(fd: number): void {
  let fault: SourceFault | undefined;
  try {
    if (attempt('read', () => readSync(fd, Buffer.alloc(1), 0, 1, 0)) === 0) return;
    fault = new SourceFault('not-regular', 'its size is 0, but it has content');
  } catch (error) {
    fault = error as SourceFault;
  }
  release(fd);
  throw fault;
}

/** Whatever the system answers, the descriptor is gone, and closing what was only read loses nothing. */
function release(fd: number): void {
  try {
    closeSync(fd);
  } catch {
    // What was read was compared with the file's size and time before.
  }
}

const changed = (detail: string): SourceFault => new SourceFault('changed-while-read', detail);

function attempt<T>(doing: string, call: () => T): T {
  try {
    return call();
  } catch (error) {
    const code = systemCode(error);
    if (code === undefined) throw error;
    if (code === 'ENOENT') throw new SourceFault('vanished', 'it is gone since it was listed', error);
    throw new SourceFault(
      code === 'ELOOP' ? 'not-regular' : 'unreadable',
      `cannot ${doing} it: ${code}`,
      error,
    );
  }
}
