/**
 * F201: one bit of the staging folder of a killed run flips: on disk, on the first read, or on the second read. `--resume` and `--update`
 * refuse it with 65 or exit with 74, name the file, and publish no dataset.
 */
import { appendFileSync, existsSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, vi } from 'vitest';
import { build } from '../../src/job/build.ts';
import { type Checkpoint, decodeCheckpoint } from '../../src/ledger/checkpoint.ts';
import type { Settings } from '../../src/settings/settings.ts';
import { expectReported, type Flip, flipper } from '../support/bit-flip.ts';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { ALL_FAULTS, type FaultOptions, faultTest } from '../support/faults.ts';
import { hashesOf } from '../support/folder.ts';
import { checkpointIn, type Stopped, stagingIn, stopped } from '../support/stopped-run.ts';

interface Staged {
  readonly path: string;
  readonly bytes: number;
}

interface Variant {
  readonly name: string;
  readonly settings: Partial<Settings>;
  readonly args: readonly string[];
  readonly needs?: FaultOptions['needs'];
}

const VARIANTS: readonly Variant[] = [
  { name: 'plain shards', settings: {}, args: [] },
  {
    name: 'gzip shards',
    settings: { compress: 'gzip', shardSize: 3000 },
    args: ['--compress', 'gzip', '--shard-size', '3000'],
  },
  {
    name: 'zstd shards',
    settings: { compress: 'zstd', shardSize: 3000 },
    args: ['--compress', 'zstd', '--shard-size', '3000'],
    needs: ['zstd'],
  },
];

/** How many reads of the bit pass before it flips, and the exit status: the first read is the check, the second one uses the content. */
const READINGS = [
  [0, 65],
  [1, 74],
] as const;
/** Disables checkpoints, so that the run keeps the one that it resumes from. */
const NO_CHECKPOINT = { TURNMILL_CHECKPOINT_BYTES: '1e12' };

beforeEach(() => vi.stubEnv('TURNMILL_CHECKPOINT_BYTES', '0'));
afterEach(() => vi.unstubAllEnvs());

const flipped = (bytes: Buffer, bit: number): Uint8Array =>
  bytes.with(bit >> 3, (bytes[bit >> 3] ?? 0) ^ (1 << (bit & 7)));

/** The staging folder, and the non-empty files named in the checkpoint. */
function staged(folder: string): { root: string; files: readonly Staged[] } {
  const checkpoint = checkpointIn(folder) as string;
  const { files, shards } = decodeCheckpoint(readFileSync(checkpoint)) as Checkpoint;
  const all = [...files, ...shards].filter(({ bytes }) => bytes > 0);
  return { root: dirname(dirname(checkpoint)), files: all };
}

async function straightRun({ folder, logs }: Stopped, settings: Partial<Settings>): Promise<object> {
  const out = join(folder, 'straight');
  await build({ inputs: [logs], out, workers: 1, ...settings });
  return hashesOf(out);
}

async function expectGoesOn(
  { args, out }: Stopped,
  straight: object,
  more: readonly string[],
): Promise<void> {
  expect(await turnmill([...args, '--resume', ...more])).toMatchObject({ status: 0 });
  expect(hashesOf(out)).toEqual(straight);
  expect(JSON.parse(readFileSync(join(out, 'run.json'), 'utf8'))).toMatchObject({ reused_sources: 5 });
}

/** One file of each folder. Only one file when shards are packed, because the others repeat the unpacked variant. */
function someOf(files: readonly Staged[], packed: boolean): Staged[] {
  const folders = new Map(files.map((file) => [dirname(file.path), file]));
  return [...folders.values()].filter(({ path }) => !packed || path.startsWith('data/'));
}

