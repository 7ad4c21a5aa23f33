import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileSystem } from '../../../src/dataset/file-system.ts';
import { temporaryFolder } from '../../support/folder.ts';

test('a folder goes with all in it: names that are not UTF-8, links that lead nowhere, and not what links lead to', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'tree/below/deeper'), { recursive: true });
  writeFileSync(join(folder, 'kept'), 'kept');
  writeFileSync(Buffer.concat([Buffer.from(join(folder, 'tree/below/')), Buffer.from([0xff, 0x2e])]), '');
  symlinkSync('nowhere', join(folder, 'tree/dangling'));
  symlinkSync(folder, join(folder, 'tree/below/up'));
  symlinkSync(join(folder, 'kept'), join(folder, 'tree/below/deeper/kept'));
  fileSystem.rmSync(join(folder, 'tree'));
  expect(existsSync(join(folder, 'tree'))).toBe(false);
  expect(readFileSync(join(folder, 'kept'), 'utf8')).toBe('kept');
});

test('a link is removed and its target stays, if it exists', () => {
  const folder = temporaryFolder();
  mkdirSync(join(folder, 'kept'));
  for (const target of ['kept', 'nowhere']) {
    symlinkSync(target, join(folder, 'link'));
    fileSystem.rmSync(join(folder, 'link'));
    expect(lstatSync(join(folder, 'link'), { throwIfNoEntry: false })).toBeUndefined();
  }
  expect(existsSync(join(folder, 'kept'))).toBe(true);
  expect(() => fileSystem.rmSync(join(folder, 'link'))).not.toThrow();
});
