/** The card of a run that was stopped and resumed: its columns are typed by all records, also those written before the stop. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { build } from '../../../src/job/build.ts';
import { entryLine, USER } from '../../support/build-logs.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { stopAfter } from '../../support/stopped-run.ts';

afterEach(() => vi.unstubAllEnvs());

/** The first source alone has a text that looks like a time. */
const CONTENTS = ['2026-01-01T00:00:00', 'a', 'b', 'c'];

test.each([['trl'], ['prompt'], ['openai'], ['sharegpt'], ['samples']])('%s', async (format) => {
  vi.stubEnv('TURNMILL_CHECKPOINT_BYTES', '0');
  const folder = temporaryFolder();
  const path = (name: string): string => join(folder, name);
  mkdirSync(path('logs'));
  for (const [i, content] of CONTENTS.entries())
    writeFileSync(
      path(`logs/${i}.jsonl`),
      `${entryLine({ id: `s${i}`, messages: [{ ...USER, content }] })}\n`,
    );
  const shared = { inputs: [path('logs')], format: [format], workers: 1 };
  let results = 0;
  await build({ ...shared, out: path('straight') }, { onResult: () => void results++ });
  expect(await stopAfter({ ...shared, out: path('resumed') }, results - 2)).toBe(false);
  await build({ ...shared, out: path('resumed'), resume: true });
  expect(JSON.parse(readFileSync(path('resumed/run.json'), 'utf8')).resumed).toBe(true);
  const card = (name: string): string => readFileSync(path(`${name}/README.md`), 'utf8');
  expect(card('resumed')).toBe(card('straight'));
});
