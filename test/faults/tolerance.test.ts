/** `--max-quarantine` from outside: exactly that many, and not one more. */
import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { entry, title } from '../src/cli/small-logs.ts';
import type { Ended } from '../support/command.ts';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { temporaryFolder } from '../support/folder.ts';

interface Run extends Ended {
  /** Does the dataset exist? */
  readonly isBuilt: boolean;
  /** Names in the folder of the logs. */
  readonly beside: readonly string[];
}

async function build(files: Readonly<Record<string, string | Buffer>>, ...args: string[]): Promise<Run> {
  const folder = temporaryFolder();
  const [logs, out] = [join(folder, 'logs'), join(folder, 'out')];
  mkdirSync(logs);
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(logs, name)), { recursive: true });
    writeFileSync(join(logs, name), bytes);
  }
  const run = await turnmill(['build', logs, '--out', out, ...args]);
  return { ...run, isBuilt: existsSync(out), beside: readdirSync(folder) };
}

const lines = (...all: string[]): string => `${all.join('\n')}\n`;
const good = Array.from({ length: 98 }, (_, i) => entry({ second: i, id: `s${i}` }));
/** 100 lines, two of them bad. */
const twoBad = { 'a.jsonl': lines(...good.slice(0, 50), '{', ...good.slice(50), '[') };
const byId = ['--session-by', 'run'];

test.each(['2', '2%', '2.0%', '100%'])('F163 2 of 100 lines are within %s: 3', async (tolerance) => {
  const run = await build(twoBad, ...byId, '--max-quarantine', tolerance);
  expect([run.status, run.isBuilt]).toEqual([3, true]);
});

test.each(['0', '1', '1%', '1.9999%'])('F163 2 of 100 lines are beyond %s: 65', async (tolerance) => {
  const run = await build(twoBad, ...byId, '--max-quarantine', tolerance);
  expect([run.status, run.beside]).toEqual([65, ['logs']]);
  expect(JSON.parse(run.stderr)).toMatchObject({ code: 'rejected', subject: '--max-quarantine' });
});

test('F163 nothing rejected is within 0 and 0%', async () => {
  for (const tolerance of ['0', '0%']) {
    const run = await build({ 'a.jsonl': entry() }, '--max-quarantine', tolerance);
    expect([run.status, run.isBuilt]).toEqual([0, true]);
  }
});

test('F163 the entries of rejected sessions count, over all sources and workers', async () => {
  const late = lines(entry({ second: 2 }), entry({ second: 1 }));
  const files = { 'a.jsonl': late, 'b.jsonl': lines('{', entry()), 'c.jsonl': late, 'd.jsonl': entry() };
  expect((await build(files, '--workers', '2', '--max-quarantine', '5')).status).toBe(3);
  expect((await build(files, '--workers', '2', '--max-quarantine', '4')).status).toBe(65);
});

test('F163 a source lost before its first line counts as one', async () => {
  const files = { 'cut.jsonl.gz': gzipSync('x').subarray(0, 5), 'good.jsonl': entry() };
  expect((await build(files, '--max-quarantine', '1')).status).toBe(3);
  expect((await build(files, '--max-quarantine', '50%')).status).toBe(3);
  expect((await build(files, '--max-quarantine', '49%')).status).toBe(65);
  expect((await build(files, '--max-quarantine', '0')).status).toBe(65);
});

test('F163 check has the option too', async () => {
  const folder = temporaryFolder();
  writeFileSync(join(folder, 'a.jsonl'), twoBad['a.jsonl']);
  expect((await turnmill(['check', folder, ...byId, '--max-quarantine', '2'])).status).toBe(3);
  expect((await turnmill(['check', folder, ...byId, '--max-quarantine', '1'])).status).toBe(65);
});

test.each(['-1', '1.5', '101%', 'all', ''])('F163 %j is not a tolerance: 64', async (tolerance) => {
  expect((await build(twoBad, `--max-quarantine=${tolerance}`)).status).toBe(64);
});

describe('F162 input that leaves no records', () => {
  test('no input: 66', async () => {
    expect(await build({})).toMatchObject({ status: 66, beside: ['logs'] });
    expect(await build({ 'a.txt': 'no log' })).toMatchObject({ status: 66, beside: ['logs'] });
    expect(await build({ 'a.jsonl': '\n\n' })).toMatchObject({ status: 66, beside: ['logs'] });
  });

  test('all dropped by a rule: 0, with a warning', async () => {
    const run = await build({ 'a.jsonl': title(1) });
    expect([run.status, run.isBuilt]).toEqual([0, true]);
    expect(run.stderr).toContain('1 warning session without a record (no-record)');
  });

  test('all rejected: 3, or 65 with any tolerance below 100%', async () => {
    const files = { 'a.jsonl': '{\n' };
    expect((await build(files)).status).toBe(3);
    expect((await build(files, '--max-quarantine', '99.9999%')).status).toBe(65);
    expect((await build(files, '--max-quarantine', '100%')).status).toBe(3);
  });
});
