/**
 * All writes to the disk go through these functions, which turn each failure into a TurnmillError that names the
 * operation and the path. They are synchronous on purpose: a call that has returned has taken effect.
 */
import { type BigIntStats, constants, type Dirent } from 'node:fs';
import { io, ioError } from '../errors.ts';
import type { FileIdentity } from '../input/sources/source.ts';
import { MAX_TEXT_BYTES, readOwnFile } from '../own-file.ts';
import { fileSystem as fs } from './file-system.ts';
import { codeOf, createError, ifAny } from './fs-faults.ts';

/** Undefined on Windows. */
const O_NOFOLLOW = constants.O_NOFOLLOW ?? 0;
/** `O_NONBLOCK`: opening must not hang if a pipe has replaced the file. */
const APPEND = constants.O_WRONLY | constants.O_APPEND | constants.O_NONBLOCK | O_NOFOLLOW;
const EAGAIN_PATIENCE_MS = 10_000;

/** Creates a file for appending. Nothing may have its name yet, not even a link. */
export function openNew(path: string, mode: number): number {
  const flags = APPEND | constants.O_CREAT | constants.O_EXCL;
  return io('create', path, () => fs.openSync(path, flags, mode));
}

export function openAgain(path: string): number {
  return io('reopen', path, () => fs.openSync(path, APPEND));
}

/** Writes all bytes, even if the system accepts only some at a time. */
export function writeAll(fd: number, bytes: Uint8Array, path: string): void {
  let deadline: number | undefined;
  for (let at = 0; at < bytes.length; ) {
    try {
      const written = fs.writeSync(fd, bytes, at);
      if (written === 0) throw new Error('the system accepted no bytes');
      at += written;
      deadline = undefined;
    } catch (error) {
      deadline ??= performance.now() + EAGAIN_PATIENCE_MS;
      if (codeOf(error) !== 'EAGAIN' || performance.now() > deadline) throw ioError('write', path, error);
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1);
    }
  }
}

export function syncFile(fd: number, path: string): void {
  io('flush to disk', path, () => fs.fsyncSync(fd));
}

export function closeFile(fd: number, path: string): void {
  io('close', path, () => fs.closeSync(fd));
}

/** Makes the names in a folder durable. */
export function syncDirectory(path: string): void {
  const fd = io('open', path, () => fs.openSync(path, 'r'));
  try {
    syncFile(fd, path);
  } finally {
    closeFile(fd, path);
  }
}

export function identityOf(fd: number, path: string): FileIdentity & { readonly size: bigint } {
  return io('inspect', path, () => fs.fstatSync(fd, { bigint: true }));
}

/** Stats the path without following a link. */
export function lstatIfAny(path: string): BigIntStats | undefined {
  return ifAny('inspect', path, () => fs.lstatSync(path, { bigint: true }));
}

/** Stats the path, following links. */
export function statIfAny(path: string): BigIntStats | undefined {
  return ifAny('inspect', path, () => fs.statSync(path, { bigint: true }));
}

/** Resolves the path as the kernel does: `..` after a link is the folder above the link's target. */
export function realpathIfAny(path: string): string | undefined {
  return ifAny('resolve', path, () => fs.realpathSync(path));
}

/** Returns the target of a link; undefined if the path is not a link. */
export function readLinkIfAny(path: string): string | undefined {
  if (lstatIfAny(path)?.isSymbolicLink() !== true) return undefined;
  return ifAny('read the link', path, () => fs.readlinkSync(path));
}

export function readDirectory(path: string): Dirent[] {
  return io('list', path, () => fs.readdirSync(path, { withFileTypes: true }));
}

/** Returns the entries of the folder; none if it does not exist. */
export function readDirectoryIfAny(path: string): Dirent[] {
  return ifAny('list', path, () => fs.readdirSync(path, { withFileTypes: true })) ?? [];
}

/** Opens a folder, so that its contents can be reached through a short path. */
export function openFolder(path: string): number {
  return io('open', path, () => fs.openSync(path, 'r'));
}

/** Reads a regular file. Throws `invalid-dataset` if it is something else, or longer than `mostBytes`. */
export function readBytesIfAny(path: string, mostBytes: number = MAX_TEXT_BYTES): Buffer | undefined {
  return ifAny('read', path, () => readOwnFile(path, mostBytes, fs));
}

/** Reads the text of a regular file. Throws the errors of `readBytesIfAny`. */
export function readTextIfAny(path: string, mostBytes: number = MAX_TEXT_BYTES): string | undefined {
  return readBytesIfAny(path, mostBytes)?.toString('utf8');
}

export function makeDirectory(path: string, mode = 0o777): void {
  io('create', path, () => fs.mkdirSync(path, { mode }), createError);
}

export function makeLink(target: string, path: string): void {
  io('create', path, () => fs.symlinkSync(target, path), createError);
}

export function rename(from: string, to: string): void {
  io('put the dataset in place at', to, () => fs.renameSync(from, to), createError);
}

export function setMode(path: string, mode: number): void {
  io('set the mode of', path, () => fs.chmodSync(path, mode));
}

/** Throws if no file can be created in this folder. */
export function checkWritable(path: string): void {
  io('write into', path, () => fs.accessSync(path, constants.W_OK | constants.X_OK), createError);
}

export function unlinkIfAny(path: string): void {
  ifAny('remove', path, () => fs.unlinkSync(path));
}

export function removeEmptyDirectory(path: string): void {
  io('replace', path, () => fs.rmdirSync(path), createError);
}

export function removeTree(path: string): void {
  io('remove', path, () => fs.rmSync(path));
}

/** Returns how many files this process may have open; undefined if the system does not say. */
export function openFilesLimit(): number | undefined {
  const [, files] = /^Max open files +(\d+)/m.exec(readTextIfAny('/proc/self/limits') ?? '') ?? [];
  return files === undefined ? undefined : Number(files);
}
