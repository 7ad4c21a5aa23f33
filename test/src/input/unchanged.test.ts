import { mkdirSync, renameSync, rmSync, statSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { openFile } from '../../../src/input/sources/file.ts';
import type { SourceRef } from '../../../src/input/sources/source.ts';
import { fingerprintIfUnchanged } from '../../../src/input/unchanged.ts';
import { temporaryFolder } from '../../support/folder.ts';

const refOf = (path: string): SourceRef => ({ name: 'd/x.jsonl', input: 0, path, sizeBytes: 0 });

/** Reads the file to its end and returns its fingerprint. */
function fingerprintOf(path: string): string {
  const file = openFile(Buffer.from(path), { follow: false });
  const room = Buffer.alloc(64 * 1024);
  while (file.read(room) > 0);
  file.close();
  return file.fingerprint() as string;
}

afterEach(() => vi.useRealTimers());

/** Sets the clock to this many milliseconds after the file was written. */
function afterWriting(path: string, ms: number): void {
  vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(statSync(path).ctimeMs) + ms });
}

function written(text = 'one\n'): string {
  const path = join(temporaryFolder(), 'x.jsonl');
  writeFileSync(path, text);
  return path;
}

test('a file that was just written is identified by its bytes too, and an older one by its times alone', () => {
  const path = written();
  afterWriting(path, 0);
  const fresh = fingerprintOf(path);
  expect(fresh).toMatch(/^\d+:4:\d+:\d+:[0-9a-f]+$/);
  expect(fingerprintIfUnchanged(refOf(path), fresh)).toBe(fresh);
  afterWriting(path, 34_000);
  expect(fingerprintOf(path)).toBe(fresh); // the kernel may not have written the pages of the file back yet
  afterWriting(path, 36_000);
  const settled = fingerprintOf(path);
  expect(settled).toBe(fresh.split(':').slice(0, 4).join(':'));
  expect(fingerprintIfUnchanged(refOf(path), settled)).toBe(settled);
  expect(fingerprintIfUnchanged(refOf(path), fresh)).toBe(settled);
});

test('a checksum reveals other bytes with the same times', () => {
  const path = written();
  afterWriting(path, 0);
  const fingerprint = fingerprintOf(path);
  const other = fingerprint.replace(/[0-9a-f]+$/, (checksum) =>
    (Number.parseInt(checksum, 16) ^ 1).toString(16),
  );
  expect(fingerprintIfUnchanged(refOf(path), other)).toBeUndefined();
});

test.each<[string, (path: string) => void]>([
  ['longer', (path) => writeFileSync(path, 'one\ntwo\n')],
  ['of other bytes', (path) => writeFileSync(path, 'uno\n')],
  [
    'of other bytes with the time put back',
    (path) => {
      const { atime, mtime } = statSync(path);
      writeFileSync(path, 'uno\n');
      utimesSync(path, atime, mtime);
    },
  ],
  [
    'another one of the same bytes',
    (path) => {
      writeFileSync(`${path}2`, 'one\n');
      renameSync(`${path}2`, path);
    },
  ],
  ['touched', (path) => utimesSync(path, 5, 5)],
  ['gone', (path) => rmSync(path)],
  [
    'a folder',
    (path) => {
      rmSync(path);
      mkdirSync(path);
    },
  ],
  [
    'a link to itself',
    (path) => {
      rmSync(path);
      symlinkSync(path, path);
    },
  ],
  [
    'below a file',
    (path) => {
      rmSync(dirname(path), { recursive: true });
      writeFileSync(dirname(path), '');
    },
  ],
])('a file that is now %s has changed', (_what, change) => {
  const path = written();
  afterWriting(path, 0);
  const fingerprint = fingerprintOf(path);
  change(path);
  expect(fingerprintIfUnchanged(refOf(path), fingerprint)).toBeUndefined();
});

test('nothing is unchanged without a fingerprint', () => {
  expect(fingerprintIfUnchanged(refOf(written()), '')).toBeUndefined();
});

test('a new file that was not read to its end has no fingerprint', () => {
  const file = openFile(Buffer.from(written()), { follow: false });
  file.read(Buffer.alloc(2));
  expect(file.fingerprint()).toBeUndefined();
  file.close();
});
