/**
 * The door to the disk: every system call of the sinks, as one small interface. Only this file of src/sinks/ imports `node:fs`,
 * so that a test can put a model of a disk in its place that loses power or fails at any call.
 */
import * as fs from 'node:fs';
import { open } from 'node:fs/promises';

/** As in `node:fs`, with the forms that the sinks use. */
export interface FileSystem {
  openSync(path: string, flags: string | number, mode?: number): number;
  closeSync(fd: number): void;
  writeSync(fd: number, bytes: Uint8Array, offset: number): number;
  readSync(fd: number, bytes: Uint8Array, offset: number, length: number, position: number): number;
  fsyncSync(fd: number): void;
  fstatSync(fd: number, options: { bigint: true }): fs.BigIntStats;
  lstatSync(path: string, options: { bigint: true }): fs.BigIntStats;
  statSync(path: string, options: { bigint: true }): fs.BigIntStats;
  /** As the kernel resolves it. */
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
  /** A folder and what it holds, or what else has this name, if anything; a link, not what it leads to. */
  rmSync(path: string): void;
  /** To read, while signals are heard. */
  open(path: string, flags: number): Promise<ReadableFile>;
}

export interface ReadableFile {
  read(buffer: Uint8Array, offset: number, length: number): Promise<{ readonly bytesRead: number }>;
  stat(options: { bigint: true }): Promise<fs.BigIntStats>;
  close(): Promise<void>;
}

const SLASH = Buffer.from('/');

export const fileSystem: FileSystem = {
  ...fs,
  mkdirSync: (path, options) => void fs.mkdirSync(path, options),
  realpathSync: fs.realpathSync.native,
  rmSync: (path) => removeAll(Buffer.from(path)),
  open,
};

/** Since Node 24 its own `rmSync` leaves a link that leads nowhere, and tells a failure without its code. */
function removeAll(path: Buffer): void {
  const stats = fs.lstatSync(path, { throwIfNoEntry: false });
  if (stats?.isDirectory()) {
    const names = fs.readdirSync(path, { encoding: 'buffer' }); // they need not be UTF-8
    for (const name of names) removeAll(Buffer.concat([path, SLASH, name]));
    fs.rmdirSync(path);
  } else if (stats !== undefined) fs.unlinkSync(path);
}
