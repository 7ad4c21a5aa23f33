/**
 * `build --update`: whatever happened to the logs since the dataset was built, the result equals a full build, byte for byte, and only
 * changed files are read again.
 */
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { build } from '../../src/job/build.ts';
import type { Result } from '../../src/ledger/result.ts';
import type { Settings } from '../../src/settings/settings.ts';
import { CHANGES, changeLogs, filesIn } from '../support/changed-logs.ts';
import { ended, start } from '../support/command.ts';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { ALL_FAULTS, faultTest } from '../support/faults.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';
import { catchAtWork, halted, hasStaging, Moments, reached } from '../support/moments.ts';
import { writeOddLogs } from '../support/odd-logs/write-odd-logs.ts';
import { randomFrom, sessionLines, writePlainLogs } from '../support/plain-logs.ts';
import { hasZstd } from '../support/zstd.ts';

const SEED = Number(process.env.TURNMILL_SEED ?? 1);
const TREES = ALL_FAULTS ? 80 : 4;
const KILLS = ALL_FAULTS ? 12 : 4;
const NIGHTS = 4;

const VARIANTS: readonly Partial<Settings>[] = [
  {},
  { compress: 'gzip', shardSize: 4096 },
  { groupBy: 'scenario', format: ['chat-inline'], quarantineContent: 'raw' },
  { sessionBy: 'id', groupBy: 'none', shardSize: 2000 },
  { sessionBy: 'id', groupBy: 'scenario', compress: hasZstd ? 'zstd' : 'gzip', integrity: false },
  { format: ['chat', 'functiongemma-teaching', 'trl'] },
  { format: ['samples'], formatOptions: { as: 'toml' }, compress: 'gzip' },
  { format: ['sts'], shardSize: 4096 },
  { sessionBy: 'id', quarantineContent: 'raw', quarantineSize: 3000 },
];

async function nights(seed: number, count: number, settings: Partial<Settings>): Promise<void> {
  const folder = temporaryFolder();
  const [logs, out] = [join(folder, 'logs'), join(folder, 'out')];
  const random = randomFrom(seed);
  writeOddLogs(logs, seed, { manySessions: 0.3, tally: new Map() });
  // a change may take away the last session
  const shared = { inputs: [logs], workers: 1, allowShrink: true, ...settings };
  await build({ ...shared, out, update: true });
  let kept = 0;
  for (let night = 0; night < count; night++) {
    const changes = changeLogs(logs, random).join(', ');
    const full = join(folder, `full-${night}`);
    await build({ ...shared, out: full });
    kept += (await build({ ...shared, out, update: true })).reusedSources;
    expect(hashesOf(out), `seed ${seed}, night ${night}: ${changes}`).toEqual(hashesOf(full));
  }
  // if the quarantine keeps bytes, sources with rejections are read again, and some trees have no others
  if (settings.quarantineContent !== 'raw') expect(kept).toBeGreaterThan(count);
}

it.each(Array.from({ length: TREES }, (_, i) => SEED + i))(
  'odd logs over some nights: an update equals a full build (seed %i)',
  (seed) => nights(seed, NIGHTS, VARIANTS[seed % VARIANTS.length] ?? {}),
);

faultTest('F136', `odd logs over 2 nights, shards packed with zstd (seed ${SEED})`, { needs: ['zstd'] }, () =>
  nights(SEED, 2, { compress: 'zstd', groupBy: 'none' }),
);

function someLogs(): { folder: string; logs: string; out: string } {
  const folder = temporaryFolder();
  const [logs, out] = [join(folder, 'logs'), join(folder, 'out')];
  writePlainLogs(logs, { sessions: 8, entries: 3, messageChars: 400, seed: SEED });
  return { folder, logs, out };
}

it.each(Object.keys(CHANGES))('%s: the file is read again, and no other', async (name) => {
  const { folder, logs, out } = someLogs();
  await build({ inputs: [logs], out, workers: 1 });
  CHANGES[name]?.(filesIn(logs)[3] as string, logs, 7);
  let sources = 0;
  const onResult = (result: Result): void => {
    if (result.kind === 'source') sources++;
  };
  const { reusedSources } = await build({ inputs: [logs], out, workers: 1, update: true }, { onResult });
  expect(sources - reusedSources).toBe(name === 'gone' ? 0 : 1);
  const full = join(folder, 'full');
  await build({ inputs: [logs], out: full, workers: 1 });
  expect(hashesOf(out)).toEqual(hashesOf(full));
});

