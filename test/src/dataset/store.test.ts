/** Tests of every store: a folder and an object store hold the same dataset and behave the same. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import type { Committed } from '../../../src/dataset/commit.ts';
import { lineFileOver } from '../../../src/dataset/line-file.ts';
import { modesOf } from '../../../src/dataset/modes.ts';
import { Shards } from '../../../src/dataset/shards.ts';
import type { DatasetStore, DatasetWriter } from '../../../src/dataset/store/store.ts';
import { storeFor } from '../../../src/dataset/store/store-for.ts';
import { withDataset } from '../../../src/dataset/store/with-dataset.ts';
import type { S3Options } from '../../../src/object-store/options.ts';
import { resolveS3Options } from '../../../src/settings/s3-settings.ts';
import { hashesOf, temporaryFolder } from '../../support/folder.ts';
import { startStore } from '../../support/s3-logs.ts';

interface Kept {
  readonly s3: S3Options;
  readonly out: string;
  /** Expects nothing of a run beside the dataset. */
  isTidy(): boolean;
}

const STORES: readonly (readonly [string, () => Promise<Kept>])[] = [
  [
    'a folder',
    async () => {
      const folder = temporaryFolder();
      const isTidy = (): boolean => !existsSync(join(folder, '.out.staging'));
      return { s3: resolveS3Options(), out: join(folder, 'out'), isTidy };
    },
  ],
  [
    'an object store',
    async () => {
      const server = await startStore();
      const s3 = resolveS3Options({ endpoint: server.endpoint });
      return {
        s3,
        out: 's3://bucket/out/',
        isTidy: () => server.uploads.size === 0 && versions(server.keys('')) <= 2,
      };
    },
  ],
];

const versions = (keys: readonly string[]): number => new Set(keys.map((key) => key.split('/')[2])).size;

async function opened(
  { out, s3 }: Kept,
  replace = false,
): Promise<{ store: DatasetStore; writer: DatasetWriter }> {
  const store = await storeFor(out, s3);
  const release = await store.acquire();
  try {
    await store.prepare({ inputs: [], replace });
    return { store, writer: store.open(undefined, modesOf({})) };
  } finally {
    await release();
  }
}

/** Writes and commits a dataset of a few records. */
async function write(writer: DatasetWriter, records: readonly string[], replace = false): Promise<Committed> {
  const shards = new Shards({
    dir: writer.path,
    files: writer.files,
    shardSize: 1000,
    compress: 'none',
  });
  for (const record of records) {
    shards.write('g', Buffer.from(record));
    await writer.whenReady();
  }
  const ledger = lineFileOver(writer.files.create('ledger/sources.jsonl'));
  ledger.writeText('{"a":1}');
  ledger.close();
  const fingerprints = lineFileOver(writer.files.create('work/fingerprints.jsonl'));
  fingerprints.writeText('"x"');
  fingerprints.sync();
  fingerprints.close();
  const body = {
    tool: { name: 'turnmill', version: '0.1.0' },
    settings: {},
    settings_sha256: '',
    totals: {},
    ledger: {},
  };
  return writer.commit({
    shards: shards.finish(),
    files: [ledger],
    fingerprints,
    body: body as never,
    runFacts: { pid: 1 },
    replace,
  });
}

const read = ({ out, s3 }: Kept): Promise<Record<string, string>> =>
  withDataset(
    out,
    s3,
    () => true,
    async (folder) => hashesOf(folder),
  );

describe.each(STORES)('%s', (_name, start) => {
  it('keeps what is committed', async () => {
    const kept = await start();
    const { writer } = await opened(kept);
    const { manifest, problems } = await write(writer, ['{"n":1}', '{"n":2}']);
    expect(problems).toEqual([]);
    expect(manifest.shards.map(({ path, records, bytes }) => [path, records, bytes])).toEqual([
      ['data/g-00000.jsonl', 2, 16],
    ]);
    const hashes = await read(kept);
    expect(Object.keys(hashes)).toEqual(['data/g-00000.jsonl', 'ledger/sources.jsonl', 'manifest.json']);
    for (const { path, sha256 } of [...manifest.shards, ...manifest.files]) expect(hashes[path]).toBe(sha256);
    expect(kept.isTidy()).toBe(true);
  });

  it('holds the same bytes as the other stores', async () => {
    const all = [];
    for (const [, begin] of STORES) {
      const kept = await begin();
      await write((await opened(kept)).writer, ['{"n":1}', '{"m":"é"}']);
      all.push(await read(kept));
    }
    expect(all[1]).toEqual(all[0]);
  });

  it('shows nothing before the commit or after a discard', async () => {
    const kept = await start();
    const { writer } = await opened(kept);
    const file = writer.files.create('ledger/sources.jsonl');
    file.write(Buffer.from('{}\n'));
    file.close();
    await expect(read(kept)).rejects.toMatchObject({});
    await writer.discard();
    await expect(read(kept)).rejects.toMatchObject({});
    expect(kept.isTidy()).toBe(true);
    await write((await opened(kept)).writer, ['{"n":1}']);
  });

  it('replaces a dataset only on request', async () => {
    const kept = await start();
    await write((await opened(kept)).writer, ['{"n":1}']);
    await expect(opened(kept)).rejects.toMatchObject({ code: 'cannot-create' });
    const before = await read(kept);
    const { writer } = await opened(kept, true);
    expect(await read(kept)).toEqual(before);
    await write(writer, ['{"n":2}'], true);
    expect(await read(kept)).not.toEqual(before);
  });

  it('keeps the old dataset when the commit is refused', async () => {
    const kept = await start();
    await write((await opened(kept)).writer, ['{"n":1}']);
    const before = await read(kept);
    const first = await opened(kept, true);
    const stopped = AbortSignal.abort(new Error('stopped'));
    const shards = new Shards({
      dir: first.writer.path,
      files: first.writer.files,
      shardSize: 1000,
      compress: 'none',
    });
    shards.write('g', Buffer.from('{"n":3}'));
    const body = { tool: { name: 'turnmill', version: '0.1.0' } } as never;
    const commit = first.writer.commit({
      shards: shards.finish(),
      files: [],
      body,
      runFacts: {},
      replace: true,
      signal: stopped,
    });
    await expect(commit).rejects.toThrow('stopped');
    await first.writer.discard();
    expect(await read(kept)).toEqual(before);
  });

  it('admits one run of this machine at a time', async () => {
    const kept = await start();
    const release = await (await storeFor(kept.out, kept.s3)).acquire();
    await expect((await storeFor(kept.out, kept.s3)).acquire()).rejects.toMatchObject({ code: 'locked' });
    await release();
    await (await (await storeFor(kept.out, kept.s3)).acquire())();
  });
});
