/** Which runs can be resumed and which are refused. */
import { appendFileSync, cpSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { LINE_FILES } from '../../../src/dataset/layout.ts';
import { locate } from '../../../src/dataset/place.ts';
import { listSources } from '../../../src/input/sources/list.ts';
import { type Checkpoint, decodeCheckpoint, encodeCheckpoint } from '../../../src/ledger/checkpoint.ts';
import { findCheckpoint, planResume, type Resumption } from '../../../src/reuse/resume.ts';
import { resolveSettings, type Settings } from '../../../src/settings/settings.ts';
import { CHANGES, filesIn } from '../../support/changed-logs.ts';
import { checkpointIn, type Stopped, stagingIn, stopped } from '../../support/stopped-run.ts';

beforeEach(() => vi.stubEnv('TURNMILL_CHECKPOINT_BYTES', '0'));
afterEach(() => vi.unstubAllEnvs());

function plan({ logs, out }: Stopped, more: Partial<Settings> = {}): Promise<Resumption | undefined> {
  const settings = resolveSettings({ inputs: [logs], out, workers: 1, ...more });
  return planResume(locate(out), settings, listSources([logs], settings.follow));
}

function rewrite(run: Stopped, change: (checkpoint: Checkpoint) => Checkpoint): void {
  const path = checkpointIn(run.folder) as string;
  const checkpoint = decodeCheckpoint(readFileSync(path)) as Checkpoint;
  writeFileSync(path, Buffer.concat(encodeCheckpoint(change(checkpoint))));
}

const refusal = (message: string | RegExp): unknown =>
  expect.objectContaining({ code: 'cannot-resume', message: expect.stringMatching(message) });

describe('a checkpoint', () => {
  it('holds the finished sources with their fingerprints', async () => {
    const run = await stopped();
    const found = await plan(run);
    expect(found?.sources).toBe(5);
    expect(found?.fingerprints).toHaveLength(5);
    expect(found?.fingerprints.every((one) => /^\d+:\d+:/.test(one ?? ''))).toBe(true);
    expect([...(found?.run.lines(LINE_FILES.sources) ?? [])]).toHaveLength(5);
    expect(stagingIn(run.folder)[0]).toContain(found?.runId);
  });

  it('is used when it is the most advanced', async () => {
    const run = await stopped();
    const [staging = ''] = stagingIn(run.folder);
    const other = staging.replace(/[0-9a-f]{16}$/, 'f'.repeat(16));
    cpSync(join(run.folder, staging), join(run.folder, other), { recursive: true });
    expect(findCheckpoint(locate(run.out))?.root).toContain(staging);
    rewrite(run, (checkpoint) => ({ ...checkpoint, sources: 4 }));
    expect(findCheckpoint(locate(run.out))?.root).toContain(other);
  });

  it('is ignored when it is damaged', async () => {
    const run = await stopped();
    const path = checkpointIn(run.folder) as string;
    const bytes = readFileSync(path);
    for (const at of [0, 7, 30, bytes.length - 1]) {
      writeFileSync(path, bytes.with(at, (bytes[at] as number) ^ 1));
      expect(await plan(run)).toBeUndefined();
    }
    rmSync(path);
    expect(await plan(run)).toBeUndefined();
  });
});

describe('is refused with the first difference:', () => {
  it.each(Object.keys(CHANGES))('a log: %s', async (name) => {
    const run = await stopped();
    CHANGES[name]?.(filesIn(run.logs)[2] as string, run.logs, 7);
    await expect(plan(run)).rejects.toThrow(
      refusal(/^cannot resume: .*\.jsonl .*; run without --resume/) as Error,
    );
  });

  it('a log that was not read yet', async () => {
    const run = await stopped();
    appendFileSync(filesIn(run.logs).at(-1) as string, '\n');
    await expect(plan(run)).rejects.toThrow(refusal(/had \d+ bytes and now has \d+/) as Error);
  });

  it('settings', async () => {
    const run = await stopped();
    await expect(plan(run, { groupBy: 'none', compress: 'gzip' })).rejects.toThrow(
      refusal('other settings: compress, groupBy;') as Error,
    );
  });

  it('the version of turnmill', async () => {
    const run = await stopped();
    rewrite(run, (checkpoint) => ({ ...checkpoint, toolVersion: '0.0.1' }));
    await expect(plan(run)).rejects.toThrow(refusal('was started by turnmill 0.0.1;') as Error);
  });

  it('a staged file', async () => {
    const run = await stopped();
    const path = join(run.folder, stagingIn(run.folder)[0] as string, LINE_FILES.sessions);
    writeFileSync(path, readFileSync(path).fill(' ', 7, 8));
    await expect(plan(run)).rejects.toThrow(
      refusal('ledger/sessions.jsonl in the staging folder is not what the run wrote') as Error,
    );
  });
});

it('reports invalid-dataset when fingerprints do not match the finished sources', async () => {
  const run = await stopped();
  rewrite(run, (checkpoint) => ({ ...checkpoint, sources: 4 }));
  await expect(plan(run)).rejects.toThrow(expect.objectContaining({ code: 'invalid-dataset' }));
});
