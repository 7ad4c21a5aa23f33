/** Streams as inputs of `build` make the same dataset as files with the same names and bytes, whatever their chunks. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { Readable } from 'node:stream';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import type { StreamSource } from '../../../src/input/sources/stream-source.ts';
import { build } from '../../../src/job/build.ts';
import type { RunSummary } from '../../../src/job/run.ts';
import { verifyDataset } from '../../../src/verify/verify-dataset.ts';
import { readDataset } from '../../support/build-logs.ts';
import { STREAMS } from '../../support/byte-streams.ts';
import { hashesOf, temporaryFolder } from '../../support/folder.ts';
import { hasZstd, zstd } from '../../support/zstd.ts';
import { entry } from '../cli/small-logs.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../../examples/logs');
const names = (readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' }) as string[])
  .filter((name) => /\.(?:jsonl|json)(?:\.gz)?$/.test(name))
  .sort();
const bytesOf = (name: string): Buffer => readFileSync(join(EXAMPLES, name));
const lines = (...all: string[]): Buffer => Buffer.from(all.map((line) => `${line}\n`).join(''));
const streamOf = (name: string, bytes: Uint8Array): StreamSource => ({
  name,
  stream: Readable.from([bytes]),
});

interface BuiltDataset extends ReturnType<typeof readDataset> {
  readonly summary: RunSummary;
}

/** Builds a dataset and verifies it. */
async function buildAndVerify(
  inputs: readonly (StreamSource | string)[],
  more: object = {},
): Promise<BuiltDataset> {
  const out = join(temporaryFolder(), 'out');
  const summary = await build({ inputs, out, ...more });
  expect((await verifyDataset(out)).problems).toEqual([]);
  return { summary, ...readDataset(out) };
}

describe('streams make the same dataset as files', () => {
  const dataOf = (out: string): object =>
    Object.fromEntries(Object.entries(hashesOf(out)).filter(([path]) => /^(?:data|reports\/t)/.test(path)));

  it.each(
    Object.entries(STREAMS).flatMap(([kind, make]) =>
      [1000, 65_536, 1 << 24].map((chunkBytes) => ({ kind, make, chunkBytes })),
    ),
  )('as $kind, $chunkBytes bytes at a time', async ({ make, chunkBytes }) => {
    const files = await buildAndVerify([EXAMPLES], { workers: 1 });
    // not in the order of their names
    const inputs = names.map((name) => ({ name, stream: make(bytesOf(name), chunkBytes) })).reverse();
    const streams = await buildAndVerify(inputs);
    expect(names.length).toBeGreaterThan(10);
    expect(dataOf(streams.out)).toEqual(dataOf(files.out));
    expect(streams.sums).toEqual(files.sums);
  });

  const log = lines(entry(), entry({ second: 1, id: 's' }));
  const packings: [string, Buffer][] = [['gzip', gzipSync(log)]];
  if (hasZstd) packings.push(['zstd', zstd(log)]);
  it.each(
    packings.flatMap(([packing, packed]) =>
      Object.entries(STREAMS).map(([kind, make]) => ({ packing, packed, kind, make })),
    ),
  )('as $kind in $packing, a byte at a time', async ({ packed, make }) => {
    const plain = await buildAndVerify([streamOf('s', log)]);
    const unpacked = await buildAndVerify([{ name: 's', stream: make(packed, 1) }]);
    expect(unpacked.records).toEqual(plain.records);
    expect(unpacked.records).toHaveLength(1);
  });

  it('with one session for each stream, and a count of misleading names', async () => {
    const { sums, quarantine } = await buildAndVerify([
      streamOf('s.jsonl', gzipSync(lines(entry(), entry({ id: 'b' })))),
    ]);
    expect(sums.repairs['wrong-extension']).toBe(1);
    expect(quarantine.map(({ reason }) => reason)).toEqual(['session-id-mismatch', 'session-id-mismatch']);
  });

  it('in bytewise order of the names, with files among them and repeated names', async () => {
    const folder = temporaryFolder();
    writeFileSync(join(folder, 'b.jsonl'), lines(entry({ id: 'b' })));
    const stream = (name: string, id: string): StreamSource => streamOf(name, lines(entry({ id })));
    const inputs = [stream('c.jsonl', 'c'), folder, stream('b.jsonl', 'b2'), stream('a.jsonl', 'a')];
    const { out } = await buildAndVerify(inputs, { groupBy: 'none' });
    const read = readFileSync(join(out, 'ledger/sources.jsonl'), 'utf8').trim().split('\n');
    expect(read.map((line) => JSON.parse(line)).map(({ source, input }) => [source, input])).toEqual([
      ['a.jsonl', 3],
      ['b.jsonl', 1],
      ['b.jsonl', 2],
      ['c.jsonl', 0],
    ]);
    expect(JSON.parse(readFileSync(join(out, 'run.json'), 'utf8')).inputs).toEqual([
      'c.jsonl',
      folder,
      'b.jsonl',
      'a.jsonl',
    ]);
  });
});

