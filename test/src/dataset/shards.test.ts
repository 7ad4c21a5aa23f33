import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, readlinkSync, renameSync, symlinkSync } from 'node:fs';
import { crc32, gunzipSync } from 'node:zlib';
import { beforeEach, describe, expect, test } from 'vitest';
import { Shards } from '../../../src/dataset/shards.ts';
import { hasZstd } from '../../support/zstd.ts';
import { faultOf, temporaryFolder } from './temporary.ts';

const folder = temporaryFolder();
beforeEach(() => mkdirSync(folder.in('data')));

const bytes = (text: string) => new TextEncoder().encode(text);
const shards = (options: object = {}) =>
  new Shards({ dir: folder.path, shardSize: 1e9, compress: 'none', ...options });

function openInData(): number {
  return readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(folder.in('data/'));
    } catch {
      return false;
    }
  }).length;
}

describe('shards', () => {
  test('report the place of each record, and their contents sorted by path', () => {
    const sink = shards();
    expect(sink.write('b', bytes('1'))).toEqual({ shard: 'data/b-00000.jsonl', line: 1 });
    expect(sink.write('a', bytes('22'))).toEqual({ shard: 'data/a-00000.jsonl', line: 1 });
    expect(sink.write('b', bytes('333'))).toEqual({ shard: 'data/b-00000.jsonl', line: 2 });
    const shard = (group: string, records: number, content: string): object => ({
      path: `data/${group}-00000.jsonl`,
      group,
      records,
      bytes: content.length,
      uncompressedBytes: content.length,
      innerLines: 0,
      crc32: crc32(content),
      contentCrc32: crc32(content),
    });
    expect(sink.finish()).toEqual([shard('a', 1, '22\n'), shard('b', 2, '1\n333\n')]);
    expect(readFileSync(folder.in('data/b-00000.jsonl'), 'utf8')).toBe('1\n333\n');
    expect(openInData()).toBe(0);
  });

  test('start a new file when a record would exceed the size, and give a larger record its own file', () => {
    const sink = shards({ shardSize: 10 });
    const places = ['1234', '1234', 'x', '123456789', 'this one is larger', 'y', 'z'].map((text) =>
      sink.write('g', bytes(text)),
    );
    expect(places.map(({ shard, line }) => `${shard.slice(7, 12)}:${line}`)).toEqual([
      '00000:1',
      '00000:2',
      '00001:1',
      '00002:1',
      '00003:1',
      '00004:1',
      '00004:2',
    ]);
    expect(sink.finish().map(({ records, bytes: size }) => [records, size])).toEqual([
      [2, 10],
      [1, 2],
      [1, 10],
      [1, 19],
      [2, 4],
    ]);
  });

  test.each(['none', 'gzip'] as const)(
    'F103 write 300 groups through 4 descriptors, compress %s',
    (compress) => {
      const sink = shards({ maxOpenFiles: 4, compress, maxPendingBytes: 200_000 });
      let most = 0;
      for (let i = 0; i < 3000; i += 1) {
        sink.write(`group-${(i * 7919) % 300}`, bytes(`${'-'.repeat(i % 500)}${i}`));
        if (i % 100 === 0) most = Math.max(most, openInData());
      }
      const infos = sink.finish();
      expect(most).toBeGreaterThan(0);
      expect(most).toBeLessThanOrEqual(4);
      expect(infos.length).toBe(300);
      for (const info of infos) {
        const content = readFileSync(folder.in(info.path));
        expect(content.length).toBe(info.bytes);
        const lines = (compress === 'gzip' ? gunzipSync(content) : content).toString().split('\n');
        expect(lines.pop()).toBe('');
        const numbers = lines.map((line) => Number(line.replace(/^-+/, '')));
        expect(numbers).toEqual(numbers.toSorted((a, b) => a - b));
        expect(numbers.length).toBe(info.records);
      }
    },
  );

  test('hold gzip members of about 1 MiB, the same bytes for any number of open files', () => {
    const files = [1, 64].map((maxOpenFiles) => {
      mkdirSync(folder.in(`${maxOpenFiles}/data`), { recursive: true });
      const sink = shards({
        dir: folder.in(`${maxOpenFiles}`),
        compress: 'gzip',
        maxOpenFiles,
        maxPendingBytes: 3_000_000,
      });
      for (let i = 0; i < 6000; i += 1) sink.write(`g${i % 3}`, bytes(`${i}`.repeat(300)));
      const infos = sink.finish();
      return infos.map((info) => readFileSync(folder.in(`${maxOpenFiles}`, info.path)));
    });
    expect(files[0]).toEqual(files[1]);
    for (const file of files[0] ?? []) {
      expect([...file.subarray(0, 10)]).toEqual([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 255]);
      expect(gunzipSync(file).length).toBeGreaterThan(2_000_000);
    }
  });

  test.skipIf(!hasZstd)(
    'hold whole zstd frames, the same bytes whichever file is parked, and lines that span blocks',
    () => {
      const record = bytes('{"a":"0123456789"}'.repeat(60_000));
      const files = [1, 64].map((maxOpenFiles) => {
        mkdirSync(folder.in(`${maxOpenFiles}`, 'data'), { recursive: true });
        const sink = shards({ dir: folder.in(`${maxOpenFiles}`), compress: 'zstd', maxOpenFiles });
        for (let i = 0; i < 10; i += 1) sink.write(i % 2 === 0 ? 'a' : 'b', record);
        const infos = sink.finish();
        expect(
          infos.map(({ path, records, uncompressedBytes }) => [path, records, uncompressedBytes]),
        ).toEqual(['a', 'b'].map((group) => [`data/${group}-00000.jsonl.zst`, 5, 5 * (record.length + 1)]));
        return infos.map((info) => readFileSync(folder.in(`${maxOpenFiles}`, info.path)));
      });
      expect(files[0]).toEqual(files[1]);
      const lines = `${Buffer.from(record).toString()}\n`.repeat(5);
      const unpacked = execFileSync('zstd', ['-dcq'], { input: files[0]?.[0], maxBuffer: 2 ** 30 });
      expect(unpacked.toString()).toBe(lines);
    },
  );

  test('count uncompressed bytes towards the size of a gzip shard', () => {
    const sink = shards({ compress: 'gzip', shardSize: 1001 });
    for (let i = 0; i < 3; i += 1) sink.write('g', bytes('a'.repeat(500)));
    expect(sink.finish().map((info) => [info.path, info.records, info.uncompressedBytes])).toEqual([
      ['data/g-00000.jsonl.gz', 1, 501],
      ['data/g-00001.jsonl.gz', 1, 501],
      ['data/g-00002.jsonl.gz', 1, 501],
    ]);
  });

  test('keep the gzip blocks in memory under the limit with many groups', () => {
    const sink = shards({ compress: 'gzip', maxPendingBytes: 64 * 1024 });
    for (let i = 0; i < 100; i += 1) sink.write(`g${i}`, bytes('x'.repeat(3000)));
    const written = readdirSync(folder.in('data')).filter(
      (name) => readFileSync(folder.in('data', name)).length > 0,
    );
    expect(written.length).toBe(100 - 16);
    sink.abandon();
    expect(openInData()).toBe(0);
  });

  test('F102 refuse to continue when data/ was replaced by a link', () => {
    const sink = shards();
    sink.write('a', bytes('1'));
    renameSync(folder.in('data'), folder.in('elsewhere'));
    symlinkSync('elsewhere', folder.in('data'));
    expect(faultOf(() => sink.write('b', bytes('1'))).code).toBe('io');
    sink.abandon();
  });

  test('stay inside data/ when a group is named like a path (F100)', () => {
    const sink = shards();
    const { shard } = sink.write('../../escaped', bytes('1'));
    sink.finish();
    expect(readdirSync(folder.in('data'))).toEqual([shard.slice('data/'.length)]);
    expect(folder.names()).toEqual(['data']);
  });
});
