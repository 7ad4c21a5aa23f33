/**
 * F003, F010: a worker thread dies, by process.exit or by filling its heap; its source is read again in a fresh thread, and nothing is lost
 * or doubled. A signal cannot kill a single thread (SIGKILL ends the whole process: kill.test.ts), so a preloaded module makes the thread
 * exit (test/support/thread-faults.mjs); `worker_restarts` in run.json proves that it did. The main thread reads the first task and never
 * fails, so the sources named here are read by worker threads.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMAND, type Ended, ended, turnmill } from '../support/command.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';
import { sessionLines, writePlainLogs } from '../support/plain-logs.ts';

const FILES = ['a.jsonl', 'b.jsonl', 'c.jsonl', 'd.jsonl', 'e.jsonl'];
const SHARD = 'data/conversations-00000.jsonl';

/** Five tasks of many sessions, with results in many batches; b.jsonl is followed by small files. */
function writeLogs(logs: string): void {
  mkdirSync(logs);
  for (const [n, name] of FILES.entries()) {
    const sessions = Array.from({ length: 40 }, (_, i) =>
      sessionLines(`${name}-${i}`, { entries: 4, messageChars: 4000, seed: n * 100 + i }),
    );
    const lines = [...sessions.flat(), 'torn', ''];
    writeFileSync(join(logs, name), lines.join('\n'));
  }
  writePlainLogs(join(logs, 'bb'), { sessions: 20, entries: 3, messageChars: 400, seed: 1 });
}

const FAULTS = new URL('../support/thread-faults.mjs', import.meta.url).href;

