/**
 * F020, F023-F025, F028 on the real system: strace makes single calls on the destination's folder fail. Nothing is published, nothing
 * stays, one line says why, and a rerun gives the same bytes. power-loss.test.ts does the same, and permanent failures too, on a model of a
 * disk; this test covers Node and the answers of the kernel.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect } from 'vitest';
import { turnmill } from '../support/command.ts';
import { faultTest } from '../support/faults.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';
import { writePlainLogs } from '../support/plain-logs.ts';
import { numbered, type Traced, traced } from '../support/strace.ts';

interface Case {
  readonly id: string;
  readonly call: string;
  /** The fault that strace injects into the call. */
  readonly inject: string;
  readonly status: number;
  readonly replace?: boolean;
  /** Later calls of this name fail too. Only for calls that the process itself can do without. */
  readonly sticky?: boolean;
  /** Also runs in `npm test`, for one call. */
  readonly quick?: boolean;
}

const CASES: readonly Case[] = [
  { id: 'F020', call: 'write', inject: 'error=ENOSPC', status: 74, quick: true },
  { id: 'F020', call: 'mkdir', inject: 'error=EDQUOT', status: 74, sticky: true, quick: true },
  { id: 'F023', call: 'fsync', inject: 'error=EIO', status: 74, sticky: true, quick: true },
  { id: 'F023', call: 'close', inject: 'error=EIO', status: 74 },
  { id: 'F024', call: 'rename', inject: 'error=EXDEV', status: 73, sticky: true },
  { id: 'F024', call: 'rename', inject: 'error=EACCES', status: 77, sticky: true },
  { id: 'F024', call: 'rename', inject: 'error=EIO', status: 74, replace: true },
  { id: 'F024', call: 'symlink', inject: 'error=EROFS', status: 73, replace: true },
  { id: 'F025', call: 'write', inject: 'retval=10', status: 74, quick: true },
  { id: 'F028', call: 'openat', inject: 'error=ENFILE', status: 74, quick: true },
  { id: 'F028', call: 'openat', inject: 'error=ENOMEM', status: 74 },
];

const FOLDER = /\/(?:data|ledger|quarantine|reports|work)>/;

interface Prepared {
  readonly parent: string;
  readonly out: string;
  readonly args: readonly string[];
  readonly whole: Readonly<Record<string, string>>;
  /** Calls of this name that concern the destination's folder, by number. */
  readonly there: ReadonlyMap<number, string>;
}

async function prepare({ call, replace }: Case): Promise<Prepared> {
  const parent = temporaryFolder();
  const [logs, out] = [join(parent, 'logs'), join(parent, 'out')];
  writePlainLogs(logs, { sessions: 3, entries: 2, messageChars: 800, seed: 1 });
  const args = ['build', logs, '--out', out, '--workers', '1', ...(replace ? ['--replace'] : [])];
  const run = await traced(args, { calls: call });
  expect(run.status, run.stderr).toBe(0);
  return { parent, out, args, whole: hashesOf(out), there: numbered(run.calls, parent) };
}

/** @returns whether a call that concerns the destination was hit */
async function strike(
  { call, inject, status, sticky }: Case,
  prepared: Prepared,
  n: number,
): Promise<boolean> {
  const { parent, out, args, whole } = prepared;
  for (const name of readdirSync(parent))
    if (name !== 'logs') rmSync(join(parent, name), { recursive: true });
  const run = await traced(args, { calls: call, inject: `${inject}:when=${n}${sticky ? '+' : ''}` });
  const [hit] = run.injected;
  if (hit === undefined || !hit.text.includes(`${parent}/`) || hit.text.includes(`${parent}/logs`))
    return false;
  const where = `${call} ${n}: ${hit.text}`;
  if (call === 'close' && run.status === 0) expect(onlyRead(run), where).toBe(true);
  else {
    expect(run.status, `${where}\n${run.stderr}`).toBe(status);
    expect(existsSync(out), where).toBe(false);
    expect(readdirSync(parent), where).toEqual(['logs']);
    expect(run.stderr.trimEnd().split('\n'), where).toHaveLength(1);
    expect(JSON.parse(run.stderr), where).toHaveProperty('code');
    if (inject.startsWith('error=')) expect(JSON.parse(run.stderr).msg, where).toContain(inject.slice(6));
    expect(await turnmill(args), where).toMatchObject({ status: 0 });
  }
  if (call === 'fsync') expectNoSecondSync(run, where);
  expect(hashesOf(out), where).toEqual(whole);
  return true;
}

/**
 * Was the failed close that of a folder, or of a file closed before? Those were only read: nothing depends on them, and Node does not
 * report it.
 */
function onlyRead({ injected, calls }: Traced): boolean {
  const [path = ''] = /<[^>]+>/.exec(injected[0]?.text ?? '') ?? [];
  const first = calls.find(({ text }) => text.includes(path));
  return FOLDER.test(path) || first !== injected[0];
}

/**
 * After a failed fsync a file must not be synced again: the kernel may have dropped the pages, so a second fsync would succeed without
 * them.
 */
function expectNoSecondSync({ injected, calls }: Traced, where: string): void {
  const [file = ''] = /^\d+<[^>]+>/.exec(injected[0]?.text ?? '') ?? [];
  expect(calls.filter(({ text }) => text.startsWith(file)).length, where).toBe(1);
}

describe('F020, F023-F025, F028 a single call that the system fails', () => {
  for (const one of CASES) {
    const title = `${one.call} ${one.inject}${one.replace ? ' with --replace' : ''}${one.sticky ? ', from then on' : ''}`;
    const sweep = (numbers: (there: readonly number[]) => readonly number[], most: number) => async () => {
      const prepared = await prepare(one);
      let struck = 0;
      for (const n of numbers([...prepared.there.keys()])) {
        if (struck < most && (await strike(one, prepared, n))) struck++;
      }
      expect(struck).toBeGreaterThan(0);
    };
    if (one.quick) {
      const last = sweep((there) => there.toReversed(), 1);
      faultTest(one.id, `${title}: once`, { needs: ['ptrace'] }, last);
    }
    const all = sweep((there) => there, Number.POSITIVE_INFINITY);
    faultTest(one.id, `${title}: at every call`, { needs: ['ptrace'], long: true }, all);
  }
});

faultTest('F086', 'EIO when an input is closed: the bytes read are used', { needs: ['ptrace'] }, async () => {
  const parent = temporaryFolder();
  const [logs, out] = [join(parent, 'logs'), join(parent, 'out')];
  writePlainLogs(logs, { sessions: 2, entries: 2, messageChars: 80, seed: 1 });
  const log = join(logs, '2026-01-13/job-000.jsonl');
  const build = (name: string): string[] => ['build', logs, '--out', `${out}-${name}`, '--workers', '1'];
  expect(await turnmill(build('whole'))).toMatchObject({ status: 0 });
  const closed = await traced(build('close'), { calls: 'close', inject: 'error=EIO', path: log });
  expect(closed.injected).toHaveLength(1);
  expect(closed.status, closed.stderr).toBe(0);
  expect(hashesOf(`${out}-close`)).toEqual(hashesOf(`${out}-whole`));
});
