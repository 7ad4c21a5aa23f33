/**
 * F001: SIGKILL at every system call that changes the destination's folder, one kind after the other. After each kill the destination is
 * absent, the whole old dataset or the whole new one; a plain rerun gives the same bytes and leaves nothing else.
 */
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, vi } from 'vitest';
import { turnmill } from '../support/command.ts';
import { writeCopiedLogs } from '../support/copied-logs.ts';
import { faultTest } from '../support/faults.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';
import { writePlainLogs } from '../support/plain-logs.ts';
import { numbered, traced } from '../support/strace.ts';

const NAMES = 'mkdir openat write fsync close chmod symlink rename unlink rmdir'.split(' ');
const MIN_KILLS = 50;
/** Checkpoints add many of these calls, and none of other kinds. */
const RESUME_NAMES = 'mkdir fsync rename unlink'.split(' ');
/** Other calls of the same name (to wake a thread) come and go between runs: missed numbers are tried again with their neighbours. */
const ROUNDS = 12;

interface Sweep {
  readonly parent: string;
  /** The arguments of the complete run, from the state that `prepare` creates. */
  readonly args: readonly string[];
  prepare(): Promise<void>;
  /** Checks the visible state after the kill. */
  look(): void;
}

/** Kills at each call of this name. @returns the number of kills */
async function sweep(name: string, { parent, args, prepare, look }: Sweep): Promise<number> {
  await prepare();
  const whole = await traced(args, { calls: name });
  expect(whole.status, whole.stderr).toBe(0);
  const there = numbered(whole.calls, parent);
  const hit = new Set<string>();
  const missed = (): number[] => [...there].flatMap(([n, call]) => (hit.has(call) ? [] : [n]));
  let kills = 0;
  for (let round = 0; round < ROUNDS && missed().length > 0; round++) {
    for (const n of new Set(
      missed().flatMap((at) => Array.from({ length: 2 * round + 1 }, (_, i) => at - round + i)),
    )) {
      await prepare();
      const run = await traced(args, { calls: name, inject: `signal=SIGKILL:when=${n}` });
      if (run.signal !== 'SIGKILL') continue;
      kills++;
      const call = numbered(run.calls, parent).get(run.calls.length);
      if (call !== undefined) hit.add(call);
      look();
    }
  }
  expect(missed().map((n) => there.get(n))).toEqual([]);
  return kills;
}

const leftovers = (parent: string): string[] =>
  readdirSync(parent).filter((name) => /\.(?:staging|link|old)-/.test(name));

/** The options of a first build, with logs that need them. */
const FIRST: readonly (readonly [string, readonly string[], (logs: string) => void])[] = [
  ['', [], (logs) => writePlainLogs(logs, { sessions: 3, entries: 2, messageChars: 800, seed: 1 })],
  [' that leaves out copies', ['--copies', 'drop'], (logs) => writeCopiedLogs(logs, 1, 4)],
  [' that marks copies', ['--copies', 'mark', '--format', 'trl'], (logs) => writeCopiedLogs(logs, 1, 4)],
];

for (const [what, options, writeLogs] of FIRST)
  faultTest(
    'F001',
    `SIGKILL at every mutating system call of a first build${what}`,
    { needs: ['ptrace'], long: true },
    async () => {
      const parent = temporaryFolder();
      const [logs, out] = [join(parent, 'logs'), join(parent, 'out')];
      writeLogs(logs);
      const args = ['build', logs, '--out', out, '--workers', '1', ...options];
      expect(await turnmill(args)).toMatchObject({ status: 0 });
      const whole = hashesOf(out);
      const rerun = async (): Promise<void> => {
        if (!existsSync(out)) {
          expect(await turnmill(args)).toMatchObject({ status: 0 });
          expect(leftovers(parent)).toEqual([]);
        }
        expect(hashesOf(out)).toEqual(whole);
        rmSync(out, { recursive: true });
      };
      let kills = 0;
      for (const name of NAMES) {
        kills += await sweep(name, {
          parent,
          args,
          prepare: rerun,
          look: () => {
            if (existsSync(out)) expect(hashesOf(out)).toEqual(whole);
          },
        });
      }
      await rerun();
      expect(kills).toBeGreaterThan(MIN_KILLS);
    },
  );

faultTest(
  'F001',
  'SIGKILL at every mutating system call of a replacement',
  { needs: ['ptrace'], long: true },
  async () => {
    const parent = temporaryFolder();
    const [logs, old, out] = [join(parent, 'logs'), join(parent, 'logs-old'), join(parent, 'out')];
    writePlainLogs(logs, { sessions: 3, entries: 2, messageChars: 800, seed: 1 });
    writePlainLogs(old, { sessions: 2, entries: 2, messageChars: 800, seed: 2 });
    const replace = (from: string): string[] => ['build', from, '--out', out, '--replace', '--workers', '1'];
    const run = async (from: string): Promise<Record<string, string>> => {
      expect(await turnmill(replace(from))).toMatchObject({ status: 0 });
      expect(leftovers(parent)).toEqual([]);
      return hashesOf(out);
    };
    const newHashes = await run(logs);
    const oldHashes = await run(old);
    let kills = 0;
    for (const name of NAMES) {
      kills += await sweep(name, {
        parent,
        args: replace(logs),
        prepare: async () => expect(await run(old)).toEqual(oldHashes),
        look: () => expect([oldHashes, newHashes]).toContainEqual(hashesOf(out)),
      });
    }
    expect(await run(logs)).toEqual(newHashes);
    expect(kills).toBeGreaterThan(MIN_KILLS);
  },
);

/** A checkpoint after every source; each killed run is resumed. */
async function resumes(prepareFurther: (args: readonly string[]) => Promise<void>): Promise<void> {
  vi.stubEnv('TURNMILL_CHECKPOINT_BYTES', '0');
  onTestFinished(() => {
    vi.unstubAllEnvs();
  });
  const parent = temporaryFolder();
  const [logs, out] = [join(parent, 'logs'), join(parent, 'out')];
  writePlainLogs(logs, { sessions: 3, entries: 2, messageChars: 800, seed: 1 });
  const args = ['build', logs, '--out', out, '--workers', '1', '--resume'];
  expect(await turnmill(args)).toMatchObject({ status: 0 });
  const whole = hashesOf(out);
  const finish = async (): Promise<void> => {
    if (!existsSync(out)) expect(await turnmill(args)).toMatchObject({ status: 0 });
    expect(leftovers(parent)).toEqual([]);
    expect(hashesOf(out)).toEqual(whole);
    rmSync(out, { recursive: true });
  };
  let kills = 0;
  for (const name of RESUME_NAMES) {
    kills += await sweep(name, {
      parent,
      args,
      prepare: async () => {
        await finish();
        await prepareFurther(args);
      },
      look: () => {
        if (existsSync(out)) expect(hashesOf(out)).toEqual(whole);
      },
    });
  }
  await finish();
  expect(kills).toBeGreaterThan(MIN_KILLS);
}

faultTest(
  'F001',
  'SIGKILL at every change of a run with checkpoints, then --resume',
  { needs: ['ptrace'], long: true },
  () => resumes(async () => undefined),
);
faultTest(
  'F001',
  'SIGKILL at every change of a resumed run, then --resume again',
  { needs: ['ptrace'], long: true },
  () =>
    resumes(async (args) => {
      const { signal } = await traced(args, { calls: 'rename', inject: 'signal=SIGKILL:when=2' });
      expect(signal).toBe('SIGKILL');
    }),
);
