/**
 * Opens files that the tool wrote itself or that an option names: files of a dataset, checkpoints, a configuration file.
 * Rejects a pipe, a device or a folder immediately, instead of waiting for it or reading it without end.
 */
import * as nodeFs from 'node:fs';
import { TurnmillError } from './errors.ts';

/** Longest string in JavaScript. */
export const MAX_TEXT_BYTES: number = 512 * 1024 * 1024 - 24;

const { O_RDONLY, O_NONBLOCK, O_NOCTTY } = nodeFs.constants;
const CHUNK_BYTES = 64 * 1024;

/** The calls needed for reading, as in `node:fs`. */
export interface OwnFileCalls {
  openSync(path: string, flags: number): number;
  fstatSync(fd: number, options: { bigint: true }): nodeFs.BigIntStats;
  readSync(fd: number, bytes: Uint8Array, offset: number, length: number, position: number): number;
  closeSync(fd: number): void;
}

/** Thrown if the path does not lead to a regular file. The code is `invalid-dataset`; callers may replace it. */
export class NotOwnFile extends TurnmillError {
  /** The kind of thing that is there: `a pipe`, `a folder`. */
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
 * @param mostBytes a longer file is rejected, before it is read or as soon as more bytes have been read
 * @throws NotOwnFile, or the system's own error
 */
export function readOwnFile(path: string, mostBytes: number, fs: OwnFileCalls = nodeFs): Buffer {
  const { fd, size } = openRegular(path, fs);
  try {
    if (size > BigInt(mostBytes)) throw tooLong(path, mostBytes);
    // one byte more detects the end; a file of /proc has content and reports size 0
    let bytes = Buffer.allocUnsafe(Number(size) + (size === 0n ? CHUNK_BYTES : 1));
    let length = 0;
    for (;;) {
      const count = fs.readSync(fd, bytes, length, bytes.length - length, length);
      if (count === 0) return bytes.subarray(0, length);
      length += count;
      if (length > mostBytes) throw tooLong(path, mostBytes);
      if (length === bytes.length) bytes = Buffer.concat([bytes], length * 2);
    }
  } finally {
    release(fd, fs);
  }
}

/** Streams the bytes of a regular file, and closes it at the end. */
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

/** Closes a file that was only read. Ignores errors: the descriptor is gone in any case, and nothing can be lost. */
function release(fd: number, fs: OwnFileCalls): void {
  try {
    fs.closeSync(fd);
  } catch {
    // see above
  }
}

/** Opens the file. A socket cannot be opened, so it is recognised by the error. */
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
