/** The library's writers at the end of a pipeline: their bytes, backpressure and faults. */
import { existsSync, readdirSync, readFileSync, readlinkSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { LineWriter } from '../../../src/dataset/line-writer.ts';
import { ShardWriter, type ShardWriterOptions } from '../../../src/dataset/shard-writer.ts';
import type { StreamElement, WrittenRecord } from '../../../transforms/model/element.ts';
import { temporaryFolder } from '../../support/folder.ts';

const origin = { source: 'a', line: 1, offset: 0, length: 0 };
const record = (text: string, more: Partial<WrittenRecord> = {}): WrittenRecord =>
  ({
    kind: 'record',
    origin,
    group: 'g',
    format: 'chat',
    bytes: Buffer.from(text),
    ...more,
  }) as WrittenRecord;
const end: StreamElement = { kind: 'session-end', origin, last: true };
const textOf = (...path: string[]): string => readFileSync(join(...path), 'utf8');

/** Files of a folder that this process has open. */
const openIn = (dir: string): string[] =>
  readdirSync('/proc/self/fd').filter((fd) => {
    try {
      return readlinkSync(`/proc/self/fd/${fd}`).startsWith(dir);
    } catch {
      return false; // the descriptor of the listing itself
    }
  });

describe('ShardWriter', () => {
  it('writes records, single or in arrays, into the shards of their groups and counts other elements', async () => {
    const dir = join(temporaryFolder(), 'out');
    const writer = new ShardWriter({ dir, shardSize: 4 });
    const chunks = [record('1'), [record('2'), end, record('x', { group: 'h' })], record('3'), end];
    await pipeline(Readable.from(chunks), writer);
    expect(readdirSync(join(dir, 'data'))).toEqual(['g-00000.jsonl', 'g-00001.jsonl', 'h-00000.jsonl']);
    expect(textOf(dir, 'data/g-00000.jsonl')).toBe('1\n2\n');
    expect(writer.shards.map(({ path, records, bytes }) => [path, records, bytes])).toEqual([
      ['data/g-00000.jsonl', 2, 4],
      ['data/g-00001.jsonl', 1, 2],
      ['data/h-00000.jsonl', 1, 2],
    ]);
    expect([...writer.passedOver]).toEqual([['session-end', 2]]);
  });

  it('names shards after their records, unless it is told otherwise', async () => {
    const dir = temporaryFolder();
    const writer = new ShardWriter({ dir, perFormat: true });
    const several = [
      record('{"a":1}\n{"b":2}', { format: 'sts' }),
      record('[[a]]\nb = 1', { format: 'samples' }),
    ];
    await pipeline(Readable.from([...several, record('{}')]), writer);
    expect(writer.shards.map(({ path }) => path)).toEqual([
      'data/chat/g-00000.jsonl',
      'data/samples/g-00000.toml',
      'data/sts/g-00000.sts.jsonl',
    ]);
  });

  it('compresses, names decks of samples and gives each format its folder', async () => {
    const dir = temporaryFolder();
    const writer = new ShardWriter({ dir, compress: 'gzip', extension: 'toml', perFormat: true });
    await pipeline(Readable.from([record('a = 1'), record('b = 2', { format: 'trl' })]), writer);
    expect(writer.shards.map(({ path }) => path)).toEqual([
      'data/chat/g-00000.toml.gz',
      'data/trl/g-00000.toml.gz',
    ]);
    expect(gunzipSync(readFileSync(join(dir, 'data/trl/g-00000.toml.gz'))).toString()).toBe('b = 2\n');
  });

  it('applies backpressure: an element is requested once the previous one is written', async () => {
    const dir = temporaryFolder();
    let yielded = 0;
    let most = 0;
    const long = 'x'.repeat(300 * 1024); // more than the writer buffers
    function* records(): Generator<WrittenRecord> {
      for (; yielded < 20; yielded++) {
        const path = join(dir, 'data/g-00000.jsonl');
        const written = existsSync(path) ? Math.floor(statSync(path).size / long.length) : 0;
        most = Math.max(most, yielded - written);
        yield record(long);
      }
    }
    await pipeline(Readable.from(records(), { highWaterMark: 1 }), new ShardWriter({ dir }));
    expect(yielded).toBe(20);
    expect(most).toBeLessThanOrEqual(3); // one in each buffer of the pipeline
  });

  it.each([
    [
      'a second format',
      [record('1'), record('2', { format: 'trl' })],
      { code: 'usage' },
      'chat and trl in one ShardWriter',
    ],
    ['something else', [{ text: 'x' }], {}, 'got an object without a kind'],
    ['a text', ['{}'], {}, 'got a string of 2 characters'],
    ['lines that no stage read', [{ kind: 'line' }], {}, 'put format() before it'],
  ])('ends the pipeline over %s and leaves nothing open', async (_name, chunks, code, message) => {
    const dir = temporaryFolder();
    const writing = pipeline(Readable.from(chunks), new ShardWriter({ dir }));
    await expect(writing).rejects.toMatchObject({ ...code, message: expect.stringContaining(message) });
    expect(openIn(dir)).toEqual([]);
  });

  it('does not overwrite a shard, and reports a missing folder', async () => {
    const dir = temporaryFolder();
    await pipeline(Readable.from([record('1')]), new ShardWriter({ dir }));
    const again = pipeline(Readable.from([record('2')]), new ShardWriter({ dir }));
    await expect(again).rejects.toMatchObject({ code: 'io', message: expect.stringContaining('EEXIST') });
    expect(textOf(dir, 'data/g-00000.jsonl')).toBe('1\n');
    const nowhere = pipeline(Readable.from([record('2')]), new ShardWriter({ dir: join(dir, 'a/b') }));
    await expect(nowhere).rejects.toMatchObject({ code: 'cannot-create' });
  });

  it.each([
    [{ shardSize: 0 }, 'shardSize: 0 is not a whole number from 1'],
    [{ compress: 'xz' }, "compress: 'xz' is not none, gzip or zstd"],
    [{ dir: undefined }, 'dir: name the folder for the shards'],
  ])('refuses %j', (options, message) => {
    const make = (): ShardWriter => new ShardWriter({ dir: 'x', ...options } as ShardWriterOptions);
    expect(make).toThrow(message);
  });
});

describe('LineWriter', () => {
  it('writes records, texts and bytes, each with a line feed', async () => {
    const path = join(temporaryFolder(), 'a.jsonl');
    const writer = new LineWriter(path);
    const chunks = [record('1'), end, [record('2'), end], '{"three":"\u00e4"}', Buffer.from('4')];
    await pipeline(Readable.from(chunks), writer);
    expect(textOf(path)).toBe('1\n2\n{"three":"\u00e4"}\n4\n');
    expect([writer.lines, [...writer.passedOver]]).toEqual([4, [['session-end', 2]]]);
  });

  it('creates its file, with its mode, even when nothing is written', async () => {
    const path = join(temporaryFolder(), 'a.jsonl');
    await pipeline(Readable.from([]), new LineWriter(path, { mode: 0o600 }));
    expect([textOf(path), statSync(path).mode & 0o777]).toEqual(['', 0o600]);
  });

  it('refuses to write to no file', () => {
    expect(() => new LineWriter(undefined as never)).toThrow('LineWriter takes the path of a file');
  });

  it('refuses a text of two lines, values that are not lines, and an existing file', async () => {
    const folder = temporaryFolder();
    const write = (name: string, chunk: unknown): Promise<void> =>
      pipeline(Readable.from([chunk]), new LineWriter(join(folder, name)));
    await expect(write('a', 'x\ny')).rejects.toThrow('has a line feed at byte 1');
    await expect(write('b', 5)).rejects.toThrow(
      'LineWriter takes elements, as read() yields them, but got a number',
    );
    writeFileSync(join(folder, 'c'), 'kept');
    await expect(write('c', 'x')).rejects.toMatchObject({ code: 'io' });
    expect(textOf(folder, 'c')).toBe('kept');
  });

  it('reports a failing disk', async () => {
    const lines = Array.from({ length: 50 }, () => 'x'.repeat(100_000));
    await expect(pipeline(Readable.from(lines), new LineWriter('/proc/self/x'))).rejects.toMatchObject({
      name: 'TurnmillError',
    });
  });
});
