/** `build --slice` as a user runs it: what it refuses, where its number comes from, and what a slice can do. */
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { build } from '../../../src/job/build.ts';
import { sessionLog } from '../../support/build-logs.ts';
import type { Ended } from '../../support/command.ts';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { hashesOf } from '../../support/folder.ts';
import {
  buildSlices,
  expectRefused,
  manifestOf,
  mergeByCommand,
  place,
  sliced,
} from '../../support/sliced-logs.ts';
import { checkpointIn, stopAfter } from '../../support/stopped-run.ts';

describe('--slice', () => {
  it.each([
    [['--limit', '3'], '--slice and --limit contradict each other'],
    [['--copies', 'mark'], 'which answers are context is known only once all are read'],
    [['--slice', '4/3'], '--slice'],
  ])('--slice with %s', async (more, text) => {
    const { logs, out } = place();
    const args = more[0] === '--slice' ? more : ['--slice', '1/3', ...more];
    const { status, stderr } = await turnmill(['build', logs, '--out', out, ...args]);
    expect([status, stderr]).toEqual([64, expect.stringContaining(text)]);
  });

  it('--slice with standard output or input', async () => {
    const { logs, out } = place();
    expect((await turnmill(['build', logs, '--out', '-', '--slice', '1/3'])).status).toBe(64);
    expect((await turnmill(['build', '-', '--out', out, '--slice', '1/3'], sessionLog('a'))).status).toBe(64);
    expect(existsSync(out)).toBe(false);
  });
});

