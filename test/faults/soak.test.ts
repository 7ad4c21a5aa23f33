/**
 * F002, F138: builds of logs of all dialects are killed at random moments, for some minutes, and then resumed, or an update is run again.
 * The dataset always equals that of a run that was not killed, byte for byte, and `verify` agrees. TURNMILL_SOAK_MINUTES sets how long.
 */
import { existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { changeLogs } from '../support/changed-logs.ts';
import { ended, start, turnmill } from '../support/command.ts';
import { dialectLogs } from '../support/dialect-logs.ts';
import { faultTest } from '../support/faults.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';
import { Moments } from '../support/moments.ts';
import { randomFrom } from '../support/plain-logs.ts';

const SEED = Number(process.env.TURNMILL_SEED ?? 1);
const MINUTES = Number(process.env.TURNMILL_SOAK_MINUTES ?? 10);
const MINUTE_MS = 60_000;
/** Kills of one round, after which the run may end. */
const MAX_KILLS = 8;
/** The dataset is published; something may have been rejected, because some of the logs are damaged. */
const PUBLISHED = [0, 3];
const VARIANTS: readonly (readonly string[])[] = [
  [],
  ['--compress', 'gzip', '--shard-size', '20KiB'],
  ['--format', 'chat', '--format', 'trl', '--format', 'sharegpt'],
  ['--quarantine-content', 'raw', '--shard-size', '30KiB'],
  ['--group-by', 'none', '--select', 'last'],
  ['--copies', 'drop', '--shard-size', '20KiB'],
  ['--copies', 'mark', '--format', 'chat', '--format', 'trl', '--format', 'atif'],
];

type Random = () => number;

const oneOf = <T>(random: Random, list: readonly T[]): T => list[Math.floor(random() * list.length)] as T;

/** Writes the logs of all dialects, a random number of times each. */
function writeLogs(root: string, random: Random): void {
  for (const [path, { bytes }] of Object.entries(dialectLogs())) {
    for (let copy = Math.floor(random() * 3); copy >= 0; copy--) {
      const file = join(root, `${copy}`, path.replace('/logs/', '/'));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, bytes);
    }
  }
}

interface Round {
  readonly folder: string;
  readonly logs: string;
  readonly out: string;
  readonly args: readonly string[];
  readonly random: Random;
  readonly moments: Moments;
}

const tally = { rounds: 0, runs: 0, kills: 0, resumed: 0, lost: 0 };

/** Builds without being killed. */
async function straight({ logs, args }: Round, out: string): Promise<Record<string, string>> {
  const { status, stderr } = await turnmill(['build', logs, '--out', out, ...args]);
  expect(PUBLISHED, stderr).toContain(status);
  return hashesOf(out);
}

/**
 * Runs the command until it ends, or has published: kills it at random moments before.
 * @param check called after each kill
 */
async function killed(round: Round, more: readonly string[], check: () => boolean): Promise<void> {
  const { logs, out, args, random, moments } = round;
  for (let kills = 0; ; kills++) {
    const workers = oneOf(random, ['1', '2', '4']);
    const env = { ...process.env, ...(random() < 0.5 && { TURNMILL_CHECKPOINT_BYTES: '0' }) };
    const words = ['build', logs, '--out', out, ...args, ...more, '--workers', workers];
    const child = start(words, 'ignore', env);
    const run = kills < MAX_KILLS ? moments.strike(child, 0.1 + random()) : ended(child);
    const { signal, status, stderr } = await run;
    const fired = signal === 'SIGKILL';
    tally.runs++;
    if (/sources are done/.test(stderr)) tally.resumed++;
    if (fired) tally.kills++;
    else expect(PUBLISHED, stderr).toContain(status);
    if (check() || !fired) return;
  }
}

async function resumeRound(round: Round): Promise<void> {
  const { folder, out } = round;
  const whole = await straight(round, join(folder, 'straight'));
  await killed(round, ['--resume'], () => existsSync(out));
  expect(hashesOf(out)).toEqual(whole);
}

async function updateRound(round: Round): Promise<void> {
  const { folder, logs, out, random } = round;
  const old = await straight(round, out);
  const changes = changeLogs(logs, random).join(', ');
  const fresh = await straight(round, join(folder, 'straight'));
  const isNew = (): boolean => JSON.stringify(hashesOf(out)) === JSON.stringify(fresh);
  await killed(round, ['--update', '--allow-shrink'], () => {
    const isDone = isNew();
    if (!isDone) expect(hashesOf(out), changes).toEqual(old);
    return isDone;
  });
  expect(hashesOf(out), changes).toEqual(fresh);
}

async function runRound(seed: number, moments: Moments): Promise<void> {
  const random = randomFrom(seed);
  const folder = temporaryFolder();
  const [logs, out] = [join(folder, 'logs'), join(folder, 'out')];
  writeLogs(logs, random);
  const round = { folder, logs, out, args: oneOf(random, VARIANTS), random, moments };
  await (random() < 0.5 ? resumeRound(round) : updateRound(round));
  const verified = await turnmill(['verify', out]);
  expect(verified.status, verified.stderr).toBe(0);
  // a kill right after the publication leaves a folder that the next run removes
  expect(PUBLISHED).toContain(
    (await turnmill(['build', logs, '--out', out, ...round.args, '--update'])).status,
  );
  // an update publishes a folder that `out` links to
  const names = readdirSync(folder).filter((name) => !name.startsWith('.out.v-'));
  expect(names.sort()).toEqual(['logs', 'out', 'straight']);
  expect(readdirSync(folder).length).toBeLessThan(5);
  rmSync(folder, { recursive: true });
}

faultTest(
  'F002, F138',
  `kills over all dialects for ${MINUTES} minutes (seed ${SEED})`,
  { long: true },
  async () => {
    const moments = new Moments(2000);
    const lost: string[] = [];
    for (const end = Date.now() + MINUTES * MINUTE_MS; Date.now() < end; tally.rounds++) {
      const seed = SEED * 100_000 + tally.rounds;
      try {
        await runRound(seed, moments);
      } catch (error) {
        tally.lost++;
        lost.push(`seed ${seed}: ${String(error)}`);
      }
    }
    process.stdout.write(`soak: ${JSON.stringify(tally)}\n`);
    expect(lost).toEqual([]);
    expect(tally.kills).toBeGreaterThan(tally.rounds / 2);
  },
);
