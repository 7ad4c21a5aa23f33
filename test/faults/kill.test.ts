/**
 * F002: SIGKILL at random moments. At any moment the destination is absent, the whole old dataset or the whole new one, and `verify`
 * agrees; a rerun gives the same bytes and leaves nothing else.
 */
import { spawn } from 'node:child_process';
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { COMMAND, turnmill } from '../support/command.ts';
import { turnmillHere } from '../support/command-here.ts';
import { faultTest } from '../support/faults.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';
import { Moments } from '../support/moments.ts';
import { randomFrom, writePlainLogs } from '../support/plain-logs.ts';

const SEED = Number(process.env.TURNMILL_SEED ?? 1);
/** For `npm test`, and for the long suite. */
const RUNS = [
  { kills: 5, long: false },
  { kills: 200, long: true },
];
const WORKERS = ['1', '2', '4'];

interface Killed {
  /** Did the signal end the process? */
  readonly fired: boolean;
  /** Was there a half-written dataset in the parent? */
  readonly staged: boolean;
}

/** Kills the process, or with `group` its whole process group, after a share of its usual time. */
async function killAt(
  moments: Moments,
  share: number,
  args: readonly string[],
  parent: string,
  group: boolean,
): Promise<Killed> {
  const child = spawn(process.execPath, [COMMAND, ...args], { detached: true, stdio: 'ignore' });
  const { fired } = await moments.strike(child, share, () => {
    try {
      process.kill(group ? -(child.pid as number) : (child.pid as number), 'SIGKILL');
    } catch (error) {
      expect(error).toMatchObject({ code: 'ESRCH' }); // it had already ended
    }
  });
  return { fired, staged: leftovers(parent).length > 0 };
}

/** Were there enough kills, and enough of them during the work? How many it takes depends on the machine. */
function isEnough(killed: readonly Killed[], kills: number): boolean {
  const fired = killed.filter((one) => one.fired).length;
  return killed.length >= kills && fired > kills / 3 && killed.some(({ staged }) => staged);
}

const leftovers = (parent: string): string[] =>
  readdirSync(parent).filter(
    (name) => name.includes('.staging-') || name.includes('.link-') || name.includes('.old-'),
  );

async function timed(args: readonly string[]): Promise<number> {
  const started = performance.now();
  expect(await turnmill(args)).toMatchObject({ status: 0 });
  return performance.now() - started;
}

async function killFirstBuilds(kills: number): Promise<void> {
  const folder = temporaryFolder();
  const [logs, out] = [join(folder, 'logs'), join(folder, 'out')];
  writePlainLogs(logs, { sessions: 60, entries: 12, messageChars: 4000, seed: SEED });
  const moments = new Moments(await timed(['build', logs, '--out', out, '--workers', '1']));
  const whole = hashesOf(out);
  rmSync(out, { recursive: true });

  const random = randomFrom(SEED);
  const killed: Killed[] = [];
  for (let n = 0; !isEnough(killed, kills); n++) {
    const args = ['build', logs, '--out', out, '--workers', WORKERS[n % 3] as string];
    killed.push(await killAt(moments, random() * 1.1, args, folder, n % 2 === 0));
    if (existsSync(out)) {
      expect(hashesOf(out)).toEqual(whole);
      expect(await turnmillHere(['verify', out])).toMatchObject({ status: 0 });
      rmSync(out, { recursive: true });
    }
  }

  expect(await turnmillHere(['build', logs, '--out', out])).toMatchObject({ status: 0 });
  expect(hashesOf(out)).toEqual(whole);
  expect(leftovers(folder)).toEqual([]);
}

async function killReplacements(kills: number): Promise<void> {
  const folder = temporaryFolder();
  const [old, fresh, out] = [join(folder, 'old'), join(folder, 'fresh'), join(folder, 'out')];
  writePlainLogs(old, { sessions: 10, entries: 6, messageChars: 2000, seed: SEED });
  writePlainLogs(fresh, { sessions: 40, entries: 12, messageChars: 4000, seed: SEED + 1 });
  const replace = (logs: string): string[] => ['build', logs, '--out', out, '--replace', '--workers', '1'];
  const moments = new Moments(await timed(replace(fresh)));
  const newHashes = hashesOf(out);
  expect(await turnmillHere(replace(old))).toMatchObject({ status: 0 });
  const oldHashes = hashesOf(out);

  const random = randomFrom(SEED + 7);
  const killed: Killed[] = [];
  for (let n = 0; !isEnough(killed, kills); n++) {
    killed.push(await killAt(moments, random() * 1.1, replace(fresh), folder, n % 2 === 0));
    const found = hashesOf(out);
    const isNew = JSON.stringify(found) === JSON.stringify(newHashes);
    expect(isNew ? newHashes : oldHashes).toEqual(found);
    expect(await turnmillHere(['verify', out])).toMatchObject({ status: 0 });
    if (isNew) expect(await turnmillHere(replace(old))).toMatchObject({ status: 0 });
  }

  expect(await turnmillHere(replace(fresh))).toMatchObject({ status: 0 });
  expect(hashesOf(out)).toEqual(newHashes);
  expect(leftovers(folder)).toEqual([]);
}

for (const { kills, long } of RUNS) {
  faultTest('F002', `${kills} kills of a first build: absent or complete (seed ${SEED})`, { long }, () =>
    killFirstBuilds(kills),
  );
  faultTest('F002', `${kills} kills of a replacement: old or new (seed ${SEED})`, { long }, () =>
    killReplacements(kills),
  );
}
