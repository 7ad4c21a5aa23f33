/** Slices and merges from and to an object store: the bytes of one build, whatever happens to a connection or to the commit. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../../src/job/build.ts';
import { merge, missingSlices } from '../../src/job/merge.ts';
import type { RunSummary } from '../../src/job/run.ts';
import type { S3Options } from '../../src/object-store/options.ts';
import { resolveS3Options } from '../../src/settings/s3-settings.ts';
import { sessionLog } from '../support/build-logs.ts';
import { turnmill } from '../support/command.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';
import {
  expectLostRace,
  hashesHere,
  isCommit,
  newStore,
  OUT,
  type Store,
  versions,
} from '../support/s3-dataset.ts';
import { loseAnswer, stopAfterBytes } from '../support/store-faults.ts';

const PARTS = [1, 2, 3].map((index) => `s3://bucket/parts/${index}/`);
const isShardOf =
  (part: number) =>
  ({ kind, path }: { kind: string; path: string }): boolean =>
    kind === 'get' && path.startsWith(`bucket/parts/${part}/v-`) && path.includes('/data/');

interface Sliced extends Store {
  readonly options: S3Options;
  merge(datasets?: readonly string[], out?: string): Promise<RunSummary>;
}

/** Three slices of five logs in the store. */
async function sliced(): Promise<Sliced> {
  const store = await newStore();
  for (const id of ['c', 'd', 'e']) store.server.put(`bucket/logs/2026-01-14/${id}.jsonl`, sessionLog(id));
  const options = resolveS3Options(store.s3);
  for (const [i, out] of PARTS.entries())
    await store.build({ out, slice: { index: i + 1, of: PARTS.length } });
  const shared = { replace: false, allowEmpty: false, mode: undefined, s3: options };
  return { ...store, options, merge: (datasets = PARTS, out = OUT) => merge({ ...shared, datasets, out }) };
}

describe('slices in a store', () => {
  it('are merged in the store, or into a folder', async () => {
    const store = await sliced();
    await store.merge();
    expect(await store.hashes()).toEqual(await hashesHere(store));
    expect(versions(store.server)).toHaveLength(1);
    const out = join(temporaryFolder(), 'out');
    await store.merge(PARTS.toReversed(), out);
    expect(hashesOf(out)).toEqual(await hashesHere(store));
    expect(await missingSlices(PARTS, store.options)).toBe('');
  });

  it('are merged with slices in folders', async () => {
    const store = await sliced();
    const here = join(temporaryFolder(), 'part');
    await store.build({ out: here, slice: { index: 2, of: 3 } });
    await store.merge([PARTS[0] as string, here, PARTS[2] as string]);
    expect(await store.hashes()).toEqual(await hashesHere(store));
  });

  it('end the merge with 75 if one is missing', async () => {
    const store = await sliced();
    store.server.objects.delete('bucket/parts/2/dataset.json');
    await expect(store.merge()).rejects.toMatchObject({ code: 'missing-slices', subject: '2' });
    expect(store.server.objects.has('bucket/ds/dataset.json')).toBe(false);
    expect(versions(store.server)).toEqual([]);
    expect(await missingSlices(PARTS, store.options)).toBe('2');
    const { status, stdout } = await turnmill(
      ['merge', '--missing', ...PARTS],
      undefined,
      store.server.environment,
    );
    expect([status, stdout.toString()]).toEqual([75, '2\n']);
  });

  it('end the merge with 65 if an object has other bytes, and nothing is published', async () => {
    const store = await sliced();
    const keys = store.server.keys('bucket/parts/2/v-').filter((key) => !key.endsWith('run.json'));
    let changed = 0;
    for (const key of keys) {
      const text = store.server.text(key);
      if (text === '') continue;
      store.server.put(key, `${text.slice(0, -3)}#${text.slice(-2)}`);
      await expect(store.merge(), key).rejects.toMatchObject({ code: 'invalid-dataset' });
      store.server.put(key, text);
      changed++;
    }
    expect(changed).toBeGreaterThan(4);
    expect(store.server.objects.has('bucket/ds/dataset.json')).toBe(false);
    expect(versions(store.server)).toEqual([]);
  });

  it('S008 are merged although a connection is reset in the middle of a shard', async () => {
    const store = await sliced();
    const fault = store.server.fault(
      isShardOf(2),
      stopAfterBytes(20, (answer) => answer.destroy()),
    );
    await store.merge();
    expect(fault.fired).toBe(1);
    expect(await store.hashes()).toEqual(await hashesHere(store));
  });

  it('S021 are merged although the response to the commit is lost', async () => {
    const store = await sliced();
    const fault = store.server.fault(isCommit, loseAnswer);
    await store.merge();
    expect(fault.fired).toBe(1);
    expect(await store.hashes()).toEqual(await hashesHere(store));
  });

  it('S022 end the merge with 75 if another run committed first, whose dataset stays', async () => {
    const store = await sliced();
    await expectLostRace(store, () => store.merge());
  });

  it('S028 are not overwritten: OUT inside a dataset, or the other way round, is an error', async () => {
    const store = await sliced();
    for (const out of [PARTS[0] as string, `${PARTS[0]}below/`, 's3://bucket/parts/'])
      await expect(store.merge(PARTS, out)).rejects.toMatchObject({ code: 'usage' });
  });
});

describe('datasets in a store', () => {
  it('with the same object are refused; with objects of the same content they are merged', async () => {
    const store = await newStore();
    store.server.put('bucket/other/2026-01-13/same.jsonl', sessionLog('b'));
    const shared = { workers: 1, sessionBy: 'id', s3: store.s3 } as const;
    const [first, second, third] = ['s3://bucket/a/', 's3://bucket/b/', 's3://bucket/c/'] as const;
    await build({ ...shared, inputs: ['s3://bucket/logs/'], out: first });
    await build({ ...shared, inputs: ['s3://bucket/logs/2026-01-13/b.jsonl'], out: second });
    await build({ ...shared, inputs: ['s3://bucket/other/'], out: third });
    const all = { replace: false, allowEmpty: false, mode: undefined, s3: resolveS3Options(store.s3) };
    await expect(merge({ ...all, datasets: [first, second], out: OUT })).rejects.toMatchObject({
      code: 'invalid-dataset',
      message: expect.stringContaining('can be merged only once'),
    });
    await merge({ ...all, datasets: [first, third], out: OUT });
    const inputs = ['s3://bucket/logs/', 's3://bucket/other/'];
    expect(await store.hashes()).toEqual(await hashesHere(store, { inputs }));
  });
});
