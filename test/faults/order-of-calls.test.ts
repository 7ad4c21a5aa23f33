/**
 * F007: the order of the real calls, from a trace. For each published file: its last write, its fsync, the fsync of its folder, the fsync
 * of the staging folder, the rename, the fsync of the parent. The manifest is created last.
 */
import { join } from 'node:path';
import { expect } from 'vitest';
import { faultTest } from '../support/faults.ts';
import { temporaryFolder } from '../support/folder.ts';
import { writePlainLogs } from '../support/plain-logs.ts';
import { type Call, traced } from '../support/strace.ts';

const FOLDERS = ['data', 'ledger', 'quarantine', 'reports'];
const FILES = [
  'data/2026-01-13-00000.jsonl',
  'ledger/sources.jsonl',
  'ledger/sessions.jsonl',
  'quarantine/rejected.jsonl',
  'reports/integrity.jsonl',
  'reports/tool-usage.csv',
  'reports/summary.json',
  'run.json',
  'manifest.json',
];

faultTest(
  'F007',
  'the order of write, fsync and rename, with and without --replace',
  { needs: ['ptrace'] },
  async () => {
    const parent = temporaryFolder();
    const logs = join(parent, 'logs');
    writePlainLogs(logs, { sessions: 4, entries: 2, messageChars: 800, seed: 1 });
    for (const replace of [false, true]) {
      const out = join(parent, replace ? 'out-2' : 'out-1');
      const args = ['build', logs, '--out', out, '--workers', '1', ...(replace ? ['--replace'] : [])];
      const run = await traced(args, { calls: 'openat,write,fsync,rename,symlink' });
      expect(run.status, run.stderr).toBe(0);
      checkOrder(run.calls, parent, replace);
    }
  },
);

function checkOrder(calls: readonly Call[], parent: string, replace: boolean): void {
  const find = (from: number, name: string, what: RegExp): number => {
    const at = calls.findIndex((call, i) => i > from && call.name === name && what.test(call.text));
    expect(at, `${name} ${what} after ${from}`).toBeGreaterThan(from);
    return at;
  };
  const last = (name: string, what: RegExp): number =>
    calls.findLastIndex((call) => call.name === name && what.test(call.text));
  const created = (file: string): number => find(-1, 'openat', new RegExp(`staging-\\w+/${file}".*O_EXCL`));

  const rename = find(-1, 'rename', /staging-\w+", /);
  const rootSynced = last('fsync', /staging-\w+>/);
  expect(rootSynced).toBeLessThan(rename);
  for (const file of FILES) {
    const written = Math.max(created(file), last('write', new RegExp(`staging-\\w+/${file}>`)));
    const synced = find(written, 'fsync', new RegExp(`staging-\\w+/${file}>`));
    const [folder] = file.split('/');
    const named = FOLDERS.includes(folder as string)
      ? find(synced, 'fsync', new RegExp(`staging-\\w+/${folder}>`))
      : synced;
    expect(named).toBeLessThan(rootSynced);
  }
  for (const file of FILES) expect(created(file)).toBeLessThanOrEqual(created('manifest.json'));
  const parentSync = new RegExp(`<${parent}>`);
  const swap = replace ? find(find(rename, 'fsync', parentSync), 'symlink', /v-\w+", .*out-2"/) : rename;
  find(swap, 'fsync', parentSync);
}
