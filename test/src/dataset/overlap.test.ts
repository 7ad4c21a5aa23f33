/** Keeps what commands write beside a dataset out of it: one more file would fail `verify` and stop the next update. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sessionLog } from '../../support/build-logs.ts';
import { turnmillHere } from '../../support/command-here.ts';
import { hashesOf, temporaryFolder } from '../../support/folder.ts';

/** @returns OUT is a link to its version, as `--update` leaves it */
async function dataset(): Promise<{ folder: string; logs: string; out: string }> {
  const folder = temporaryFolder();
  const [logs, out] = [join(folder, 'logs'), join(folder, 'out')];
  mkdirSync(logs);
  writeFileSync(join(logs, 'a.jsonl'), sessionLog('a'));
  await turnmillHere(['build', logs, '--out', out]);
  await turnmillHere(['build', logs, '--update', out, '--format', 'trl', '--format', 'chat']);
  return { folder, logs, out };
}

test.each([
  ['report', '--out', 'page.html'],
  ['report', '--out', 'reports/index.html'],
  ['report', '--out', ''],
  ['view', '--export', 'pages'],
  ['view', '--export', ''],
  ['loop', '--out', 'loops/today'],
  ['loop', '--out', ''],
])('%s %s writes nothing to the dataset: %j', async (command, option, name) => {
  const { out } = await dataset();
  const before = hashesOf(out);
  const { status, stderr } = await turnmillHere([command, out, option, join(out, name)]);
  expect([status, stderr]).toEqual([64, expect.stringMatching(/the output \S+ is (?:inside )?the input /)]);
  expect(hashesOf(out)).toEqual(before);
});

test('report does not write to the dataset that it compares with, nor view --export to the logs', async () => {
  const { folder, logs, out } = await dataset();
  const other = join(folder, 'other');
  await turnmillHere(['build', logs, '--out', other]);
  const page = join(out, 'page.html');
  expect((await turnmillHere(['report', other, '--against', out, '--out', page])).status).toBe(64);
  expect((await turnmillHere(['view', logs, '--export', join(logs, 'pages')])).status).toBe(64);
  expect([existsSync(page), existsSync(join(logs, 'pages'))]).toEqual([false, false]);
});

test('a folder above the dataset may be written to', async () => {
  const { folder, out } = await dataset();
  expect((await turnmillHere(['loop', out, '--out', folder])).status).toBe(0);
  expect(readFileSync(join(folder, 'loop.jsonl'), 'utf8')).toContain('"done"');
});
