import {
  appendFileSync,
  linkSync,
  mkdirSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { SourceFault } from '../../../../src/errors.ts';
import { type OpenFile, openFile } from '../../../../src/input/sources/file.ts';
import { temporaryFolder } from '../../../support/folder.ts';

const opened = (text: string): { readonly path: string; readonly file: OpenFile } => {
  const path = join(temporaryFolder(), 'a.jsonl');
  writeFileSync(path, text);
  return { path, file: openFile(Buffer.from(path), { follow: false }) };
};

const reasonOf = (call: () => unknown): string | undefined => {
  try {
    call();
    return undefined;
  } catch (error) {
    return (error as SourceFault).reason;
  }
};

it('F082: a growing file is read up to its first size, and its growth is a fault', () => {
  const { path, file } = opened('0123456789');
  appendFileSync(path, 'more');
  const room = Buffer.alloc(100);
  expect([file.read(room), file.read(room)]).toEqual([10, 0]);
  expect(reasonOf(() => file.verify())).toBe('changed-while-read');
  file.close();
});

it('F083: truncation while a file is read is a fault, not the end of the file', () => {
  const { path, file } = opened('0123456789');
  expect(file.read(Buffer.alloc(4))).toBe(4);
  truncateSync(path, 4);
  expect(reasonOf(() => file.read(Buffer.alloc(4)))).toBe('changed-while-read');
  file.close();
});

it('a file that was overwritten in place is a fault at the end', () => {
  const { path, file } = opened('0123456789');
  utimesSync(path, 1, 1);
  expect(reasonOf(() => file.verify())).toBe('changed-while-read');
  file.close();
});

it('a hard link during the reading changes only ctime: the same content is no fault, another one is', () => {
  const { path, file } = opened('0123456789');
  expect(file.read(Buffer.alloc(100))).toBe(10);
  const { atime, mtime, ctimeMs } = statSync(path);
  linkSync(path, `${path}.backup`);
  expect(statSync(path).ctimeMs).not.toBe(ctimeMs);
  file.verify(true);
  expect(file.fingerprint()).toContain(':10:');
  writeFileSync(path, '012345678x');
  utimesSync(path, atime, mtime);
  expect(reasonOf(() => file.verify())).toBe('changed-while-read');
  file.close();
});

it('a new ctime of a file that was not read to its end is a fault', () => {
  const { path, file } = opened('0123456789');
  expect(file.read(Buffer.alloc(4))).toBe(4);
  linkSync(path, `${path}.backup`);
  expect(reasonOf(() => file.verify(true))).toBe('changed-while-read');
  file.close();
});

it('a missing file, a folder and a device are reported by name', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'd'));
  expect(reasonOf(() => openFile(Buffer.from(join(folder, 'none')), { follow: false }))).toBe('vanished');
  expect(reasonOf(() => openFile(Buffer.from(join(folder, 'd')), { follow: false }))).toBe('not-regular');
  expect(reasonOf(() => openFile(Buffer.from('/dev/null'), { follow: false }))).toBe('not-regular');
});
