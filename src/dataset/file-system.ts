/**
 * All system calls of this folder, as one small interface. Only this file imports `node:fs`, so that tests can swap in
 * a model of a disk that loses power or fails at any call.
 */
import * as fs from 'node:fs';

/** The part of `node:fs` that is used here. */
export interface FileSystem {
  openSync(path: string, flags: string | number, mode?: number): number;
  closeSync(fd: number): void;
  writeSync(fd: number, bytes: Uint8Array, offset: number): number;
  readSync(fd: number, bytes: Uint8Array, offset: number, length: number, position: number): number;
  fsyncSync(fd: number): void;
  fstatSync(fd: number, options: { bigint: true }): fs.BigIntStats;
  lstatSync(path: string, options: { bigint: true }): fs.BigIntStats;
  statSync(path: string, options: { bigint: true }): fs.BigIntStats;
  /** Resolves the path as the kernel does. */
  realpathSync(path: string): string;
  readlinkSync(path: string): string;
  readdirSync(path: string, options: { withFileTypes: true }): fs.Dirent[];
  mkdirSync(path: string, options: { mode: number }): void;
  symlinkSync(target: string, path: string): void;
  renameSync(from: string, to: string): void;
  chmodSync(path: string, mode: number): void;
  accessSync(path: string, mode: number): void;
  unlinkSync(path: string): void;
  rmdirSync(path: string): void;
  /** Removes a folder with its contents, or anything else; a link is removed, not its target. */
  rmSync(path: string): void;
}

const SLASH = Buffer.from('/');

export const fileSystem: FileSystem = {
  ...fs,
  mkdirSync: (path, options) => void fs.mkdirSync(path, options),
  realpathSync: fs.realpathSync.native,
  rmSync: (path) => removeAll(Buffer.from(path)),
};

/**
 * Replaces `fs.rmSync`, which since Node 24 does not remove a dangling link, and reports a failure without its code.
 */
function removeAll(path: Buffer): void {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory()) {
    const names = fs.readdirSync(path, { encoding: 'buffer' }); // names need not be UTF-8
    for (const name of names) removeAll(Buffer.concat([path, SLASH, name]));
    fs.rmdirSync(path);
  } else if (stats !== undefined) fs.unlinkSync(path);
}
