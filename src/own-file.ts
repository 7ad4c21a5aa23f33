/**
 * Opens files that the tool wrote itself or got as an option: parts of a dataset, checkpoints, a configuration file.
 * Rejects a pipe, a device or a folder at once, instead of waiting for it or reading without end.
 */
import * as nodeFs from 'node:fs';
import { TurnmillError } from './errors.ts';

/** Longest string in JavaScript. */
export const LONGEST_TEXT_BYTES: number = 512 * 1024 * 1024 - 24;

const { O_RDONLY, O_NONBLOCK, O_NOCTTY } = nodeFs.constants;
const CHUNK_BYTES = 64 * 1024;

/** The calls needed for reading, as in `node:fs`. */
export interface OwnFileCalls {
  openSync(path: string, flags: number): number;
  fstatSync(fd: number, options: { bigint: true }): nodeFs.BigIntStats;
  readSync(fd: number, bytes: Uint8Array, offset: number, length: number, position: number): number;
  closeSync(fd: number): void;
}

/** There is no regular file at the path. The code is `invalid-dataset`, unless the caller knows better. */
export class NotOwnFile extends TurnmillError {
  /** Kind of thing found: `a pipe`, `longer than 1048576 bytes`. */
  readonly kind: string;

  constructor(path: string, kind: string) {
    const text = `${path} is ${kind}, not a regular file; nothing was changed; find out what put it there and move it away`;
    super('invalid-dataset', text, { subject: path });
    this.kind = kind;
  }
}

/**
 * Opens a regular file for reading, following links. The caller closes it.
 * @throws NotOwnFile, or the system's own error
 */
export function openOwnFile(path: string, fs: OwnFileCalls = nodeFs): number {
  return openRegular(path, fs).fd;
}

/**
 * Reads a whole regular file.
 * @param mostBytes a longer file is rejected, before it is read or as soon as that turns out
 * @throws NotOwnFile, or the system's own error
 */
export function readOwnFile(path: string, mostBytes: number, fs: OwnFileCalls = nodeFs): Buffer {
  const { fd, size } = openRegular(path, fs);
  try {
    if (size > BigInt(mostBytes)) throw tooLong(path, mostBytes);
    // one byte more detects the end; a file of /proc has content and reports size 0
    let bytes = Buffer.allocUnsafe(Number(size) + (size === 0n ? CHUNK_BYTES : 1));
    let have = 0;
    for (;;) {
      const count = fs.readSync(fd, bytes, have, bytes.length - have, have);
      if (count === 0) return bytes.subarray(0, have);
      have += count;
      if (have > mostBytes) throw tooLong(path, mostBytes);
      if (have === bytes.length) bytes = Buffer.concat([bytes], have * 2);
    }
  } finally {
    release(fd, fs);
  }
}

/** Streams its bytes, and closes the file at the end. */
export function streamOwnFile(
  path: string,
  options: { readonly start?: number; readonly highWaterMark?: number } = {},
): nodeFs.ReadStream {
  return nodeFs.createReadStream(path, { ...options, fd: openOwnFile(path), autoClose: true });
}

interface Opened {
  readonly fd: number;
  readonly size: bigint;
}

function openRegular(path: string, fs: OwnFileCalls): Opened {
  const fd = attemptOpen(path, fs);
  try {
    const stats = fs.fstatSync(fd, { bigint: true });
    if (!stats.isFile()) throw new NotOwnFile(path, kindOf(stats));
    return { fd, size: stats.size };
  } catch (error) {
    release(fd, fs);
    throw error;
  }
}

/** Ignores errors: closing a file that was only read loses nothing, and the descriptor is gone either way. */
function release(fd: number, fs: OwnFileCalls): void {
  try {
    fs.closeSync(fd);
  } catch {
    // ignored, see above
  }
}

/** A socket cannot be opened, so it is recognised by the error. */
function attemptOpen(path: string, fs: OwnFileCalls): number {
  try {
    return fs.openSync(path, O_RDONLY | O_NONBLOCK | O_NOCTTY);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENXIO') throw error;
    throw new NotOwnFile(path, 'a socket or a device');
  }
}

function kindOf(stats: nodeFs.BigIntStats): string {
  if (stats.isFIFO()) return 'a pipe';
  if (stats.isDirectory()) return 'a folder';
  return stats.isSocket() ? 'a socket' : 'a device';
}

function tooLong(path: string, mostBytes: number): TurnmillError {
  return new TurnmillError('invalid-dataset', `${path} is longer than ${mostBytes} bytes`, { subject: path });
}
