/** `build --only`: writes the sessions that a file lists and accounts for all others. */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
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

describe('ids that are in no log', () => {
  function logs(...ids: readonly string[]) {
    const folder = temporaryFolder();
    writeLog(join(folder, 'logs'), 'a.jsonl', [entry({ id: 'a' })]);
    writeLog(join(folder, 'logs'), 'b.jsonl', [entry({ id: 'b' })]);
    writeFileSync(join(folder, 'only.txt'), ids.map((id) => `${id}\n`).join(''));
    return { logs: join(folder, 'logs'), out: join(folder, 'out'), only: join(folder, 'only.txt') };
  }

  test.each([
    ['in this thread', ['--workers', '1']],
    ['with worker threads', ['--workers', '2']],
    ['with --copies drop', ['--copies', 'drop']],
  ])('are named, %s', async (_name, args) => {
    const { logs: input, out, only } = logs('b', 'x', 'a', 'y');
    const { status, stderr } = await turnmill(['build', input, '--out', out, '--only', only, ...args]);
    expect(status).toBe(0);
    expect(stderr).toContain('2 of the 4 ids in --only are in no log: x, y\n');
  });

  test('are an error if none is in a log: nothing is written without --allow-empty, or in a slice', async () => {
    const { logs: input, out, only } = logs('x', 'y');
    const { status, stderr } = await turnmill(['build', input, '--out', out, '--only', only]);
    expect([status, stderr]).toEqual([
      66,
      expect.stringContaining('none of the 2 ids in --only is in any log: x, y; use --allow-empty'),
    ]);
    expect(existsSync(out)).toBe(false);
    const slice = await turnmill(['build', input, '--out', out, '--only', only, '--slice', '1/2']);
    expect([slice.status, slice.stderr]).toEqual([0, expect.not.stringContaining('ids in --only')]);
    const empty = ['build', input, '--out', out, '--only', only, '--allow-empty', '--replace'];
    const { stderr: note, status: isEmpty } = await turnmill(empty);
    expect([isEmpty, note]).toEqual([0, expect.stringContaining('none of the 2 ids in --only')]);
  });

  test('are named by loop, which ends with 66 if no record has any', async () => {
    const { logs: input, out, only } = logs('x', 'b');
    expect((await turnmill(['build', input, '--out', out])).status).toBe(0);
    const { status, stdout, stderr } = await turnmill(['loop', out, '--only', only]);
    expect([status, stderr]).toEqual([0, 'turnmill: 1 of the 2 ids in --only is in no record: x\n']);
    expect(stdout.toString()).toBe('1 of 1 records close\n');
    writeFileSync(only, 'x\n');
    const none = await turnmill(['loop', out, '--only', only]);
    expect([none.status, none.stderr]).toEqual([
      66,
      expect.stringContaining('the id in --only is in no record: x'),
    ]);
  });
});
