/** `--update` of datasets in an object store. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { sessionLog } from '../support/build-logs.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';
import { hashesHere, newStore } from '../support/s3-dataset.ts';

describe('--update', () => {
  it('S030 reads new and changed objects, drops deleted ones, and equals a full build', async () => {
    const store = await newStore();
    for (let i = 0; i < 12; i++) store.server.put(`bucket/logs/2026-01-14/${i}.jsonl`, sessionLog(`n${i}`));
    await store.build({ update: true });
    store.server.put('bucket/logs/2026-01-14/3.jsonl', sessionLog('n3', 'changed'));
    store.server.put('bucket/logs/2026-01-14/new.jsonl', sessionLog('new'));
    store.server.objects.delete('bucket/logs/2026-01-14/7.jsonl');
    store.server.requests.length = 0;
    const { reusedSources } = await store.build({ update: true });
    expect(reusedSources).toBe(12);
    const read = store.server.requests.filter(
      ({ kind, path }) => kind === 'get' && path.startsWith('bucket/logs/'),
    );
    expect(read.map(({ path }) => path).sort()).toEqual([
      'bucket/logs/2026-01-14/3.jsonl',
      'bucket/logs/2026-01-14/new.jsonl',
    ]);
    expect(await store.hashes()).toEqual(await hashesHere(store));
  });

  it('requests nothing but the listing when nothing has changed', async () => {
    const store = await newStore();
    await store.build({ update: true });
    const before = store.server.text('bucket/ds/dataset.json');
    store.server.requests.length = 0;
    const { nothingChanged, reusedSources } = await store.build({ update: true });
    expect([nothingChanged, reusedSources]).toEqual([true, 2]);
    expect(
      store.server.requests.filter(({ path, kind }) => path.startsWith('bucket/logs') && kind !== 'list'),
    ).toEqual([]);
    expect(store.server.requests.filter(({ path }) => path.includes('/data/'))).toEqual([]); // nor are the shards fetched
    expect(store.server.text('bucket/ds/dataset.json')).toBe(before);
  });

  it('works from a store into a folder', async () => {
    const store = await newStore();
    const out = join(temporaryFolder(), 'out');
    await store.build({ out, update: true });
    store.server.put('bucket/logs/c.jsonl', sessionLog('c'));
    store.server.requests.length = 0;
    await store.build({ out, update: true });
    expect(store.server.requests.filter(({ kind }) => kind === 'get').map(({ path }) => path)).toEqual([
      'bucket/logs/c.jsonl',
    ]);
    expect(hashesOf(out)).toEqual(await hashesHere(store));
  });

  it('rejects a dataset with files that do not match its manifest', async () => {
    const store = await newStore();
    await store.build({ update: true });
    const [path = ''] = store.server
      .keys('bucket/ds/v-')
      .filter((key) => key.endsWith('ledger/sessions.jsonl'));
    store.server.put(path, store.server.text(path).replace('"a"', '"x"'));
    store.server.put('bucket/logs/c.jsonl', sessionLog('c'));
    await expect(store.build({ update: true })).rejects.toMatchObject({ code: 'invalid-dataset' });
  });
});
