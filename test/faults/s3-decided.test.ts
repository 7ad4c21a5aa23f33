/** Datasets in an object store whose records are decided at the end: `--split` and `--copies`. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { build } from '../../src/job/build.ts';
import { merge } from '../../src/job/merge.ts';
import { resolveS3Options } from '../../src/settings/s3-settings.ts';
import type { PartialSettings } from '../../src/settings/settings.ts';
import { sessionLog } from '../support/build-logs.ts';
import { temporaryFolder } from '../support/folder.ts';
import { hashesHere, newStore, OUT, type Store, versions } from '../support/s3-dataset.ts';
import { refuse } from '../support/s3-endpoint.ts';

const SPLIT = { split: { train: 0.6, test: 0.4 }, groupBy: 'none' } satisfies Partial<PartialSettings>;
const DECIDED: readonly Partial<PartialSettings>[] = [
  SPLIT,
  { ...SPLIT, compress: 'gzip', format: ['chat', 'trl'], shardSize: 700 },
  { ...SPLIT, copies: 'drop', redact: true },
  { copies: 'drop' },
  { copies: 'mark', format: ['trl'] },
];

async function storeWithSessions(): Promise<Store> {
  const store = await newStore();
  for (let i = 0; i < 12; i++)
    store.server.put(`bucket/logs/2026-01-14/${i}.jsonl`, sessionLog(`n${i}`, `question ${i}`));
  // in two files, so that one record lies inside the other
  store.server.put('bucket/logs/2026-01-15/again.jsonl', sessionLog('n3', 'question 3'));
  return store;
}

/** Names of the leftovers of runs in the folder for temporary files. */
function leftovers(scratch: string): string[] {
  return readdirSync(scratch)
    .flatMap((name) => readdirSync(join(scratch, name)))
    .filter((name) => name.includes('.staging-') || name.endsWith('.previous'));
}

function ownScratch(): string {
  const scratch = temporaryFolder();
  vi.stubEnv('TMPDIR', scratch);
  return scratch;
}

describe('records that are decided at the end', () => {
  it.each(DECIDED)('%j: have the bytes of a dataset in a folder, and leave no draft', async (settings) => {
    const scratch = ownScratch();
    vi.stubEnv('TURNMILL_REDACT_KEY', 'a key of the test');
    const store = await storeWithSessions();
    await store.build(settings);
    expect(await store.hashes()).toEqual(await hashesHere(store, settings));
    expect(versions(store.server)).toHaveLength(1);
    expect(store.server.uploads.size).toBe(0);
    expect(leftovers(scratch)).toEqual([]);
  });

  it('are in folders of their splits, and only once in the store', async () => {
    const store = await storeWithSessions();
    const { splits } = await store.build(SPLIT);
    const shards = store.server.keys('bucket/ds/').filter((key) => key.includes('/data/'));
    expect(shards.map((key) => key.split('/').slice(3).join('/')).sort()).toEqual([
      'data/test/conversations-00000.jsonl',
      'data/train/conversations-00000.jsonl',
    ]);
    const written = shards.map((key) => store.server.text(key).split('\n').length - 1);
    expect(written.reduce((sum, count) => sum + count)).toBe((splits?.train ?? 0) + (splits?.test ?? 0));
    const puts = store.server.requests.filter(({ kind, path }) => kind === 'put' && path.includes('/data/'));
    expect(puts).toHaveLength(shards.length);
  });

  it('are updated, and groups stay in their splits', async () => {
    const store = await storeWithSessions();
    await store.build({ ...SPLIT, update: true });
    store.server.put('bucket/logs/2026-01-16/new.jsonl', sessionLog('new', 'a new question'));
    const { reusedSources, splitMoved } = await store.build({ ...SPLIT, update: true });
    expect([reusedSources, splitMoved]).toEqual([15, 0]);
    expect(await store.hashes()).toEqual(await hashesHere(store, SPLIT));
  });

  it('are divided again by a merge', async () => {
    const store = await storeWithSessions();
    const parts = [1, 2].map((index) => ({ slice: { index, of: 2 }, out: `s3://bucket/parts/${index}/` }));
    for (const part of parts) await store.build({ ...SPLIT, ...part });
    const s3 = resolveS3Options(store.s3);
    const datasets = parts.map(({ out }) => out);
    await merge({ datasets, out: OUT, replace: false, allowEmpty: false, mode: undefined, s3 });
    const whole = await hashesHere(store, SPLIT);
    const merged = await store.hashes();
    for (const name of Object.keys(whole).filter((path) => path.startsWith('data/')))
      expect(merged[name]).toBe(whole[name]);
  });

  it('a part that the store refuses leaves neither objects nor a draft', async () => {
    const scratch = ownScratch();
    const store = await storeWithSessions();
    const fault = store.server.fault(
      ({ kind, path }) => kind === 'put' && path.includes('/data/train/'),
      refuse(403, 'AccessDenied'),
      100,
    );
    await expect(store.build(SPLIT)).rejects.toMatchObject({ code: 'permission' });
    expect(fault.fired).toBeGreaterThan(0);
    expect(store.server.keys('bucket/ds/').filter((key) => !key.endsWith('/probe'))).toEqual([]);
    expect(leftovers(scratch)).toEqual([]);
  });

  it('an aborted run leaves no draft, and does not offer to resume', async () => {
    const scratch = ownScratch();
    const store = await storeWithSessions();
    const stop = new AbortController();
    const notes: string[] = [];
    const run = build(
      { inputs: ['s3://bucket/logs/'], out: OUT, workers: 1, ...SPLIT, s3: store.s3 },
      {
        signal: stop.signal,
        onNote(note) {
          notes.push(note);
          return true;
        },
        onResult: () => stop.abort(new Error('stopped')),
      },
    );
    await expect(run).rejects.toThrow('stopped');
    expect(notes.join()).not.toContain('--resume');
    expect(leftovers(scratch)).toEqual([]);
    expect(store.server.keys('bucket/ds/')).toEqual([]);
  });
});