describe('a slice', () => {
  const VARIABLES = [
    'TURNMILL_SLICE',
    'SLURM_ARRAY_TASK_ID',
    'JOB_COMPLETION_INDEX',
    'AWS_BATCH_JOB_ARRAY_INDEX',
  ];
  beforeEach(() => {
    for (const name of VARIABLES) vi.stubEnv(name, undefined);
    onTestFinished(() => void vi.unstubAllEnvs());
  });

  it('has its number, that of all, and the listing in the manifest', async () => {
    const { parts } = await sliced();
    const slices = parts.map((part) => manifestOf(part).slice);
    const { listing_sha256 } = slices[0];
    expect(slices).toEqual([1, 2, 3].map((index) => ({ index, of: 3, sources: 6, listing_sha256 })));
    expect(listing_sha256).toMatch(/^[0-9a-f]{64}$/);
    for (const part of parts) expect((await turnmill(['verify', part])).status).toBe(0);
  });

  it.each([
    ['TURNMILL_SLICE', '2', '3'],
    ['SLURM_ARRAY_TASK_ID', '2', '0'],
    ['JOB_COMPLETION_INDEX', '1', '4'],
    ['AWS_BATCH_JOB_ARRAY_INDEX', '1', '2'],
  ])('takes its number from %s', async (name, second, other) => {
    const { logs, out } = place();
    const args = ['build', logs, '--out', out, '--slice', '/2'];
    vi.stubEnv('SLURM_ARRAY_TASK_COUNT', '9');
    const none = await turnmill(args);
    expect([none.status, none.stderr]).toEqual([64, expect.stringContaining('TURNMILL_SLICE')]);
    for (const bad of [other, '', 'x', '1.0', '-1']) {
      vi.stubEnv(name, bad);
      expect([bad, (await turnmill(args)).status]).toEqual([bad, 64]);
    }
    vi.stubEnv(name, second);
    expect((await turnmill(args)).status).toBe(0);
    expect(manifestOf(out).slice).toMatchObject({ index: 2, of: 2 });
  });

  it('takes its own variable before those of schedulers', async () => {
    const { logs, out } = place();
    vi.stubEnv('JOB_COMPLETION_INDEX', '0');
    vi.stubEnv('TURNMILL_SLICE', '2');
    await turnmill(['build', logs, '--out', out, '--slice', '/2']);
    expect(manifestOf(out).slice.index).toBe(2);
  });

  it('may be empty, where a whole build would fail only if all are', async () => {
    const { parts, out, logs, path } = await sliced(9);
    await build({ inputs: [logs], out: path('whole'), workers: 1 });
    expect(parts.map((part) => manifestOf(part).totals.records)).toContain(0);
    expect((await mergeByCommand(parts, out)).status).toBe(0);
    expect(hashesOf(out)).toEqual(hashesOf(path('whole')));
    const nothing = path('nothing');
    mkdirSync(nothing);
    mkdirSync(path('empty'));
    writeFileSync(join(nothing, 'a.jsonl'), '');
    const empty = await buildSlices([nothing], path('empty'), 2);
    await expectRefused(mergeByCommand(empty, path('none')), 66, 'no sessions found', path('none'));
    expect((await mergeByCommand(empty, path('none'), '--allow-empty')).status).toBe(0);
  });

  it('names the largest sources if one of them bounds the run', async () => {
    const { logs, out } = place();
    writeFileSync(join(logs, 'large.jsonl'), sessionLog('large', 'x'.repeat(50_000)));
    const { stderr } = await turnmill(['build', logs, '--out', out, '--slice', '1/3']);
    expect(stderr).toContain('a source is never cut, so these bound the time of the run: large.jsonl (');
    expect(stderr).not.toContain('a.jsonl');
    const { stderr: none } = await turnmill(['build', logs, '--out', out, '--replace', '--slice', '1/1']);
    expect(none).not.toContain('bound the time');
  });

  it('is resumed, and published once', async () => {
    vi.stubEnv('TURNMILL_CHECKPOINT_BYTES', '0');
    const { logs, out, folder, path } = place();
    const settings = { inputs: [logs], out, workers: 1, slice: { index: 2, of: 2 } };
    expect(await stopAfter(settings, 8)).toBe(false);
    expect(checkpointIn(folder)).toBeDefined();
    expect(existsSync(out)).toBe(false);
    const args = ['build', logs, '--out', out, '--slice', '2/2', '--workers', '1'];
    const resumed = await turnmill([...args, '--resume']);
    expect([resumed.status, resumed.stderr]).toEqual([
      0,
      expect.stringMatching(/[12] of 3 sources are done/),
    ]);
    await build({ ...settings, out: path('fresh') });
    expect(hashesOf(out)).toEqual(hashesOf(path('fresh')));
    expect((await turnmill(args)).status).toBe(73);
  });

  it('is updated, also if only another slice has changed', async () => {
    const { logs, parts, out, path } = await sliced();
    const update = (index: number): Promise<Ended> =>
      turnmill([
        'build',
        logs,
        '--update',
        parts[index - 1] as string,
        '--slice',
        `${index}/3`,
        '--workers',
        '1',
      ]);
    expect((await update(2)).stderr).toContain('nothing changed');
    writeFileSync(join(logs, 'a.jsonl'), sessionLog('a', 'hello!'));
    const second = await update(2);
    expect([second.status, second.stderr]).toEqual([0, expect.stringContaining('2 of them reused')]);
    for (const index of [1, 3]) expect((await update(index)).status).toBe(0);
    await build({ inputs: [logs], out: path('whole'), workers: 1 });
    expect((await mergeByCommand(parts, out)).status).toBe(0);
    expect(hashesOf(out)).toEqual(hashesOf(path('whole')));
  });

  it('does not replace a dataset of all sources, unless it may shrink', async () => {
    const { logs, parts, out } = await sliced();
    await mergeByCommand(parts, out);
    const before = hashesOf(out);
    const args = ['build', logs, '--update', out, '--slice', '1/3'];
    for (const more of [[], ['--format', 'trl']]) {
      const { status, stderr } = await turnmill([...args, ...more]);
      expect([status, stderr]).toEqual([
        65,
        expect.stringContaining('was built from all sources, and slice 1/3'),
      ]);
    }
    expect(hashesOf(out)).toEqual(before);
    expect((await turnmill([...args, '--allow-shrink'])).status).toBe(0);
    expect(manifestOf(out).slice.index).toBe(1);
  });
});
