/**
 * Reads all of a small file with the fewest system calls: open, read, fstat, close. Its ctime must still be that of the
 * listing, which proves that it has not changed since.
 */
import { constants, fstatSync, openSync, readSync } from 'node:fs';
import { fingerprintOf, identityOf, isSettled } from '../fingerprint.ts';
import { createChecksum } from './checksum.ts';
import { release } from './file.ts';
import type { SourceRef } from './source.ts';
import { systemPath } from './source-table.ts';

const { O_RDONLY, O_NONBLOCK, O_NOFOLLOW } = constants;

export interface SmallFile {
  readonly bytes: Uint8Array;
  readonly identity: string;
  readonly fingerprint: string;
}

/**
 * @param room memory for its bytes, plus one
 * @returns undefined if the file is not the one that was listed, or cannot be read: opening it again will report why
 */
export function readSmallFile(ref: SourceRef, room: Uint8Array): SmallFile | undefined {
  const { path, sizeBytes, name } = ref;
  if (path === undefined || ref.ctimeNs === undefined) return undefined;
  let fd: number;
  try {
    const noFollow = name.includes('/') ? O_NOFOLLOW : 0; // a path that the user named may be a link
    fd = openSync(systemPath(path), O_RDONLY | O_NONBLOCK | noFollow);
  } catch {
    return undefined;
  }
  try {
    const count = readSync(fd, room, 0, sizeBytes + 1, null);
    const stats = fstatSync(fd, { bigint: true });
    const isListed = stats.ino === ref.ino && stats.dev === ref.dev && stats.ctimeNs === ref.ctimeNs;
    if (!isListed || count !== sizeBytes || !stats.isFile()) return undefined;
    const bytes = room.subarray(0, count);
    const identity = identityOf(stats);
    if (isSettled(stats)) return { bytes, identity, fingerprint: identity };
    const checksum = createChecksum('crc32');
    checksum.update(bytes);
    return { bytes, identity, fingerprint: fingerprintOf(identity, checksum.digest(), false) };
  } catch {
    return undefined;
  } finally {
    release(fd);
  }
}