describe('limits and rejections', () => {
  it('a rejected line keeps its bytes, because the stream cannot be read again', async () => {
    const { quarantine } = await buildAndVerify([streamOf('s.jsonl', lines(entry(), 'oops'))]);
    expect(quarantine).toMatchObject([{ reason: 'invalid-json', line: 2, source: { uri: 's.jsonl' } }]);
    expect(Buffer.from(quarantine[0]?.raw_b64 as string, 'base64').toString()).toBe('oops');
    expect(quarantine[0]?.source.size).toBe(lines(entry(), 'oops').length);
  });

  it('a line that is too long and a stream that decompresses to too much are rejected', async () => {
    const long = entry({ messages: [{ role: 'user', content: 'x'.repeat(5000) }] });
    const settings = { maxLine: 1000, maxDecompressed: 3000, onReject: 'quarantine' } as const;
    const inputs = [
      streamOf('good.jsonl', lines(entry({ id: 'g' }))),
      streamOf('long.jsonl', lines(entry(), long)),
      streamOf('packed.jsonl.gz', gzipSync(lines(long))),
    ];
    const { quarantine } = await buildAndVerify(inputs, settings);
    expect(quarantine.map(({ source, reason }) => [source.uri, reason])).toEqual([
      ['long.jsonl', 'line-too-long'],
      ['packed.jsonl.gz', 'decompression-limit'],
    ]);
  });

  it.each([1, 100, 1 << 20])(
    'an error that it throws rejects it, with chunks of %i bytes',
    async (chunkBytes) => {
      const content = lines(entry(), entry({ second: 1 }));
      async function* failing(): AsyncGenerator<Uint8Array> {
        for (let at = 0; at < content.length; at += chunkBytes) yield content.subarray(at, at + chunkBytes);
        throw Object.assign(new Error('SECRET'), { code: 'ECONNRESET', syscall: 'read' });
      }
      const inputs = [{ name: 'a.jsonl', stream: failing() }, streamOf('b.jsonl', lines(entry({ id: 'b' })))];
      const { out, quarantine, records, sums, summary } = await buildAndVerify(inputs);
      expect(records).toHaveLength(1);
      expect(summary.rejections).toBe(2);
      expect(sums.fates).toEqual({ 'rejected:unreadable': 2, snapshot: 1 });
      expect(quarantine).toMatchObject([
        { scope: 'source', reason: 'unreadable', error: { code: 'ECONNRESET' } },
      ]);
      const detail = `the stream failed after ${content.length} bytes: ECONNRESET`;
      expect(quarantine[0]?.error?.message).toBe(detail);
      const [first] = readFileSync(join(out, 'ledger/sources.jsonl'), 'utf8').split('\n');
      expect(JSON.parse(first as string)).toMatchObject({ status: 'rejected', detail, size: content.length });
      expect(readFileSync(join(out, 'quarantine/rejected.jsonl'), 'utf8')).not.toContain('SECRET');
    },
  );

  it('a Node stream that fails while another source is read does not end the process', async () => {
    const later = new Readable({ read: () => undefined });
    async function* first(): AsyncGenerator<Uint8Array> {
      later.destroy(Object.assign(new Error('idle'), { code: 'ETIMEDOUT' }));
      await new Promise((resolve) => later.once('close', resolve));
      yield lines(entry());
    }
    const inputs = [
      { name: 'a.jsonl', stream: first() },
      { name: 'b.jsonl', stream: later },
    ];
    const { quarantine, records } = await buildAndVerify(inputs);
    expect(records).toHaveLength(1);
    expect(quarantine[0]?.error?.message).toBe('the stream failed after 0 bytes: ETIMEDOUT');
  });

  it.each([
    [
      'a text',
      'a string',
      'of type string instead of a Uint8Array; a stream of Node must not have an encoding',
    ],
    ['an array', ['x'], 'of type Array instead of a Uint8Array'],
    ['null', null, 'of type object instead of a Uint8Array'],
  ])('a chunk that is not bytes ends the run: %s', async (_kind, chunk, message) => {
    const folder = temporaryFolder();
    async function* wrong(): AsyncGenerator<Uint8Array> {
      yield lines(entry());
      yield chunk as unknown as Uint8Array;
    }
    const run = build({ inputs: [{ name: 'a\u001b.jsonl', stream: wrong() }], out: join(folder, 'out') });
    await expect(run).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining(message) });
    await expect(run).rejects.toMatchObject({
      message: expect.stringContaining('the stream a\\u001b.jsonl'),
    });
    expect(readdirSync(folder)).toEqual([]);
  });
});

describe('is not an input', () => {
  const body = (): Readable => Readable.from([lines(entry())]);
  const one = body();
  const cases: readonly (readonly [string, readonly unknown[], object, string])[] = [
    [
      'a stream twice',
      [
        { name: 'a', stream: one },
        { name: 'b', stream: one },
      ],
      {},
      'the inputs a and b are the same stream',
    ],
    ['the name of standard input', [{ name: '-', stream: body() }], {}, 'which means standard input'],
    ['no name', [{ name: '', stream: body() }], {}, 'an object with a name and a stream'],
    ['half a surrogate pair', [{ name: 'a\ud800', stream: body() }], {}, 'has an unpaired surrogate'],
    ['bytes', [{ name: 'a', stream: lines(entry()) }], {}, 'the stream of a is not an AsyncIterable'],
    ['no stream', [{ name: 'a' }], {}, 'the stream of a is not an AsyncIterable'],
    [
      '--update',
      [{ name: 'a', stream: body() }],
      { update: true },
      '--update: the stream a cannot be read again',
    ],
    [
      '--resume',
      [{ name: 'a', stream: body() }],
      { resume: true },
      '--resume: the stream a cannot be read again',
    ],
  ];
  it.each(cases)('%s', async (_name, inputs, more, message) => {
    const folder = temporaryFolder();
    mkdirSync(join(folder, 'logs'));
    const run = build({ inputs: inputs as StreamSource[], out: join(folder, 'out'), ...more });
    await expect(run).rejects.toMatchObject({ code: 'usage', message: expect.stringContaining(message) });
    expect(readdirSync(folder)).toEqual(['logs']);
  });

  it('a Node stream that was already read', async () => {
    const stream = body();
    for await (const _ of stream);
    const run = build({ inputs: [{ name: 'a', stream }] });
    await expect(run).rejects.toMatchObject({
      code: 'usage',
      message: expect.stringContaining('read to its end'),
    });
  });
});
