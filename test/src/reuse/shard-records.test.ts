import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { crc32, gzipSync } from 'node:zlib';
import { expect, it } from 'vitest';
import { PreviousRun, type PreviousShard } from '../../../src/reuse/previous-run.ts';
import { ShardRecords } from '../../../src/reuse/shard-records.ts';
import { temporaryFolder } from '../../support/folder.ts';

interface StagedShards {
  readonly records: ShardRecords;
  readonly root: string;
  readonly work: string;
}

/** Shards of a staged run: path, content of the file, and lines still in memory. */
function shardsOf(
  shards: Readonly<Record<string, readonly [file: Uint8Array | string, gathered?: string]>>,
): StagedShards {
  const [root, work] = [temporaryFolder(), temporaryFolder()];
  const listed = Object.entries(shards).map(([path, [file, gathered]], index): PreviousShard => {
    const bytes = Buffer.from(file);
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), bytes);
    return {
      ...{ path, group: `group ${index}`, records: 3, bytes: bytes.length, crc32: crc32(bytes) },
      ...(gathered !== undefined && { gathered: Buffer.from(gathered) }),
    };
  });
  const run = new PreviousRun(root, [], listed);
  return { root, work, records: new ShardRecords(run, { pathFor: (name) => join(work, name) }) };
}

async function textAt(records: ShardRecords, path: string, number: number): Promise<string> {
  await records.open(path);
  return Buffer.from(records.at(path, number)).toString();
}

it('reads records by number with at most 64 shards open', async () => {
  const paths = Array.from({ length: 300 }, (_, i) => `data/${i}.jsonl`);
  const { records } = shardsOf(Object.fromEntries(paths.map((path) => [path, [`${path}\nb\nc ${path}\n`]])));
  const openFiles = (): number => readdirSync('/proc/self/fd').length;
  const before = openFiles();
  for (const path of paths) expect(await textAt(records, path, 1)).toBe(path);
  expect(openFiles() - before).toBeLessThan(100);
  for (const path of paths) expect(await textAt(records, path, 3)).toBe(`c ${path}`);
  expect(records.groupOf('data/7.jsonl')).toBe('group 7');
});

it('decompresses a shard, adds lines in memory, and removes the decompressed file after its last record', async () => {
  const path = 'data/a.jsonl.gz';
  const { records, work } = shardsOf({ [path]: [gzipSync('one\ntwo\n'), 'three\n'] });
  expect(await textAt(records, path, 2)).toBe('two');
  expect(readFileSync(join(work, 'unpacked-0'), 'utf8')).toBe('one\ntwo\nthree\n');
  expect(await textAt(records, path, 3)).toBe('three');
  expect(existsSync(join(work, 'unpacked-0'))).toBe(false);
});

it('reads a compressed shard whose lines are all in memory', async () => {
  const { records } = shardsOf({ 'data/a.jsonl.gz': ['', 'one\ntwo\nthree\n'] });
  expect(await textAt(records, 'data/a.jsonl.gz', 1)).toBe('one');
});

it('reads records of several lines from a deck of samples', async () => {
  const deck =
    '[[samples]]\na = 1\n\n[[samples]]\nb = """\nx\n[[samples]] not alone\n"""\n[[samples]]\nc = 3\n';
  for (const [path, file] of [
    ['data/a.toml', deck],
    ['data/a.toml.gz', gzipSync(deck)],
  ] as const) {
    const { records } = shardsOf({ [path]: [file] });
    expect(await textAt(records, path, 1)).toBe('[[samples]]\na = 1\n');
    expect(await textAt(records, path, 2)).toBe('[[samples]]\nb = """\nx\n[[samples]] not alone\n"""');
    expect(await textAt(records, path, 3)).toBe('[[samples]]\nc = 3');
    await expect(textAt(records, path, 4)).rejects.toThrow();
  }
});

it('reads records of several lines from session traces', async () => {
  const head = (id: string): string => `{"type":"session","harness":"h","id":"${id}"}`;
  const message = '{"type":"message","message":{}}';
  const traces = `${head('a')}\n${message}\n${message}\n${head('b')}\n${message}\n`;
  for (const [path, file] of [
    ['data/a.sts.jsonl', traces],
    ['data/a.sts.jsonl.gz', gzipSync(traces)],
  ] as const) {
    const { records } = shardsOf({ [path]: [file] });
    expect(await textAt(records, path, 1)).toBe(`${head('a')}\n${message}\n${message}`);
    expect(await textAt(records, path, 2)).toBe(`${head('b')}\n${message}`);
    await expect(textAt(records, path, 3)).rejects.toThrow();
  }
});

it('refuses a missing shard or record', async () => {
  const { records } = shardsOf({ 'data/a.jsonl': ['one\n'] });
  await expect(textAt(records, 'data/b.jsonl', 1)).rejects.toThrow(
    /data\/b\.jsonl is in the ledger, but is not a shard/,
  );
  await expect(textAt(records, 'data/a.jsonl', 2)).rejects.toThrow(/data\/a\.jsonl has no record 2/);
});

it('refuses a shard with other bytes', async () => {
  const { records, root } = shardsOf({ 'data/a.jsonl': ['one\n'], 'data/b.jsonl.gz': [gzipSync('one\n')] });
  writeFileSync(join(root, 'data/a.jsonl'), 'two\n');
  writeFileSync(join(root, 'data/b.jsonl.gz'), gzipSync('two\n'));
  for (const path of ['data/a.jsonl', 'data/b.jsonl.gz'])
    await expect(textAt(records, path, 1)).rejects.toThrow(expect.objectContaining({ code: 'io' }));
});
