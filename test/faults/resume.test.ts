/**
 * `build --resume`: stopped at any moment and resumed, a run ends with the bytes of a straight one. A run that must not be resumed is
 * refused, and loses nothing.
 */
import {
  appendFileSync,
  existsSync,
  readFileSync,
  rmSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { build } from '../../src/job/build.ts';
import type { Settings } from '../../src/settings/settings.ts';
import { CHANGES, filesIn } from '../support/changed-logs.ts';
import { ended, start, turnmill } from '../support/command.ts';
import { faultTest } from '../support/faults.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';
import { catchAtWork, Moments, reached } from '../support/moments.ts';
import { writeOddLogs } from '../support/odd-logs/write-odd-logs.ts';
import { randomFrom, writePlainLogs } from '../support/plain-logs.ts';
import { checkpointIn, FIVE_SOURCES, stagingIn, stopAfter, stopped } from '../support/stopped-run.ts';
import { hasZstd } from '../support/zstd.ts';

const SEED = Number(process.env.TURNMILL_SEED ?? 1);
const ZSTD = hasZstd ? 'zstd' : 'gzip';
const VARIANTS: readonly Partial<Settings>[] = [
  {},
  { compress: 'gzip', shardSize: 6000, groupBy: 'scenario' },
  { sessionBy: 'id', groupBy: 'none', compress: ZSTD, format: ['samples'], formatOptions: { as: 'toml' } },
  {
    sessionBy: 'id',
    shardSize: 3000,
    quarantineContent: 'raw',
    workers: 2,
    format: ['chat', 'trl', 'functiongemma-teaching'],
  },
];

beforeEach(() => vi.stubEnv('TURNMILL_CHECKPOINT_BYTES', '0'));
afterEach(() => vi.unstubAllEnvs());

/** Builds odd logs with stops at `points` moments, some of them repeated two or three times. */
async function stopAndResume(
  seed: number,
  points: number,
  settings: Partial<Settings> = VARIANTS[seed % VARIANTS.length] ?? {},
): Promise<void> {
  const folder = temporaryFolder();
  const [logs, out, straight] = ['logs', 'out', 'straight'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  const random = randomFrom(seed);
  writeOddLogs(logs, seed, { manySessions: 0.3, tally: new Map() });
  const shared = { inputs: [logs], workers: 1, ...settings };
  let results = 0;
  await build({ ...shared, out: straight }, { onResult: () => void results++ });
  let resumed = 0;
  for (let point = 0; point < points; point++) {
    let whole = await stopAfter({ ...shared, out }, Math.ceil(random() * results));
    while (!whole) {
      if (checkpointIn(folder) !== undefined) resumed++;
      whole = await stopAfter({ ...shared, out, resume: true }, Math.ceil(random() * 2 * results));
    }
    expect(hashesOf(out), `seed ${seed}, point ${point}`).toEqual(hashesOf(straight));
    expect(stagingIn(folder)).toEqual([]);
    rmSync(out, { recursive: true });
  }
  expect(resumed).toBeGreaterThan(points / 2);
}

for (const seed of [SEED, SEED + 1, SEED + 2, SEED + 3]) {
  faultTest('F138', `4 stop points in odd logs: the bytes of a straight run (seed ${seed})`, {}, () =>
    stopAndResume(seed, 4),
  );
  faultTest('F138', `50 stop points (seed ${seed})`, { long: true }, () => stopAndResume(seed + 100, 50));
}

faultTest('F138', `2 stop points, shards packed with zstd (seed ${SEED})`, { needs: ['zstd'] }, () =>
  stopAndResume(SEED, 2, { compress: 'zstd', groupBy: 'none' }),
);

/** Kills the command at random moments and resumes it until it ends. */
async function killAndResume(kills: number, seed: number, args: readonly string[]): Promise<void> {
  const folder = temporaryFolder();
  const [logs, out, straight] = [join(folder, 'logs'), join(folder, 'out'), join(folder, 'straight')];
  writePlainLogs(logs, { sessions: 40, entries: 12, messageChars: 4000, seed });
  const started = performance.now();
  expect(await turnmill(['build', logs, '--out', straight, ...args])).toMatchObject({ status: 0 });
  const moments = new Moments(performance.now() - started);
  const whole = hashesOf(straight);
  const random = randomFrom(seed);
  const tally = { killed: 0, resumed: 0, double: 0 };
  while (tally.killed < kills) {
    let before = 0; // kills before this dataset was published
    for (;;) {
      const workers = ['1', '2', '4'][Math.floor(random() * 3)] as string;
      const child = start(['build', logs, '--out', out, '--resume', '--workers', workers, ...args]);
      const { fired, status, stderr } = await moments.strike(child, 0.2 + 0.9 * random());
      if (/of 40 sources are done/.test(stderr)) tally.resumed++;
      if (!fired) {
        expect(status, stderr).toBe(0);
        break;
      }
      tally.killed++;
      if (++before > 1) tally.double++;
      if (existsSync(out)) break; // it was already published
    }
    expect(hashesOf(out)).toEqual(whole);
    expect(await turnmill(['verify', out])).toMatchObject({ status: 0 });
    rmSync(out, { recursive: true, force: true });
  }
  if (kills > 20) expect(tally.resumed).toBeGreaterThan(kills / 5);
  if (kills > 20) expect(tally.double).toBeGreaterThan(0);
}

faultTest('F002, F138', `4 kills, each followed by --resume (seed ${SEED})`, {}, () =>
  killAndResume(4, SEED, []),
);
faultTest('F002, F138', `50 kills, plain (seed ${SEED})`, { long: true }, () =>
  killAndResume(50, SEED + 1, []),
);
faultTest('F002, F138', `50 kills, gzip (seed ${SEED})`, { long: true }, () =>
  killAndResume(50, SEED + 2, ['--compress', 'gzip', '--shard-size', '20KiB']),
);

it('reports how far the stopped run was, and the summary says how much was reused', async () => {
  const { args, folder, out } = await stopped();
  const { status, stderr } = await turnmill([...args, '--resume']);
  expect({ status, stderr }).toEqual({
    status: 0,
    stderr: expect.stringContaining('5 of 8 sources are done'),
  });
  expect(stderr).toContain('8 read; 5 of them reused');
  expect(JSON.parse(readFileSync(join(out, 'run.json'), 'utf8'))).toMatchObject({
    resumed: true,
    reused_sources: 5,
  });
  expect(stagingIn(folder)).toEqual([]);
});

it("without --resume a run starts over and removes the stopped run's files", async () => {
  const { args, folder, out } = await stopped();
  expect(await turnmill(args)).toMatchObject({ status: 0 });
  expect(JSON.parse(readFileSync(join(out, 'run.json'), 'utf8'))).toMatchObject({
    resumed: false,
    reused_sources: 0,
  });
  expect(stagingIn(folder)).toEqual([]);
});

it('without a checkpoint --resume starts from the beginning, and says so', async () => {
  const { args, folder, out } = await stopped();
  rmSync(join(folder, stagingIn(folder)[0] as string), { recursive: true });
  const { status, stderr } = await turnmill([...args, '--resume']);
  expect(status).toBe(0);
  expect(stderr).toContain('no run left a checkpoint here: this one starts from the beginning');
  expect(await turnmill(['verify', out])).toMatchObject({ status: 0 });
});

it.each([
  ['cut short', (path: string): void => truncateSync(path, 100)],
  [
    'with a changed byte',
    (path): void => {
      const bytes = readFileSync(path);
      writeFileSync(path, bytes.fill('sauces ', bytes.indexOf('sources'), bytes.indexOf('sources') + 7));
    },
  ],
  ['empty', (path): void => writeFileSync(path, '')],
] satisfies [string, (path: string) => void][])('a checkpoint %s does not count', async (_what, damage) => {
  const { args, folder } = await stopped();
  damage(checkpointIn(folder) as string);
  const { status, stderr } = await turnmill([...args, '--resume']);
  expect(status).toBe(0);
  expect(stderr).toContain('starts from the beginning');
});

it.each(Object.keys(CHANGES))('%s: refused with 65, and nothing changes', async (name) => {
  const { args, folder, logs, out } = await stopped();
  CHANGES[name]?.(filesIn(logs)[2] as string, logs, 7);
  const checkpoint = readFileSync(checkpointIn(folder) as string);
  const { status, stderr } = await turnmill([...args, '--resume']);
  expect(status).toBe(65);
  expect(JSON.parse(stderr)).toMatchObject({ code: 'cannot-resume', msg: expect.stringMatching(/\.jsonl/) });
  expect(existsSync(out)).toBe(false);
  expect(readFileSync(checkpointIn(folder) as string)).toEqual(checkpoint);
});

it('a source that was still unread and has grown: refused, and named', async () => {
  const { args, logs } = await stopped();
  const last = filesIn(logs).at(-1) as string;
  appendFileSync(last, '\n');
  const { status, stderr } = await turnmill([...args, '--resume']);
  expect(status).toBe(65);
  expect(stderr).toContain(`${last.slice(logs.length + 1)} had`);
});

it('once the logs are restored, a refused run resumes', async () => {
  const { args, logs, out } = await stopped();
  const added = join(logs, 'added.jsonl');
  writeFileSync(added, '');
  expect(await turnmill([...args, '--resume'])).toMatchObject({ status: 65 });
  rmSync(added);
  expect(await turnmill([...args, '--resume'])).toMatchObject({ status: 0 });
  expect(JSON.parse(readFileSync(join(out, 'run.json'), 'utf8'))).toMatchObject({ reused_sources: 5 });
});

it.each([
  [['--group-by', 'none'], 'groupBy'],
  [['--compress', 'gzip', '--no-cleanup'], 'cleanup, compress'],
])('with %j: refused, and the setting is named', async (more, names) => {
  const { args } = await stopped();
  const { status, stderr } = await turnmill([...args, '--resume', ...more]);
  expect(status).toBe(65);
  expect(stderr).toContain(`the run was started with other settings: ${names};`);
});

it('SIGTERM keeps completed work and says how to continue', async () => {
  const { folder, logs, out, args, sessions } = await catchAtWork(async (times) => {
    const folder = temporaryFolder();
    const [logs, out] = [join(folder, 'logs'), join(folder, 'out')];
    const sessions = 100 * times;
    writePlainLogs(logs, { sessions, entries: 10, messageChars: 4000, seed: SEED });
    const args = ['build', logs, '--out', out, '--workers', '1'];
    const child = start(args);
    const end = ended(child);
    await reached(child, () => checkpointIn(folder) !== undefined);
    child.kill('SIGTERM');
    const { status, stderr } = await end;
    if (status === 0) return undefined; // it had already ended
    expect(status, stderr).toBe(143);
    expect(stderr).toContain('run the same command with --resume to continue from the last checkpoint');
    return { folder, logs, out, args, sessions };
  });
  expect(checkpointIn(folder)).toBeDefined();
  const { stderr: report } = await turnmill([...args, '--resume']);
  expect(report).toMatch(new RegExp(`\\d+ of ${sessions} sources are done`));
  const straight = join(folder, 'straight');
  expect(await turnmill(['build', logs, '--out', straight])).toMatchObject({ status: 0 });
  expect(hashesOf(out)).toEqual(hashesOf(straight));
});

it('a run shorter than the checkpoint interval writes no checkpoint and leaves nothing', async () => {
  vi.stubEnv('TURNMILL_CHECKPOINT_BYTES', undefined);
  const folder = temporaryFolder();
  const logs = join(folder, 'logs');
  writePlainLogs(logs, { sessions: 8, entries: 3, messageChars: 400, seed: SEED });
  expect(await stopAfter({ inputs: [logs], out: join(folder, 'out'), workers: 1 }, FIVE_SOURCES)).toBe(false);
  expect(stagingIn(folder)).toEqual([]);
});

it('a stopped update can be resumed, and takes the rest from the dataset', async () => {
  const { folder, logs, out } = await stopped();
  const update = { inputs: [logs], out, workers: 1, update: true };
  await build(update);
  CHANGES.added?.(filesIn(logs)[7] as string, logs, 7);
  appendFileSync(filesIn(logs)[1] as string, 'oops\n');
  expect(await stopAfter(update, FIVE_SOURCES)).toBe(false);
  const { reusedSources, sums } = await build({ ...update, resume: true });
  expect(sums.fates['rejected:invalid-json']).toBe(1);
  expect(reusedSources).toBe(8); // five from the checkpoint, three from the dataset
  const straight = join(folder, 'straight');
  await build({ inputs: [logs], out: straight, workers: 1 });
  expect(hashesOf(out)).toEqual(hashesOf(straight));
});

it('--replace can be resumed too', async () => {
  const { folder, logs, out } = await stopped();
  await build({ inputs: [logs], out, workers: 1 });
  utimesSync(filesIn(logs)[0] as string, 1, 1);
  expect(
    await stopAfter({ inputs: [logs], out, workers: 1, replace: true, groupBy: 'none' }, FIVE_SOURCES),
  ).toBe(false);
  const args = ['build', logs, '--out', out, '--replace', '--group-by', 'none', '--resume'];
  expect(await turnmill(args)).toMatchObject({ status: 0, stderr: expect.stringContaining('5 of 8') });
  const straight = join(folder, 'straight');
  await build({ inputs: [logs], out: straight, workers: 1, groupBy: 'none' });
  expect(hashesOf(out)).toEqual(hashesOf(straight));
});

it.each([
  [['-', '--out', 'OUT', '--resume'], 'standard input cannot be read again'],
  [['LOGS', '--out', 'OUT', '--resume', '--limit', '3'], 'contradict each other'],
  [['LOGS', '--out', '-', '--resume'], 'needs an output folder'],
])('F160: %j is a usage error', async (args, message) => {
  const { logs, folder } = await stopped();
  const other = join(folder, 'other');
  const words = args.map((word) => word.replace('LOGS', logs).replace('OUT', other));
  expect(await turnmill(['build', ...words], '')).toMatchObject({
    status: 64,
    stderr: expect.stringContaining(message),
  });
});
