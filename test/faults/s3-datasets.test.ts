/** Datasets in an object store: they have the bytes of a dataset in a folder, and a failed write is repeated, or ends the run and leaves nothing. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { objectClient } from '../../src/object-store/client.ts';
import { resolveS3Options } from '../../src/settings/s3-settings.ts';
import { sessionLog } from '../support/build-logs.ts';
import { ALL_FAULTS, faultTest } from '../support/faults.ts';
import { temporaryFolder } from '../support/folder.ts';
import { writeOddLogs } from '../support/odd-logs/write-odd-logs.ts';
import { hashesHere, logOf, MIB, newStore, versions } from '../support/s3-dataset.ts';
import { refuse } from '../support/s3-endpoint.ts';
import { storeFolder } from '../support/s3-logs.ts';
import type { S3Server } from '../support/s3-server.ts';
import { type Fault, hangUp, loseAnswer } from '../support/store-faults.ts';

describe('the dataset in a store', () => {
  it('has the bytes of a dataset in a folder, and a pointer to its version', async () => {
    const store = await newStore();
    await store.build();
    expect(await store.hashes()).toEqual(await hashesHere(store));
    const pointer = JSON.parse(store.server.text('bucket/ds/dataset.json'));
    expect(Object.keys(pointer)).toEqual(['run', 'manifest', 'sha256']);
    expect(versions(store.server)).toEqual([pointer.run]);
    expect(store.server.uploads.size).toBe(0);
  });

  it('works for odd logs, packed shards and several formats', async () => {
    const store = await newStore();
    const logs = join(temporaryFolder(), 'logs');
    writeOddLogs(logs, 5, { manySessions: 0.3, tally: new Map() });
    storeFolder(store.server, 'bucket/logs', logs);
    const settings = { compress: 'gzip', format: ['chat', 'trl'], shardSize: 3000 } as const;
    await store.build(settings);
    expect(await store.hashes()).toEqual(await hashesHere(store, settings));
  });

  it.runIf(ALL_FAULTS)('in parts: each file is assembled in order', async () => {
    const store = await newStore({ partSize: 5 * MIB });
    store.server.put('bucket/logs/big.jsonl', logOf(12 * MIB));
    await store.build({ groupBy: 'none' });
    expect(store.server.requests.filter(({ kind }) => kind === 'part').length).toBeGreaterThan(2);
    expect(await store.hashes()).toEqual(await hashesHere(store, { groupBy: 'none' }));
  });

  it('is not replaced without --replace, and is with it', async () => {
    const store = await newStore();
    await store.build();
    const before = store.server.text('bucket/ds/dataset.json');
    await expect(store.build()).rejects.toMatchObject({ code: 'cannot-create' });
    expect(store.server.text('bucket/ds/dataset.json')).toBe(before);
    store.server.put('bucket/logs/c.jsonl', sessionLog('c'));
    await store.build({ replace: true });
    expect(store.server.text('bucket/ds/dataset.json')).not.toBe(before);
    expect(await store.hashes()).toEqual(await hashesHere(store));
  });

  it('S028 may not lie inside its input, nor its input inside it', async () => {
    const store = await newStore();
    for (const [input, out] of [
      ['s3://bucket/logs/', 's3://bucket/logs/ds/'],
      ['s3://bucket', 's3://bucket/ds'],
      ['s3://bucket/ds/old/', 's3://bucket/ds'],
      ['s3a://bucket/logs', 's3://bucket/logs/'],
    ] as const)
      await expect(store.build({ inputs: [input], out })).rejects.toMatchObject({ code: 'usage' });
    await store.build({ inputs: ['s3://bucket/logs/'], out: 's3://bucket/logs-2/' });
  });

  it('cannot be resumed', async () => {
    const store = await newStore();
    await expect(store.build({ resume: true })).rejects.toMatchObject({ code: 'usage' });
  });
});

describe('failures while the dataset is written', () => {
  const passing: readonly (readonly [string, string, (server: S3Server) => Fault])[] = [
    ['S019', 'parts fail', (server) => server.fault('part', refuse(503, 'SlowDown'), 6)],
    ['S019', 'parts break off', (server) => server.fault('part', hangUp, 3)],
    ['S019', 'parts arrive damaged', (server) => server.fault('part', refuse(400, 'BadDigest'), 3)],
    ['S019', 'uploads cannot begin', (server) => server.fault('create', refuse(500, 'InternalError'), 3)],
    [
      'S020',
      'completing answers 200 with an error in the body',
      (server) =>
        server.fault('complete', (answer) => {
          answer.writeHead(200, { 'content-type': 'application/xml' });
          answer.end('<?xml version="1.0"?>\n<Error><Code>InternalError</Code><Message>x</Message></Error>');
          return true;
        }),
    ],
    ['S021', 'the response to completing is lost', (server) => server.fault('complete', loseAnswer)],
  ];
  for (const [id, name, misbehave] of passing) {
    const long = name !== 'parts fail' && id === 'S019';
    faultTest('S019-S021', `${id} ${name}: the request is repeated`, { long }, async () => {
      const store = await newStore({ partSize: 5 * MIB });
      store.server.put('bucket/logs/big.jsonl', logOf(7 * MIB));
      const fault = misbehave(store.server);
      await store.build({ groupBy: 'none' });
      expect(fault.fired).toBeGreaterThan(0);
      expect(await store.hashes()).toEqual(await hashesHere(store, { groupBy: 'none' }));
      expect(store.server.uploads.size).toBe(0);
    });
  }

  const final: readonly (readonly [string, string, string])[] = [
    ['part', 'AccessDenied', 'permission'],
    ['put', 'AccessDenied', 'permission'],
    ['complete', 'AccessDenied', 'permission'],
  ];
  it.each(final)('a %s refused with %s ends the run and leaves nothing', async (kind, code, expected) => {
    const store = await newStore({ partSize: 5 * MIB, condition: 'trust' });
    store.server.put('bucket/logs/big.jsonl', logOf(7 * MIB));
    const fault = store.server.fault(kind, refuse(403, code), 100);
    await expect(store.build({ groupBy: 'none' })).rejects.toMatchObject({ code: expected });
    expect(fault.fired).toBeGreaterThan(0);
    expect(store.server.keys('bucket/ds/')).toEqual([]);
    expect(store.server.uploads.size).toBe(0);
  });

  it('S027 a file of more than 10,000 parts is refused by name', async () => {
    const { Uploads } = await import('../../src/object-store/uploads.ts');
    const store = await newStore();
    const uploads = new Uploads(objectClient(resolveS3Options(store.s3)), 2);
    const upload = uploads.begin({ bucket: 'bucket', key: 'x' });
    const file = { path: '/nowhere', crc32: 0 };
    const add = (): void => uploads.add(upload, file, 1, false);
    add();
    add();
    expect(add).toThrow(/s3:\/\/bucket\/x needs more than 2 parts: use a larger --s3-part-size/);
    await uploads.abort();
  });

  it('an object that changes or appears before the commit is detected', async () => {
    for (const spoil of ['changed', 'foreign']) {
      const store = await newStore();
      const fault = store.server.fault(
        ({ kind, query }) => kind === 'list' && /^ds\/v-[0-9a-f]{16}\/$/.test(query.get('prefix') ?? ''),
        (_answer, { query }) => {
          const name = spoil === 'changed' ? 'data/2026-01-13-00000.jsonl' : 'data/foreign.jsonl';
          store.server.put(`bucket/${query.get('prefix')}${name}`, 'other');
          return false;
        },
      );
      await expect(store.build()).rejects.toMatchObject({ code: 'io' });
      expect(fault.fired).toBe(1);
      expect(store.server.objects.has('bucket/ds/dataset.json')).toBe(false);
    }
  });
});
