import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { fileSystem } from '../../../src/dataset/file-system.ts';
import { temporaryFolder } from '../../support/folder.ts';

test('removes a folder with dangling links and names that are not UTF-8, but not the targets of links', () => {
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

test('removes a link and keeps its target', () => {
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