it.each(['none', 'gzip'] as const)(
  'F103: more groups than open files, compression %s: an update equals a full build',
  async (compress) => {
    const folder = temporaryFolder();
    const [logs, out, full] = [join(folder, 'logs'), join(folder, 'out'), join(folder, 'full')];
    mkdirSync(logs);
    for (let n = 0; n < 300; n++) {
      const [line] = sessionLines(`s-${n}`, { entries: 1, messageChars: 40, seed: n });
      // each of the hundred groups occurs three times
      const folderName = `${Math.floor(n / 100)}`;
      mkdirSync(join(logs, folderName), { recursive: true });
      writeFileSync(join(logs, folderName, `group-g${n % 100}.jsonl`), `${line}\n`);
    }
    const shared = { inputs: [logs], workers: 1, groupBy: 'scenario', compress } as const;
    await build({ ...shared, out });
    writeFileSync(join(logs, 'zz.jsonl'), 'oops\n');
    rmSync(filesIn(logs)[150] as string);
    expect((await build({ ...shared, out, update: true })).reusedSources).toBe(299);
    await build({ ...shared, out: full });
    expect(hashesOf(out)).toEqual(hashesOf(full));
    expect(Object.keys(hashesOf(out)).filter((path) => path.startsWith('data/'))).toHaveLength(100);
  },
);

it('F033: nothing changed: the dataset stays, status 0', async () => {
  const { logs, out } = someLogs();
  expect(await turnmill(['build', logs, '--out', out])).toMatchObject({ status: 0 });
  const before = readFileSync(join(out, 'run.json'), 'utf8');
  for (const args of [['--update', out], ['--out', out, '--update'], [`--update=${out}`]]) {
    const { status, stderr } = await turnmill(['build', logs, ...args]);
    expect({ status, stderr }).toEqual({
      status: 0,
      stderr: `turnmill: nothing changed; ${out} is up to date\n`,
    });
  }
  expect(readFileSync(join(out, 'run.json'), 'utf8')).toBe(before);
  expect(await turnmill(['build', logs, '--out', out])).toMatchObject({ status: 73 });
});

it('a file read long after it was written is not read again to compare it', async () => {
  const { logs, out } = someLogs();
  const written = filesIn(logs).map((path) => statSync(path).ctimeMs);
  vi.useFakeTimers({ toFake: ['Date'], now: Math.ceil(Math.max(...written)) + 36_000 });
  onTestFinished(() => void vi.useRealTimers());
  await build({ inputs: [logs], out, workers: 1 });
  const { proofs } = JSON.parse(readFileSync(join(out, 'run.json'), 'utf8'));
  expect(proofs).toHaveLength(8);
  for (const proof of proofs) expect(proof).toMatch(/^\d+:\d+:\d+:\d+$/);
  expect((await build({ inputs: [logs], out, workers: 1, update: true })).nothingChanged).toBe(true);
});