/** Flips bits of files on disk. */
async function damageFiles({ settings, args: more }: Variant, all: boolean): Promise<void> {
  const run = await stopped(settings);
  const { root, files } = staged(run.folder);
  const straight = await straightRun(run, settings);
  expect(files.map(({ path }) => path)).toEqual(
    expect.arrayContaining([
      ...['ledger/sources.jsonl', 'ledger/sessions.jsonl', 'work/fingerprints.jsonl', 'work/listing.jsonl'],
      expect.stringMatching(/^data\//),
    ]),
  );
  for (const { path, bytes } of all ? files : someOf(files, more.length > 0)) {
    const whole = join(root, path);
    appendFileSync(whole, 'bytes after the checkpoint');
    const content = readFileSync(whole);
    for (const bit of all ? [0, bytes * 4 + 1, bytes * 8 - 1] : [bytes * 4 + 1]) {
      const damaged = flipped(content, bit);
      writeFileSync(whole, damaged);
      const { status, stderr } = await turnmill([...run.args, '--resume', ...more]);
      expect(status, `${path}, bit ${bit}: ${stderr}`).toBe(65);
      expect(JSON.parse(stderr)).toMatchObject({ code: 'cannot-resume', msg: expect.stringContaining(path) });
      expect(existsSync(run.out)).toBe(false);
      expect(readFileSync(whole).equals(damaged), path).toBe(true);
    }
    writeFileSync(whole, content);
  }
  await expectGoesOn(run, straight, more);
  expect(stagingIn(run.folder)).toEqual([]);
}

/** Flips bits during a read, the first or the second one. */
async function damageReads({ settings, args: more }: Variant, all: boolean): Promise<void> {
  const run = await stopped(settings);
  const { files } = staged(run.folder);
  const straight = await straightRun(run, settings);
  const flip = flipper(run.folder);
  for (const { path, bytes } of all ? files : someOf(files, more.length > 0))
    for (const [after, status] of READINGS) {
      const one: Flip = { call: 'read', file: path, bit: bytes * 4 + 1, after };
      expectReported(await flip([...run.args, '--resume', ...more], one, NO_CHECKPOINT), one, status);
      expect(existsSync(run.out)).toBe(false);
    }
  await expectGoesOn(run, straight, more);
}

for (const variant of VARIANTS)
  for (const long of [false, true]) {
    const { name, needs = [] } = variant;
    const isLong = long || name === 'zstd shards'; // same code path as gzip shards
    const which = long ? 'three bits of each staged file' : 'one bit of staged files';
    faultTest('F201', `${which}: refused, and nothing changes (${name})`, { needs, long: isLong }, () =>
      damageFiles(variant, long),
    );
    const read = long ? 'one bit in a read of each staged file' : 'one bit in a read';
    const options = { needs: ['preload', ...needs], long: isLong } as const;
    faultTest('F201', `${read}: refused, or 74 on the second read (${name})`, options, () =>
      damageReads(variant, long),
    );
  }

for (const { name, settings, args: more, needs = [] } of VARIANTS.slice(1)) {
  const unpacking = { needs: ['preload', ...needs], long: name === 'zstd shards' } as const;
  faultTest('F201', `one bit of an unpacked shard, on write or read (${name})`, unpacking, async () => {
    const run = await stopped(settings);
    const straight = await straightRun(run, settings);
    const flip = flipper(run.folder);
    for (const call of ['write', 'read'] as const)
      for (const bit of [1, 4001]) {
        const one: Flip = { call, file: 'work/unpacked-0', bit };
        const found = await flip([...run.args, '--resume', ...more], one, NO_CHECKPOINT);
        expectReported(found, one, 74);
        expect(existsSync(run.out)).toBe(false);
      }
    await expectGoesOn(run, straight, more);
  });
}

faultTest(
  'F201',
  'gathered lines that are not yet written: a checkpoint with a flipped bit does not count',
  {},
  async () => {
    const more = ['--compress', 'gzip'];
    const run = await stopped({ compress: 'gzip' });
    const straight = await straightRun(run, { compress: 'gzip' });
    const checkpoint = checkpointIn(run.folder) as string;
    const content = readFileSync(checkpoint);
    const { shards } = decodeCheckpoint(content) as Checkpoint;
    const at = content.indexOf(shards[0]?.gathered as Uint8Array) + 100;
    expect(at).toBeGreaterThan(100);
    writeFileSync(checkpoint, flipped(content, at * 8));
    expect(await turnmill([...run.args, '--resume', ...more])).toMatchObject({
      status: 0,
      stderr: expect.stringContaining('starts from the beginning'),
    });
    expect(hashesOf(run.out)).toEqual(straight);
  },
);

faultTest(
  'F201',
  'a dataset reused by an update: 65 on the first read, 74 on the second',
  { needs: ['preload'] },
  async () => {
    const { logs, out, folder } = await stopped();
    rmSync(join(folder, stagingIn(folder)[0] as string), { recursive: true });
    const args = ['build', logs, '--out', out, '--workers', '1'];
    expect(await turnmill(args)).toMatchObject({ status: 0 });
    writeFileSync(join(logs, 'more.jsonl'), readFileSync(join(logs, '2026-01-13/job-000.jsonl')));
    const before = hashesOf(out);
    const flip = flipper(folder);
    const read = ALL_FAULTS ? /^(?:data|ledger)\// : /^(?:data\/|ledger\/sources)/;
    for (const file of Object.keys(before).filter((path) => read.test(path)))
      for (const [after, status] of READINGS) {
        const one: Flip = { call: 'read', file, bit: statSync(join(out, file)).size * 4 + 1, after };
        expectReported(await flip([...args, '--update'], one), one, status);
        expect(hashesOf(out)).toEqual(before);
      }
    expect(await turnmill([...args, '--update'])).toMatchObject({ status: 0 });
    expect(await turnmill(['verify', out])).toMatchObject({ status: 0 });
  },
);
