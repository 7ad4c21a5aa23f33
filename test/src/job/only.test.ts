/** `build --only`: writes the sessions that a file lists and accounts for all others. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry, writeLog } from '../cli/small-logs.ts';

test('only the listed sessions become records, and the ledger still accounts for every line', async () => {
  const folder = temporaryFolder();
  const [logs, out, ids] = [join(folder, 'logs'), join(folder, 'out'), join(folder, 'only.txt')];
  const odd = 'with\nline end';
  writeLog(logs, 'a.jsonl', [entry({ id: 'a' }), entry({ id: 'a', second: 1 })]);
  writeLog(logs, 'b.jsonl', [entry({ id: 'b' }), '{"bad']);
  writeLog(logs, 'c.jsonl', [entry({ id: odd })]);
  writeFileSync(ids, `b\r\n${JSON.stringify(odd)}\n`);
  const { status } = await turnmill(['build', logs, '--out', out, '--only', ids]);
  expect(status).toBe(3);
  const sums = JSON.parse(readFileSync(join(out, 'reports/summary.json'), 'utf8'));
  expect(sums.fates).toEqual({ 'dropped:not-selected': 2, 'rejected:invalid-json': 1, snapshot: 2 });
  expect(sums.sessions).toEqual({ seen: 3, written: 2, empty: 1 });
  expect(sums.findings['no-record']).toBeUndefined();
  const verified = await turnmill(['verify', out]);
  expect([verified.status, verified.stdout.toString()]).toEqual([0, expect.stringContaining('no problems')]);
  const manifest = readFileSync(join(out, 'manifest.json'), 'utf8');
  expect(JSON.parse(manifest).settings.onlySha256).toMatch(/^[0-9a-f]{64}$/);
  expect(manifest).not.toContain('line end');
});

test('refuses an id that begins with a quotation mark and is not a JSON string', async () => {
  const ids = join(temporaryFolder(), 'only.txt');
  writeFileSync(ids, '"a\n');
  const { status, stderr } = await turnmill(['build', 'logs', '--out', 'out', '--only', ids]);
  expect([status, stderr]).toEqual([64, expect.stringContaining('is not a JSON string')]);
});