it('other settings, another version, no run.json: everything is read again, with the reason', async () => {
  const { folder, logs, out } = someLogs();
  expect(await turnmill(['build', logs, '--out', out])).toMatchObject({ status: 0 });
  const other = await turnmill(['build', logs, '--update', out, '--group-by', 'none', '--compress', 'gzip']);
  expect(other.stderr).toContain(
    'the dataset was built with other settings: compress, groupBy: everything is read again',
  );
  rmSync(join(out, 'run.json'));
  const forgotten = await turnmill([
    'build',
    logs,
    '--update',
    out,
    '--group-by',
    'none',
    '--compress',
    'gzip',
  ]);
  expect(forgotten.stderr).toContain('has no fingerprints of its sources: everything is read again');
  const manifest = readFileSync(join(out, 'manifest.json'), 'utf8');
  writeFileSync(join(out, 'manifest.json'), manifest.replace(/"version": "[^"]*"/, '"version": "0.0.0"'));
  const older = await turnmill(['build', logs, '--update', out]);
  expect(older).toMatchObject({ status: 0 });
  expect(older.stderr).toContain('the dataset was written by turnmill 0.0.0: everything is read again');
  const full = join(folder, 'full');
  expect(await turnmill(['build', logs, '--out', full])).toMatchObject({ status: 0 });
  expect(hashesOf(out)).toEqual(hashesOf(full));
});

it.each([
  ['data/2026-01-13-00000.jsonl'],
  ['ledger/sources.jsonl'],
  ['ledger/sessions.jsonl'],
  ['quarantine/rejected.jsonl'],
  ['reports/integrity.jsonl'],
])('F168: a dataset with a damaged %s is not reused: status 65, and it stays', async (path) => {
  const { logs, out } = someLogs();
  appendFileSync(filesIn(logs)[2] as string, 'oops\n');
  expect(await turnmill(['build', logs, '--out', out])).toMatchObject({ status: 3 });
  const bytes = readFileSync(join(out, path));
  appendFileSync(filesIn(logs)[0] as string, 'oops\n');
  bytes[bytes.length >> 1] = (bytes[bytes.length >> 1] ?? 0) ^ 1;
  writeFileSync(join(out, path), bytes);
  const damaged = hashesOf(out);
  const { status, stderr } = await turnmill(['build', logs, '--update', out]);
  expect(status).toBe(65);
  expect(stderr).toContain(`${path} does not match the manifest`);
  expect(hashesOf(out)).toEqual(damaged);
  expect(await turnmill(['build', logs, '--out', out, '--replace'])).toMatchObject({ status: 3 });
});

it.each([
  ['data/2026-01-13-00000.jsonl', true],
  ['data/2026-01-13-00000.jsonl', false],
  ['reports/integrity.jsonl', false],
])(
  'F168: a dataset with an incomplete %s is not up to date: status 65 (changed logs: %s)',
  async (path, changed) => {
    const { logs, out } = someLogs();
    expect(await turnmill(['build', logs, '--out', out])).toMatchObject({ status: 0 });
    if (changed) appendFileSync(filesIn(logs)[0] as string, 'oops\n');
    const bytes = readFileSync(join(out, path));
    for (const damage of [
      () => writeFileSync(join(out, path), bytes.subarray(1)),
      () => rmSync(join(out, path)),
    ]) {
      damage();
      const { status, stderr } = await turnmill(['build', logs, '--update', out]);
      expect([status, stderr]).toEqual([65, expect.stringContaining(`${path} does not match the manifest`)]);
    }
  },
);

it('rejections beyond the tolerance count in reused results too', async () => {
  const { logs, out } = someLogs();
  appendFileSync(filesIn(logs)[2] as string, 'oops\n');
  expect(await turnmill(['build', logs, '--out', out])).toMatchObject({ status: 3 });
  for (const args of [
    ['--on-reject', 'fail'],
    ['--max-quarantine', '0'],
  ]) {
    expect(await turnmill(['build', logs, '--update', out, ...args])).toMatchObject({ status: 65 });
  }
});

it(`F002: killed at ${KILLS} moments: the old dataset or the new one`, async () => {
  const { folder, logs, out } = someLogs();
  writePlainLogs(logs, { sessions: 60, entries: 10, messageChars: 4000, seed: SEED });
  const started = performance.now();
  expect(await turnmill(['build', logs, '--update', out])).toMatchObject({ status: 0 });
  const moments = new Moments(performance.now() - started);
  const [old, spare, full] = [hashesOf(out), join(folder, 'spare'), join(folder, 'full')];
  cpSync(out, spare, { recursive: true, dereference: true });
  writeFileSync(filesIn(logs)[5] as string, readFileSync(filesIn(logs)[6] as string));
  expect(await turnmill(['build', logs, '--out', full])).toMatchObject({ status: 0 });
  const fresh = hashesOf(full);
  let fired = 0;
  for (let n = 0; n < KILLS || fired <= 2; n++) {
    const child = start(['build', logs, '--update', out, '--workers', String(1 + (n % 2))]);
    if ((await moments.strike(child, ((n % KILLS) + 0.5) / KILLS)).fired) fired++;
    const found = hashesOf(out);
    expect([JSON.stringify(old), JSON.stringify(fresh)]).toContain(JSON.stringify(found));
    expect(await turnmill(['verify', out])).toMatchObject({ status: 0 });
  }
  expect(await turnmill(['build', logs, '--update', out])).toMatchObject({ status: 0 });
  expect(hashesOf(out)).toEqual(fresh);
  expect(readdirSync(folder).filter((name) => name.includes('staging'))).toEqual([]);
});

it('F035: of two concurrent updates one ends with 75', async () => {
  await catchAtWork(async (times) => {
    const { folder, logs, out } = someLogs();
    writePlainLogs(logs, { sessions: 20 * times, entries: 10, messageChars: 4000, seed: SEED });
    const first = start(['build', logs, '--update', out]);
    const end = ended(first);
    await reached(first, () => hasStaging(folder));
    if (!(await halted(first))) return undefined; // it had already ended
    const isCommitted = existsSync(out);
    const second = await turnmill(['build', logs, '--update', out]);
    first.kill('SIGCONT');
    expect(await end).toMatchObject({ status: 0 });
    if (isCommitted) return undefined; // it was about to release its lock
    expect(second).toMatchObject({ status: 75 });
    expect(await turnmill(['verify', out])).toMatchObject({ status: 0 });
    return true;
  });
});

it.each([
  [['-', '--update', 'OUT'], 'standard input cannot be read again'],
  [['LOGS', '--update', 'OUT', '--limit', '3'], 'contradict each other'],
  [['LOGS', '--out', '-', '--update'], 'needs an output folder'],
  [['LOGS', '--out', 'a', '--update=b'], 'name different folders'],
  [['LOGS', '--update'], '--update needs a value'],
  [['LOGS', '--update', 'OUT', '--dry-run'], 'needs an output folder'],
])('F160: %j is a usage error', async (args, message) => {
  const { logs, out } = someLogs();
  const words = args.map((word) => word.replace('LOGS', logs).replace('OUT', out));
  const { status, stderr } = await turnmill(['build', ...words], '');
  expect(status).toBe(64);
  expect(stderr).toContain(message);
  expect(existsSync(out)).toBe(false);
});

it('a folder that is not a dataset is never replaced', async () => {
  const { folder, logs } = someLogs();
  const foreign = join(folder, 'foreign');
  cpSync(logs, foreign, { recursive: true });
  expect(await turnmill(['build', logs, '--update', foreign])).toMatchObject({ status: 73 });
});
