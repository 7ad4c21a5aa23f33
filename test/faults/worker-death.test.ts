/**
 * F003, F010: a worker thread dies, by process.exit or because its heap is full; its source is read again in a fresh one and
 * nothing is lost or doubled. A thread cannot be killed by a signal (SIGKILL ends the whole process: kill.test.ts), so it
 * kills itself when TURNMILL_FAULT asks it to (src/engine/lane-fault.ts); `worker_restarts` in run.json proves that it did.
 */
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { COMMAND, type Ended, ended, turnmill } from '../support/command.ts';
import { hashesOf } from '../support/folder.ts';
import { sessionLines, writePlainLogs } from '../support/plain-logs.ts';

const FILES = ['a.jsonl', 'b.jsonl', 'c.jsonl', 'd.jsonl', 'e.jsonl'];
const SHARD = 'data/conversations-00000.jsonl';

/** Five units of many sessions, whose records are many batches, and one unit of small files. */
function writeLogs(logs: string): void {
  mkdirSync(logs);
  for (const [n, name] of FILES.entries()) {
    const sessions = Array.from({ length: 40 }, (_, i) =>
      sessionLines(`${name}-${i}`, { entries: 4, messageChars: 4000, seed: n * 100 + i }),
    );
    const lines = [...sessions.flat(), 'torn', ''];
    writeFileSync(join(logs, name), lines.join('\n'));
  }
  writePlainLogs(join(logs, 'small'), { sessions: 20, entries: 3, messageChars: 400, seed: 1 });
}

function build(logs: string, out: string, args: readonly string[], env: NodeJS.ProcessEnv): Promise<Ended> {
  const all = ['build', logs, '--out', out, '--session-by', 'id', '--group-by', 'none', ...args];
  const stdio = ['ignore', 'pipe', 'pipe'] as const;
  return ended(
    spawn(process.execPath, [COMMAND, ...all], { env: { ...process.env, ...env }, stdio: [...stdio] }),
  );
}

const restartsOf = (out: string): number =>
  JSON.parse(readFileSync(join(out, 'run.json'), 'utf8')).worker_restarts;
const linesOf = (text: Buffer): string[] => text.toString().split('\n').slice(0, -1);
const jsonOf = (path: string): Record<string, unknown>[] =>
  linesOf(readFileSync(path)).map((line) => JSON.parse(line));
/** Records as hashes: a difference stays readable. */
const recordsIn = (text: Buffer): string[] =>
  linesOf(text).map((line) => createHash('sha256').update(line).digest('hex'));

describe('F003, F010: one worker thread dies', () => {
  let logs: string;
  let folder: string;
  let straight: Record<string, string>;
  let records: Buffer;
  /** Of each record of the straight run. */
  let owners: unknown[];

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'turnmill-'));
    logs = join(folder, 'logs');
    writeLogs(logs);
    const whole = join(folder, 'straight');
    expect(await build(logs, whole, ['--workers', '2'], {})).toMatchObject({ status: 3 });
    expect(restartsOf(whole)).toBe(0);
    straight = hashesOf(whole);
    records = readFileSync(join(whole, SHARD));
    owners = jsonOf(join(whole, 'ledger/sessions.jsonl')).map(({ source }) => source);
    expect(owners).toHaveLength(recordsIn(records).length);
  });

  afterAll(() => rmSync(folder, { recursive: true }));

  const small = 'small/2026-01-13/job-008.jsonl';
  it.each([
    ['2', 'worker-exit:b.jsonl', 1],
    ['2', 'worker-exit:a.jsonl:1:2', 1],
    ['4', 'worker-exit:c.jsonl:2:2', 2],
    ['4', 'worker-exit:e.jsonl:2:1', 2],
    ['2', `worker-exit:${small}:2`, 2],
    ['4', `worker-exit:${small}`, 1],
  ])('%s workers, %s: the same dataset', async (workers, fault, restarts) => {
    const out = join(folder, `out-${workers}-${fault.replaceAll(/\W/g, '-')}`);
    const run = await build(logs, out, ['--workers', workers], { TURNMILL_FAULT: fault });
    expect(run.status, run.stderr).toBe(3);
    expect(hashesOf(out)).toEqual(straight);
    expect(restartsOf(out)).toBe(restarts);
  });

  it('2 workers, out of memory: the same dataset', async () => {
    const out = join(folder, 'oom');
    const env = { TURNMILL_FAULT: 'worker-oom:b.jsonl:1:2', NODE_OPTIONS: '--max-old-space-size=100' };
    expect(await build(logs, out, ['--workers', '2'], env)).toMatchObject({ status: 3 });
    expect(hashesOf(out)).toEqual(straight);
    expect(restartsOf(out)).toBe(1);
  });

  it.each([
    ['2', 'worker-exit:b.jsonl:1:2'],
    ['4', 'worker-exit:d.jsonl:2:2'],
  ])('%s workers, %s: the same records on standard output', async (workers, fault) => {
    const run = await build(logs, '-', ['--workers', workers], { TURNMILL_FAULT: fault });
    expect(run.status, run.stderr).toBe(3);
    expect(run.stdout.equals(records)).toBe(true);
  });

  it.each([
    ['2', 'c.jsonl', 0],
    ['4', 'c.jsonl', 2],
    ['2', small, 0],
  ])(
    '%s workers die three times over %s: worker-crash, and the run goes on',
    async (workers, name, batches) => {
      const out = join(folder, `crash-${workers}-${name.replaceAll(/\W/g, '-')}`);
      const fault = `worker-exit:${name}:3:${batches}`;
      const run = await build(logs, out, ['--workers', workers], { TURNMILL_FAULT: fault });
      expect(run.status, run.stderr).toBe(3);
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

  it('three deaths after records are on standard output: whole sessions, none twice, and the books balance', async () => {
    const env = { TURNMILL_FAULT: 'worker-exit:c.jsonl:3:1' };
    const run = await build(logs, '-', ['--workers', '2'], env);
    expect(run.status).toBe(3);
    expect(run.stderr).toContain('worker-crash');
    const [all, found] = [recordsIn(records), recordsIn(run.stdout)];
    const from = owners.indexOf('c.jsonl');
    const count = owners.filter((owner) => owner === 'c.jsonl').length;
    const out = count - (all.length - found.length);
    expect(out).toBeGreaterThan(0);
    expect(out).toBeLessThan(count);
    expect(found).toEqual([...all.slice(0, from + out), ...all.slice(from + count)]);
  });

  it('a fault that the thread reports ends the run', async () => {
    const out = join(folder, 'bug');
    const run = await build(logs, out, ['--workers', '2'], { TURNMILL_FAULT: 'worker-bug:b.jsonl:1:2' });
    expect(run).toMatchObject({ status: 70 });
    expect(run.stderr).toContain('TURNMILL_FAULT asked for it');
    expect(existsSync(out)).toBe(false);
  });

  it('threads that die before they have a source end the run', async () => {
    const out = join(folder, 'idle');
    const run = await build(logs, out, ['--workers', '2'], { TURNMILL_FAULT: 'worker-exit' });
    expect(run).toMatchObject({ status: 70 });
    expect(run.stderr).toContain('worker-lost');
    expect(existsSync(out)).toBe(false);
  });
});
