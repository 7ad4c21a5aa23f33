import { createHash } from 'node:crypto';
import {
  appendFileSync,
  existsSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { commitDataset, type StagedCommit } from '../../../src/dataset/commit.ts';
import { checkDestination } from '../../../src/dataset/destination.ts';
import { createLineFile } from '../../../src/dataset/line-file.ts';
import { isDataset } from '../../../src/dataset/manifest.ts';
import { readBack } from '../../../src/dataset/read-back.ts';
import type { LedgerSums } from '../../../src/dataset/schema/reports.ts';
import { Shards } from '../../../src/dataset/shards.ts';
import { Staging } from '../../../src/dataset/staging.ts';
import { writeWholeFile } from '../../../src/dataset/whole-file.ts';
import { temporaryFolder } from './temporary.ts';

const folder = temporaryFolder();
const bytes = (text: string) => new TextEncoder().encode(text);
const body = {
  tool: { name: 'turnmill', version: '0.1.0' },
  settings: { format: 'chat' },
  settings_sha256: 'aa',
  totals: { records: 3, lines: 3, sessions: 3 },
  ledger: { lines: 3 } as LedgerSums,
};

function written(compress: 'none' | 'gzip' = 'none', out = 'out'): StagedCommit {
  const staging = new Staging(checkDestination({ out: folder.in(out), inputs: [], replace: false }));
  const shards = new Shards({ dir: staging.path, shardSize: 1e6, compress });
  for (const [group, record] of [
    ['b', '{"b":1}'],
    ['a', '{"a":1}'],
    ['b', '{"b":2}'],
  ] as const)
    shards.write(group, bytes(record));
  const ledger = createLineFile(join(staging.path, 'ledger/sources.jsonl'));
  ledger.write(bytes('{}'));
  const quarantine = createLineFile(join(staging.path, 'quarantine/lines.jsonl'), 0o600);
  for (const file of [ledger, quarantine]) {
    file.sync();
    file.close();
  }
  const summary = writeWholeFile(join(staging.path, 'reports/summary.json'), '{}\n');
  return {
    staging,
    shards: shards.finish(),
    files: [summary, quarantine, ledger],
    body,
    runFacts: { host: 'h' },
    replace: false,
  };
}

describe('commitDataset', () => {
  test.each(['none', 'gzip'] as const)(
    'publishes the files and their manifest, compress %s',
    async (compress) => {
      const { manifest, problems } = await commitDataset(written(compress));
      expect(problems).toEqual([]);
      const text = readFileSync(folder.in('out/manifest.json'), 'utf8');
      expect(text).toBe(`${JSON.stringify(manifest, undefined, 2)}\n`);
      expect(Object.keys(manifest)).toEqual([
        'schema',
        'tool',
        'settings',
        'settings_sha256',
        'shards',
        'files',
        'totals',
        'ledger',
      ]);
      expect(manifest.shards.map(({ group, records }) => [group, records])).toEqual([
        ['a', 1],
        ['b', 2],
      ]);
      expect(manifest.files.map((file) => file.path)).toEqual([
        'ledger/sources.jsonl',
        'quarantine/lines.jsonl',
        'reports/summary.json',
      ]);
      for (const file of [...manifest.shards, ...manifest.files]) {
        const content = readFileSync(folder.in('out', file.path));
        expect([file.bytes, file.sha256]).toEqual([
          content.length,
          createHash('sha256').update(content).digest('hex'),
        ]);
      }
      expect(text).not.toContain('run.json');
      expect(readFileSync(folder.in('out/run.json'), 'utf8')).toBe('{\n  "host": "h"\n}\n');
      expect(isDataset(folder.in('out'))).toBe(true);
      expect(folder.names()).toEqual(['out']);
    },
  );

  test('takes the figures of readers, and reads itself what they cannot', async () => {
    const asked: string[] = [];
    const reader = {
      readBack(path: string) {
        asked.push(basename(path));
        return asked.length === 1 ? readBack(path) : Promise.resolve(undefined);
      },
    };
    const alone = await commitDataset(written('none', 'alone'));
    const shared = await commitDataset({ ...written('none', 'shared'), readers: [reader] });
    expect(shared.manifest).toEqual(alone.manifest);
    expect(asked[0]).toBe('a-00000.jsonl');
    const nothing = { readBack: () => Promise.resolve(undefined) };
    const helpless = await commitDataset({ ...written('none', 'helpless'), readers: [nothing, nothing] });
    expect(helpless.manifest).toEqual(alone.manifest);
  });

  test('compares what readers read with what was written', async () => {
    const request = written();
    const reader = { readBack: async (path: string) => ({ ...(await readBack(path)), crc32: 1 }) };
    await expect(commitDataset({ ...request, readers: [reader] })).rejects.toMatchObject({ code: 'io' });
    expect(folder.names().filter((name) => name === 'out')).toEqual([]);
  });

  test('two runs give the same bytes', async () => {
    for (const out of ['one', 'two']) await commitDataset({ ...written('gzip', out), runFacts: { out } });
    for (const name of readdirSync(folder.in('one'), { recursive: true, withFileTypes: true })) {
      if (!name.isFile() || name.name === 'run.json') continue;
      const path = join(name.parentPath, name.name);
      expect(readFileSync(path).equals(readFileSync(path.replace('/one', '/two'))), path).toBe(true);
    }
  });

  test.each<[string, (root: string) => void]>([
    ['lost its end', (root) => truncateSync(join(root, 'data/a-00000.jsonl'), 4)],
    ['lost a newline', (root) => writeFileSync(join(root, 'data/b-00000.jsonl'), '{"b":1} {"b":2}\n')],
    ['grew (ledger)', (root) => appendFileSync(join(root, 'ledger/sources.jsonl'), 'x')],
    ['lost a line (ledger)', (root) => writeFileSync(join(root, 'ledger/sources.jsonl'), '{} ')],
    ['grew (report)', (root) => appendFileSync(join(root, 'reports/summary.json'), 'x')],
    ['went away', (root) => rmSync(join(root, 'data/a-00000.jsonl'))],
    ['was not written', (root) => writeFileSync(join(root, 'reports/foreign'), '')],
    ['is a link', (root) => symlinkSync('summary.json', join(root, 'reports/link'))],
  ])('F025 a file that %s is an io fault, and nothing is published', async (_, damage) => {
    const request = written();
    damage(request.staging.path);
    await expect(commitDataset(request)).rejects.toMatchObject({ code: 'io' });
    expect(existsSync(folder.in('out'))).toBe(false);
    expect(request.staging.discard()).toEqual([]);
    expect(folder.names()).toEqual([]);
  });

  test.each<[string, (bytes: Buffer) => Buffer]>([
    ['cut', (content) => content.subarray(0, -3)],
    ['with one bit flipped', (content) => Buffer.from(content.with(12, (content[12] ?? 0) ^ 1))],
    [
      'with other content of the same size',
      (content) => Buffer.concat([gzipSync('{"c":1}'), Buffer.alloc(99)]).subarray(0, content.length),
    ],
  ])('a gzip shard %s is an io fault', async (_, damage) => {
    const request = written('gzip');
    const path = join(request.staging.path, 'data/a-00000.jsonl.gz');
    writeFileSync(path, damage(readFileSync(path)));
    await expect(commitDataset(request)).rejects.toMatchObject({ code: 'io' });
  });

  test('an aborted run publishes nothing', async () => {
    const reason = new Error('SIGTERM');
    await expect(commitDataset({ ...written(), signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(existsSync(folder.in('out'))).toBe(false);
  });
});

describe('readBack', () => {
  test('counts lines across chunks and gzip members', async () => {
    const text = `${'x'.repeat(70_000)}\n`.repeat(100);
    writeFileSync(folder.in('plain'), text);
    writeFileSync(folder.in('f.gz'), Buffer.concat([gzipSync(text), gzipSync(''), gzipSync('a\nb')]));
    expect(await readBack(folder.in('plain'))).toMatchObject({
      bytes: text.length,
      lines: 100,
      contentBytes: text.length,
    });
    expect(await readBack(folder.in('f.gz'))).toMatchObject({
      lines: 101,
      contentBytes: text.length + 3,
    });
  });
});