/** @param fault see thread-faults.mjs; `fired` counts how often it fired */
async function build(
  logs: string,
  out: string,
  args: readonly string[],
  fault?: string,
  heapMegabytes?: number,
): Promise<Ended & { readonly fired: number }> {
  const all = ['build', logs, '--out', out, '--session-by', 'id', '--group-by', 'none', ...args];
  const log = join(fault === undefined ? logs : temporaryFolder(), 'fired');
  const heap = heapMegabytes === undefined ? '' : ` --max-old-space-size=${heapMegabytes}`;
  const faultEnvironment = {
    THREAD_FAULT: fault,
    THREAD_FAULT_LOG: log,
    NODE_OPTIONS: `--import=${FAULTS}${heap}`,
  };
  const env = fault === undefined ? process.env : { ...process.env, ...faultEnvironment };
  const child = spawn(process.execPath, [COMMAND, ...all], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  const run = await ended(child);
  return { ...run, fired: existsSync(log) ? statSync(log).size : 0 };
}

const restartsOf = (out: string): number =>
  JSON.parse(readFileSync(join(out, 'run.json'), 'utf8')).worker_restarts;
const linesOf = (text: Buffer): string[] => text.toString().split('\n').slice(0, -1);
const jsonOf = (path: string): Record<string, unknown>[] =>
  linesOf(readFileSync(path)).map((line) => JSON.parse(line));
/** Hashes of records, to keep diffs short. */
const recordsIn = (text: Buffer): string[] =>
  linesOf(text).map((line) => createHash('sha256').update(line).digest('hex'));

describe('F003, F010: one worker thread dies', () => {
  let logs: string;
  let folder: string;
  let straight: Record<string, string>;
  let records: Buffer;
  /** Source of each record of the straight run. */
  let owners: unknown[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'turnmill-'));
    logs = join(folder, 'logs');
    writeLogs(logs);
    const whole = join(folder, 'straight');
    expect(await build(logs, whole, ['--workers', '2'])).toMatchObject({ status: 3 });
    expect(restartsOf(whole)).toBe(0);
    straight = hashesOf(whole);
    records = readFileSync(join(whole, SHARD));
    owners = jsonOf(join(whole, 'ledger/sessions.jsonl')).map(({ source }) => source);
    expect(owners).toHaveLength(recordsIn(records).length);
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  const small = 'bb/2026-01-13/job-008.jsonl';
  it.each([
    ['2', 'exit:b.jsonl:1:0', 1],
    ['2', 'exit:b.jsonl:1:2', 1],
    ['4', 'exit:c.jsonl:2:2', 2],
    ['4', 'exit:e.jsonl:2:1', 2],
    ['2', `exit:${small}:2:0`, 2],
    ['4', `exit:${small}:1:0`, 1],
  ])('%s workers, %s: the same dataset', async (workers, fault, restarts) => {
    const out = join(folder, `out-${workers}-${fault.replaceAll(/\W/g, '-')}`);
    const run = await build(logs, out, ['--workers', workers], fault);
    expect(run, run.stderr).toMatchObject({ status: 3, fired: restarts });
    expect(hashesOf(out)).toEqual(straight);
    expect(restartsOf(out)).toBe(restarts);
  });

  it('2 workers, out of memory: the same dataset', async () => {
    const out = join(folder, 'oom');
    const run = await build(logs, out, ['--workers', '2'], 'oom:b.jsonl:1:2', 100);
    expect(run, run.stderr).toMatchObject({ status: 3, fired: 1 });
    expect(hashesOf(out)).toEqual(straight);
    expect(restartsOf(out)).toBe(1);
  });

  it.each([
    ['2', 'exit:b.jsonl:1:2', 1],
    ['4', 'exit:d.jsonl:2:2', 2],
  ])('%s workers, %s: the same records on standard output', async (workers, fault, fired) => {
    const run = await build(logs, '-', ['--workers', workers], fault);
    expect(run, run.stderr).toMatchObject({ status: 3, fired });
    expect(run.stdout.equals(records)).toBe(true);
  });

  it.each([
    ['2', 'b.jsonl', 0],
    ['4', 'c.jsonl', 2],
    ['2', small, 0],
  ])(
    '%s workers die three times over %s: worker-crash, and the run continues',
    async (workers, name, batches) => {
      const out = join(folder, `crash-${workers}-${name.replaceAll(/\W/g, '-')}`);
      const fault = `exit:${name}:3:${batches}`;
      const run = await build(logs, out, ['--workers', workers], fault);
      expect(run, run.stderr).toMatchObject({ status: 3, fired: 3 });
      expect(restartsOf(out)).toBe(3);
      const sources = jsonOf(join(out, 'ledger/sources.jsonl'));
      expect(sources.filter(({ status }) => status === 'rejected')).toMatchObject([
        { source: name, status: 'rejected', reason: 'worker-crash', fates: {} },
      ]);
      expect(jsonOf(join(out, 'quarantine/rejected.jsonl'))).toContainEqual(
        expect.objectContaining({
          scope: 'source',
          source: expect.objectContaining({ uri: name }),
          reason: 'worker-crash',
        }),
      );
      const others = recordsIn(records).filter((_, i) => owners[i] !== name);
      expect(others.length).toBeLessThan(owners.length);
      expect(recordsIn(readFileSync(join(out, SHARD)))).toEqual(others);
      expect(await turnmill(['verify', out])).toMatchObject({ status: 0 });
    },
  );

  it('three deaths after records are on standard output: whole sessions, none twice, and the ledger adds up', async () => {
    const run = await build(logs, '-', ['--workers', '2'], 'exit:b.jsonl:3:1');
    expect(run, run.stderr).toMatchObject({ status: 3, fired: 3 });
    expect(run.stderr).toContain('worker-crash');
    const [all, found] = [recordsIn(records), recordsIn(run.stdout)];
    const from = owners.indexOf('b.jsonl');
    const count = owners.filter((owner) => owner === 'b.jsonl').length;
    const out = count - (all.length - found.length);
    expect(out).toBeGreaterThan(0);
    expect(out).toBeLessThan(count);
    expect(found).toEqual([...all.slice(0, from + out), ...all.slice(from + count)]);
  });

  it('an error reported by the thread ends the run', async () => {
    const out = join(folder, 'bug');
    const run = await build(logs, out, ['--workers', '2'], 'bug:b.jsonl:1:2');
    expect(run).toMatchObject({ status: 70, fired: 1 });
    expect(run.stderr).toContain('a bug from outside');
    expect(existsSync(out)).toBe(false);
  });

  it('threads that die before they get a source end the run', async () => {
    const out = join(folder, 'idle');
    const run = await build(logs, out, ['--workers', '2'], 'exit');
    expect(run).toMatchObject({ status: 70, fired: 3 });
    expect(run.stderr).toContain('worker-lost');
    expect(existsSync(out)).toBe(false);
  });
});
