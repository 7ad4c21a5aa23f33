/** A folder that is one source and that had just changed has no fingerprint: resumed, its quarantine records still have its size. */
import { cpSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it, vi } from 'vitest';
import { build } from '../../../src/job/build.ts';
import { REPOSITORY } from '../../support/dialect-logs.ts';
import { hashesOf, temporaryFolder } from '../../support/folder.ts';
import { stopAfter } from '../../support/stopped-run.ts';

afterEach(() => vi.unstubAllEnvs());

it('gives the bytes of a straight run, wherever it was stopped', async () => {
  vi.stubEnv('TURNMILL_CHECKPOINT_BYTES', '0');
  const folder = temporaryFolder();
  const [logs, straight, out] = ['logs', 'straight', 'out'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  for (const name of ['a', 'b', 'c'])
    cpSync(join(REPOSITORY, 'test/goldens/openhands-folder/logs'), join(logs, name), { recursive: true });
  let results = 0;
  await build({ inputs: [logs], workers: 1, out: straight }, { onResult: () => void results++ });
  expect(readFileSync(join(straight, 'quarantine/rejected.jsonl'), 'utf8')).toContain('"size":');
  for (let stop = 1; stop <= results; stop++) {
    await stopAfter({ inputs: [logs], workers: 1, out }, stop);
    await build({ inputs: [logs], workers: 1, out, resume: true, replace: true });
    expect(hashesOf(out), `stopped after ${stop} results`).toEqual(hashesOf(straight));
    rmSync(out, { recursive: true });
  }
});
