/**
 * All kinds of logs in the repository, read from a store and from a folder: examples of all dialects, plain and packed, event logs, decks,
 * documents, and the generated logs of the other fault tests. The datasets are equal to the byte.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { crowdedLogs } from '../support/crowded-logs.ts';
import { ALL_FAULTS } from '../support/faults.ts';
import { mutatedLog } from '../support/mutated-logs.ts';
import { packedLog } from '../support/packed-logs.ts';
import { both, type Files } from '../support/s3-logs.ts';
import { hasZstd } from '../support/zstd.ts';

const SEEDS = ALL_FAULTS ? 200 : 15;
/** Ranges that cut most objects, and ranges that hold each one whole. */
const RANGES = [2048, 8 * 1024 * 1024];

function filesIn(folder: string): Record<string, Buffer> {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true }).filter((entry) =>
    entry.isFile(),
  );
  return Object.fromEntries(
    files.map(({ parentPath, name }) => {
      const path = join(parentPath, name);
      return [path.slice(folder.length + 1), readFileSync(path)];
    }),
  );
}

/** The same files plain, gzipped and zstd-packed. */
function packed(files: Readonly<Record<string, Buffer>>): Files {
  const all: Record<string, Buffer> = {};
  for (const [name, bytes] of Object.entries(files)) {
    all[`plain/${name}`] = bytes;
    all[`gzip/${name}.gz`] = gzipSync(bytes);
    if (hasZstd) all[`zstd/${name}.zst`] = spawnSync('zstd', ['-qc'], { input: bytes }).stdout;
  }
  return all;
}

describe.each(RANGES)('in ranges of %d bytes', (rangeBytes) => {
  const s3 = { range: rangeBytes, window: 8 * rangeBytes };

  it('the example of every dialect, plain and packed', async () => {
    const examples = filesIn('examples/dialects');
    expect(Object.keys(examples).length).toBeGreaterThan(20);
    const files = packed(examples);
    const { same, server } = await both(files);
    const { sums } = await same({ s3, groupBy: 'none' });
    expect(sums.sources.read).toBeGreaterThan(Object.keys(files).length * 0.9);
    expect(sums.records).toBeGreaterThan(Object.keys(examples).length);
    expect(new Set(server.requests.filter(({ kind }) => kind === 'get').map(({ path }) => path)).size).toBe(
      Object.keys(files).length,
    );
  });

  it('the golden log of every dialect, with each folder of events or of a batch as one source', async () => {
    const goldens = filesIn('test/goldens');
    const logs = Object.entries(goldens).filter(([name]) => name.includes('/logs/'));
    const { same } = await both(Object.fromEntries(logs));
    const { sums } = await same({ s3, groupBy: 'none' });
    expect(sums.sources.read).toBeGreaterThan(50);
    expect(sums.sources.read).toBeLessThan(logs.length - 10);
  });

  it('a batch and the events of a run directly below the prefix, plain and packed', async () => {
    for (const name of ['batch-files/logs', 'openhands-folder/logs/c2']) {
      const files = filesIn(`test/goldens/${name}`);
      const gzip = Object.entries(files).map(([file, bytes]) => [`${file}.gz`, gzipSync(bytes)] as const);
      for (const form of [files, Object.fromEntries(gzip)]) {
        const { same } = await both(form);
        const { sums } = await same({ s3, groupBy: 'none' });
        expect([sums.sources.read, sums.records > 0]).toEqual([1, true]);
      }
    }
  });

  it('folders that are sessions, at any depth, plain and packed', async () => {
    const files = packed(filesIn('test/goldens/openhands-folder/logs'));
    const { same } = await both({
      ...files,
      'alone.jsonl': filesIn('examples/dialects')['pi.jsonl'] as Buffer,
    });
    for (const workers of [1, 2]) {
      const { sums } = await same({ s3, sessionBy: 'folder', workers });
      expect(sums.sources.read).toBeLessThan(Object.keys(files).length);
    }
  });

  it('the example logs, one session per file and gathered by id, in several formats', async () => {
    const { same } = await both(packed(filesIn('examples/logs')));
    const { sums } = await same({ s3, format: ['chat', 'trl', 'atif'] });
    expect(sums.records).toBeGreaterThan(20);
    await same({ s3, sessionBy: 'id' });
  });

  it('logs of many sessions, mutated logs and crowded lines, by file and by id', async () => {
    const files: Record<string, Buffer> = {};
    for (let seed = 1; seed <= SEEDS; seed++) {
      files[`packed-${seed}.jsonl`] = packedLog(seed);
      files[`mutated-${seed}.jsonl`] = mutatedLog(seed, new Map());
    }
    for (const [index, { type, make }] of Object.values(crowdedLogs).entries())
      files[`crowded-${index}.${type}`] = Buffer.from(make(50));
    const { same } = await both(files);
    for (const sessionBy of ['file', 'id'] as const) {
      const { sums, rejections } = await same({ s3, sessionBy });
      expect(sums.lines).toBeGreaterThan(SEEDS * 10);
      expect(rejections).toBeGreaterThan(SEEDS);
    }
  });
});
