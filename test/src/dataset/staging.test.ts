import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { checkDestination } from '../../../src/dataset/destination.ts';
import { fileSystem } from '../../../src/dataset/file-system.ts';
import { siblingPath } from '../../../src/dataset/place.ts';
import { Staging } from '../../../src/dataset/staging.ts';
import { temporaryFolder } from '../../support/folder.ts';

afterEach(() => vi.restoreAllMocks());

test('removes the checkpoint of a superseded run before anything else', () => {
  const out = join(temporaryFolder(), 'out');
  const destination = checkDestination({ out, inputs: [], replace: false });
  const old = siblingPath(destination, 'staging', '0123456789abcdef');
  mkdirSync(join(old, 'work'), { recursive: true });
  mkdirSync(join(old, 'data'));
  writeFileSync(join(old, 'work/checkpoint.part'), '{}');
  writeFileSync(join(old, 'data/a.jsonl'), '{}\n');
  const staging = new Staging(destination, '0123456789abcdef');
  const { rmSync } = fileSystem;
  vi.spyOn(fileSystem, 'rmSync').mockImplementation((path) => {
    if (path !== join(old, 'work')) expect(existsSync(join(old, 'work'))).toBe(false);
    rmSync(path);
  });
  expect(staging.supersede()).toEqual([]);
  expect(existsSync(old)).toBe(false);
});
