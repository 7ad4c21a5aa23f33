import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createTemporaryFolder, removeLeftovers } from '../../src/temporary-folder.ts';

it('is private, and removes the folders of processes that have ended', () => {
  const { pid } = spawnSync('true');
  const [left, own] = [pid, process.pid].map((id) => join(tmpdir(), `turnmill-view-${id}-left`)) as [
    string,
    string,
  ];
  mkdirSync(left);
  mkdirSync(own);
  removeLeftovers();
  const folder = createTemporaryFolder('view');
  try {
    expect(statSync(folder).mode & 0o777).toBe(0o700);
    expect([existsSync(left), existsSync(own)]).toEqual([false, true]);
  } finally {
    for (const path of [folder, own]) rmSync(path, { recursive: true });
  }
});
