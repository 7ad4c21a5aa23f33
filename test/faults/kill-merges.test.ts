/**
 * F002: SIGKILL at random moments of slices and merges. A killed slice leaves nothing and can be repeated, also with `--resume`; a killed
 * merge leaves the old dataset or the new one. A repetition gives the bytes of one build.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { COMMAND, turnmill } from '../support/command.ts';
import { faultTest } from '../support/faults.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';
import { Moments } from '../support/moments.ts';
import { randomFrom, writePlainLogs } from '../support/plain-logs.ts';

const SEED = Number(process.env.TURNMILL_SEED ?? 1);
const SLICES = 3;
/** For `npm test`, and for the long suite. */
const RUNS = [
  { kills: 4, long: false },
  { kills: 20, long: true },
];

const leftovers = (parent: string): string[] =>
  readdirSync(parent).filter((name) => /\.(?:staging|link|old)-/.test(name));

/** Kills a run after a share of its usual time. @returns whether it fired while there was a half-written dataset */
async function killAt(
  moments: Moments,
  share: number,
  args: readonly string[],
  parent: string,
): Promise<boolean> {
  const child = spawn(process.execPath, [COMMAND, ...args], {
    stdio: 'ignore',
    env: { ...process.env, TURNMILL_CHECKPOINT_BYTES: '0' },
  });
  const { fired } = await moments.strike(child, share);
  return fired && leftovers(parent).length > 0;
}

async function done(args: readonly string[]): Promise<number> {
  const started = performance.now();
  expect(await turnmill(args)).toMatchObject({ status: 0 });
  return performance.now() - started;
}

async function killSlices(kills: number): Promise<void> {
  const folder = temporaryFolder();
  const [logs, out] = [join(folder, 'logs'), join(folder, 'out')];
  writePlainLogs(logs, { sessions: 60, entries: 12, messageChars: 4000, seed: SEED });
  await done(['build', logs, '--out', out, '--workers', '1']);
  const whole = hashesOf(out);
  rmSync(out, { recursive: true });
  const parts = Array.from({ length: SLICES }, (_, i) => join(folder, `part-${i + 1}`));
  const args = (i: number): string[] => [
    ...['build', logs, '--out', parts[i] as string, '--slice', `${i + 1}/${SLICES}`, '--workers', '1'],
  ];
  const moments = new Moments(await done(args(0)));
  rmSync(parts[0] as string, { recursive: true });

  const random = randomFrom(SEED);
  let fired = 0;
  let resumed = 0;
  for (let n = 0; fired < kills; n++) {
    const part = parts[n % SLICES] as string;
    rmSync(part, { recursive: true, force: true });
    if (await killAt(moments, random() * 1.1, args(n % SLICES), folder)) fired++;
    if (existsSync(part)) continue; // killed after it was published, or not at all
    const missing = await turnmill(['merge', '--missing', ...parts]);
    expect(missing.status).toBe(75);
    const again = [...args(n % SLICES), ...(n % 2 === 0 ? ['--resume'] : [])];
    const { status, stderr } = await turnmill(again);
    expect(status, stderr).toBe(0);
    if (/[1-9]\d* of \d+ sources are done/.test(stderr)) resumed++;
  }
  for (const [i, part] of parts.entries()) if (!existsSync(part)) await done(args(i));
  await done(['merge', ...parts, '--out', out]);
  expect(hashesOf(out)).toEqual(whole);
  expect(leftovers(folder)).toEqual([]);
  if (kills > 10) expect(resumed).toBeGreaterThan(0);
}

async function killMerges(kills: number, copies: readonly string[]): Promise<void> {
  const folder = temporaryFolder();
  const [logs, old, out] = [join(folder, 'logs'), join(folder, 'old'), join(folder, 'out')];
  writePlainLogs(logs, { sessions: 60, entries: 12, messageChars: 4000, seed: SEED });
  writePlainLogs(old, { sessions: 4, entries: 2, messageChars: 200, seed: SEED + 1 });
  await done(['build', logs, '--out', out, ...copies]);
  const whole = hashesOf(out);
  const parts = Array.from({ length: SLICES }, (_, i) => join(folder, `part-${i + 1}`));
  for (const [i, part] of parts.entries())
    await done(['build', logs, '--out', part, '--slice', `${i + 1}/${SLICES}`, ...copies]);
  const args = ['merge', ...parts, '--out', out, '--replace'];
  const moments = new Moments(await done(args));
  const before = (): Promise<number> => done(['build', old, '--out', out, '--replace']);
  await before();
  const oldHashes = hashesOf(out);

  const random = randomFrom(SEED + 7);
  let fired = 0;
  while (fired < kills) {
    if (await killAt(moments, random() * 1.1, args, folder)) fired++;
    const found = hashesOf(out);
    const isNew = JSON.stringify(found) === JSON.stringify(whole);
    expect(isNew ? whole : oldHashes).toEqual(found);
    if (isNew) await before();
  }
  await done(args);
  expect(hashesOf(out)).toEqual(whole);
  expect(leftovers(folder)).toEqual([]);
}

for (const { kills, long } of RUNS) {
  faultTest('F002', `${kills} kills of slices: absent or complete (seed ${SEED})`, { long }, () =>
    killSlices(kills),
  );
  faultTest('F002', `${kills} kills of a merge: old or new (seed ${SEED})`, { long }, () =>
    killMerges(kills, []),
  );
}
faultTest('F002', `20 kills of a merge that leaves records out (seed ${SEED})`, { long: true }, () =>
  killMerges(20, ['--copies', 'drop']),
);
