/** Section D of the fault matrix, through the built command: packed logs, whole and damaged. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { entry } from '../src/cli/small-logs.ts';
import { turnmillHere as turnmill } from '../support/command-here.ts';
import { faultTest } from '../support/faults.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';
import { runMeasured } from '../support/peak.ts';
import { zstd } from '../support/zstd.ts';

// biome-ignore lint/suspicious/noExplicitAny: lines of the ledger, as they come
type Line = any;

interface Built {
  readonly status: number | null;
  /** Source name -> its line of ledger/sources.jsonl. */
  readonly sources: Readonly<Record<string, Line>>;
  readonly quarantine: readonly Line[];
  readonly repairs: object;
  readonly records: readonly string[];
}

type Files = Readonly<Record<string, Uint8Array>>;

const linesOf = (path: string): string[] =>
  existsSync(path) ? readFileSync(path, 'utf8').split('\n').slice(0, -1) : [];

/** A dataset of these files, checked by `verify`. */
async function build(files: Files, ...args: string[]): Promise<Built> {
  const folder = temporaryFolder();
  const [logs, out] = [join(folder, 'logs'), join(folder, 'out')];
  mkdirSync(logs);
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(logs, name), bytes);
  const run = await turnmill(['build', logs, '--out', out, '--group-by', 'none', '--workers', '1', ...args]);
  expect(await turnmill(['verify', out])).toMatchObject({ status: 0 });
  const sources: Line[] = linesOf(join(out, 'ledger/sources.jsonl')).map((line) => JSON.parse(line));
  return {
    status: run.status,
    sources: Object.fromEntries(sources.map((line) => [line.source, line])),
    quarantine: linesOf(join(out, 'quarantine/rejected.jsonl')).map((line) => JSON.parse(line)),
    repairs: JSON.parse(readFileSync(join(out, 'reports/summary.json'), 'utf8')).repairs,
    records: linesOf(join(out, 'data/conversations-00000.jsonl')),
  };
}

const logLines = Array.from({ length: 40 }, (_, i) => Buffer.from(`${entry({ second: i })}\n`));
const log = Buffer.concat(logLines);
const good = { 'good.jsonl': log };
const joined = (...parts: Uint8Array[]): Buffer => Buffer.concat(parts);

/** Both packings: extension, reason when damaged, compressor. */
const PACKINGS = [
  ['gz', 'corrupt-gzip', (bytes: Uint8Array): Buffer => gzipSync(bytes)],
  ['zst', 'corrupt-zstd', (bytes: Uint8Array): Buffer => zstd(bytes)],
] as const;

const needs = ['zstd'] as const;
/** Bytes between two cuts. */
const STEP = process.env.TURNMILL_FAULTS === 'all' ? 1 : 23;

faultTest(
  'F070',
  'members and frames of every kind give the record of the plain log',
  { needs },
  async () => {
    const empty = gzipSync('');
    const byByte = Array.from(log.subarray(0, 3000), (byte) => gzipSync(Uint8Array.of(byte), { level: 1 }));
    const files: Files = {
      ...good,
      'a.jsonl.gz': gzipSync(log),
      'A.JSONL.GZ': joined(...logLines.map((line) => gzipSync(line))),
      'b.jsonl.gz': joined(empty, gzipSync(log.subarray(0, 999)), empty, gzipSync(log.subarray(999)), empty),
      'c.jsonl.gz': joined(...byByte, gzipSync(log.subarray(3000))),
      'a.jsonl.zst': zstd(log),
      'b.ndjson.zst': joined(...logLines.map((line) => zstd(line, '--no-check'))),
      'c.json.zst': zstd(`[${logLines.join(',')}]`),
    };
    const { status, sources, records, repairs } = await build(files);
    expect([status, records.length, new Set(records).size, repairs]).toEqual([0, 8, 1, {}]);
    for (const name of Object.keys(files).filter((file) => file !== 'good.jsonl')) {
      const { size, compression, packed } = sources[name];
      expect(compression).toBe(name.toLowerCase().endsWith('.gz') ? 'gzip' : 'zstd');
      expect(packed.member_bytes + packed.padding_bytes + packed.trailing_bytes, name).toBe(size);
    }
  },
);

faultTest(
  'F071, F077',
  'a cut anywhere but before the first byte rejects the source, and the other sources are read',
  { needs },
  async () => {
    for (const [extension, reason, pack] of PACKINGS) {
      const [first, second] = [pack(log.subarray(0, 5000)), pack(log.subarray(5000))];
      const whole = joined(first, second);
      const cuts = Array.from(whole, (_, length) => length).filter(
        (length) => length % STEP === 0 && length !== 0 && length !== first.length,
      );
      const names = cuts.map((length) => `${String(length).padStart(5, '0')}.jsonl.${extension}`);
      const files = Object.fromEntries(names.map((name, i) => [name, whole.subarray(0, cuts[i])]));
      const { status, sources, records } = await build({ ...good, ...files });
      expect([status, records.length]).toEqual([3, 1]);
      for (const [i, name] of names.entries()) {
        expect(sources[name], name).toMatchObject({ status: 'rejected', reason });
        const place =
          (cuts[i] as number) < first.length
            ? '1 at compressed byte 0'
            : `2 at compressed byte ${first.length}`;
        expect(sources[name].detail).toContain(`${place}: `);
      }
    }
  },
);

faultTest('F072, F073, F077', 'a flipped bit never changes a record', { needs }, async () => {
  for (const [extension, reason, pack] of PACKINGS) {
    const whole = pack(log);
    const bytes = Array.from(whole, (_, i) => i).filter((i) => i >= 4 && i % STEP === 0); // the magic is F075
    const damaged = bytes.map((i) => {
      const copy = Buffer.from(whole);
      copy[i] = (copy[i] as number) ^ (1 << (i & 7));
      return [`${String(i).padStart(5, '0')}.jsonl.${extension}`, copy] as const;
    });
    const { status, sources, records } = await build({ ...Object.fromEntries(damaged), ...good });
    const rejected = damaged.filter(([name]) => sources[name].status === 'rejected');
    expect([status, new Set(records).size, records.length + rejected.length]).toEqual([
      3,
      1,
      bytes.length + 1,
    ]);
    for (const [name] of rejected)
      expect([reason, 'unsupported-compression', 'decompression-limit', 'trailing-data']).toContain(
        sources[name].reason,
      );
    expect(rejected.filter(([name]) => sources[name].reason === reason).length).toBeGreaterThan(
      bytes.length * 0.8,
    );
  }
});

faultTest(
  'F074, F077',
  'padding is counted, and trailing data is reported with its place',
  { needs },
  async () => {
    for (const [extension, , pack] of PACKINGS) {
      const whole = pack(log);
      const counts = { members: 1, member_bytes: whole.length };
      const padded = [1, 512, 200_000].map((nuls) => [`${nuls}.jsonl.${extension}`, nuls] as const);
      const tails: readonly (readonly [name: string, tail: Uint8Array, nuls: number])[] = [
        [`garbage.jsonl.${extension}`, Buffer.from('garbage'), 0],
        [`almost.jsonl.${extension}`, Buffer.from([0x1f, 0, 0, 0]), 0],
        [`hidden.jsonl.${extension}`, joined(Buffer.alloc(700), whole), 700],
      ];
      const { status, sources, records, quarantine } = await build({
        ...Object.fromEntries(padded.map(([name, nuls]) => [name, joined(whole, Buffer.alloc(nuls))])),
        ...Object.fromEntries(tails.map(([name, tail]) => [name, joined(whole, tail)])),
      });
      expect([status, records.length, quarantine.length]).toEqual([3, 3, 3]);
      for (const [name, nuls] of padded)
        expect(sources[name].packed).toEqual({ ...counts, padding_bytes: nuls, trailing_bytes: 0 });
      for (const [name, tail, nuls] of tails) {
        expect(sources[name]).toMatchObject({ status: 'rejected', reason: 'trailing-data' });
        expect(sources[name].detail).toContain(`at compressed byte ${whole.length + nuls}`);
        const trailing = tail.length - nuls;
        expect(sources[name].packed).toEqual({ ...counts, padding_bytes: nuls, trailing_bytes: trailing });
      }
    }
  },
);

faultTest(
  'F075',
  'the first bytes decide how a file is read, and a disagreeing name is counted',
  { needs },
  async () => {
    const wrong: Files = {
      'a.jsonl.gz': log,
      'a.jsonl.zst': log,
      'a.jsonl': gzipSync(log),
      'b.jsonl': zstd(log),
      'c.jsonl.gz': zstd(log),
      'c.jsonl.zst': gzipSync(log),
    };
    const { status, sources, repairs, records } = await build({ ...wrong, ...good });
    expect([status, repairs, records.length]).toEqual([0, { 'wrong-extension': 6 }, 7]);
    expect(new Set(records).size).toBe(1);
    for (const name of Object.keys(wrong)) expect(sources[name].repairs).toEqual({ 'wrong-extension': 1 });
    expect(sources['good.jsonl'].repairs).toEqual({});
  },
);

faultTest('F075, F076', 'double compression is rejected under its own reason', { needs }, async () => {
  const { status, sources, quarantine } = await build({
    ...good,
    'a.json.gz': gzipSync(gzipSync(log)),
    'b.jsonl.gz': gzipSync(zstd(log)),
    'c.jsonl.zst': zstd(gzipSync(log)),
  });
  expect([status, quarantine.length]).toEqual([3, 3]);
  const found = Object.keys(sources).map((name) => [sources[name].reason, sources[name].detail]);
  expect(found).toEqual([
    ['unsupported-compression', 'the gzip data contains gzip data: unpack the file once'],
    ['unsupported-compression', 'the gzip data contains zstd data: unpack the file once'],
    ['unsupported-compression', 'the zstd data contains gzip data: unpack the file once'],
    [undefined, undefined],
  ]);
});

faultTest('F076', 'a bomb stops at the limit, and the other sources are read', { needs }, async () => {
  const lines = Buffer.from('\n'.repeat(300_000));
  const bombs = { 'b.jsonl.gz': gzipSync(lines), 'b.jsonl.zst': zstd(lines), 'b.json.gz': gzipSync(lines) };
  const args = ['--max-decompressed', '200kB'];
  const { status, sources, records } = await build({ ...good, ...bombs, 'big.jsonl': lines }, ...args);
  expect([status, records.length, sources['big.jsonl'].status]).toEqual([3, 1, 'empty']);
  for (const name of Object.keys(bombs)) {
    expect(sources[name]).toMatchObject({ status: 'rejected', reason: 'decompression-limit' });
    expect(sources[name].detail).toContain('more than 200000 bytes');
  }
  // exact, whatever the decoder and its chunk sizes
  expect([sources['b.jsonl.gz'].lines, sources['b.jsonl.zst'].lines]).toEqual([200_000, 200_000]);
});

/** Gzips this many bytes of one kind: 10 GB become some megabytes. */
const gzipBomb = (bytes: number): Buffer =>
  Buffer.concat(Array.from({ length: bytes / 1e8 }, () => packedHundred));
const packedHundred = gzipSync(Buffer.alloc(1e8), { level: 9 });

faultTest(
  'F076',
  'a bomb of 10 GB is stopped by its ratio, in flat memory',
  { needs, long: true },
  async () => {
    const folder = temporaryFolder();
    const [logs, out] = [join(folder, 'logs'), join(folder, 'out')];
    mkdirSync(logs);
    writeFileSync(join(logs, 'a.jsonl'), log);
    writeFileSync(join(logs, 'b.jsonl.gz'), gzipBomb(1e10));
    execFileSync('bash', ['-c', `head -c 10G /dev/zero | zstd -qc > ${join(logs, 'c.jsonl.zst')}`]);
    const args = ['build', logs, '--out', out, '--workers', '1', '--max-line', '1MB'];
    const { status, peakMb } = await runMeasured(args);
    expect(status).toBe(3);
    const sources = linesOf(join(out, 'ledger/sources.jsonl')).map((line) => JSON.parse(line));
    expect(sources.map(({ reason }) => reason)).toEqual([
      undefined,
      'decompression-limit',
      'decompression-limit',
    ]);
    expect(sources[1].detail).toContain('more than 200 times its size');
    expect(sources[2].detail).toContain('more than 10000 times its size');
    expect(peakMb).toBeGreaterThan(50);
    expect(peakMb).toBeLessThan(200);
  },
);

faultTest('F077', 'standard input may be zstd, in pieces of any size', { needs }, async () => {
  const plain = await turnmill(['build', '-', '--out', '-'], log);
  const packed = await turnmill(
    ['build', '-', '--out', '-'],
    joined(zstd(log.subarray(0, 77)), zstd(log.subarray(77))),
  );
  expect([packed.status, packed.stdout.toString()]).toEqual([0, plain.stdout.toString()]);
  expect(plain.stdout.length).toBeGreaterThan(100);
  const cut = await turnmill(['build', '-', '--out', '-'], zstd(log).subarray(0, -1));
  expect(cut.status).toBe(3);
  expect(cut.stderr).toContain('corrupt-zstd');
});

faultTest(
  'F134',
  'shards packed with zstd: the same for any number of workers, and they unpack to the plain ones',
  { needs },
  async () => {
    const folder = temporaryFolder();
    const [logs, out] = [join(folder, 'logs'), (name: string): string => join(folder, name)];
    mkdirSync(logs);
    for (let i = 0; i < 6; i++) writeFileSync(join(logs, `${i}.jsonl`), joined(...logLines.slice(0, 5 + i)));
    const shard = (of: string, suffix: string): Buffer =>
      readFileSync(join(of, `data/conversations-00000.jsonl${suffix}`));
    const args = ['build', logs, '--group-by', 'none', '--out'];
    expect(await turnmill([...args, out('plain')])).toMatchObject({ status: 0 });
    for (const workers of ['1', '3']) {
      const run = await turnmill([...args, out(workers), '--compress', 'zstd', '--workers', workers]);
      expect([run.status, await turnmill(['verify', out(workers)])]).toMatchObject([0, { status: 0 }]);
    }
    expect(hashesOf(out('1'))).toEqual(hashesOf(out('3')));
    expect(execFileSync('zstd', ['-dcq'], { input: shard(out('1'), '.zst') })).toEqual(
      shard(out('plain'), ''),
    );
    const first = `${join(logs, '0.jsonl')}:1`;
    const explained = await turnmill(['explain', first, '--root', logs, '--in', out('1')]);
    expect([explained.status, explained.stdout.toString()]).toEqual([
      0,
      expect.stringContaining('.jsonl.zst'),
    ]);
    const damaged = shard(out('1'), '.zst');
    damaged[damaged.length - 1] = (damaged.at(-1) as number) ^ 1;
    writeFileSync(join(out('1'), 'data/conversations-00000.jsonl.zst'), damaged);
    const found = await turnmill(['verify', out('1')]);
    expect([found.status, `${found.stdout}${found.stderr}`]).toEqual([
      65,
      expect.stringContaining('expected zstd data'),
    ]);
  },
);

faultTest('F118', 'a file name is not an option of the zstd program', { needs }, async () => {
  const folder = temporaryFolder();
  const names = ['--rm.jsonl.zst', '-o x.jsonl.zst', '$(id).jsonl.zst'];
  for (const [i, name] of names.entries()) writeFileSync(join(folder, name), zstd(entry({ id: `s${i}` })));
  const run = await turnmill(['build', folder, '--out', join(temporaryFolder(), 'out')]);
  expect([run.status, run.stderr]).toEqual([0, expect.stringContaining('3 records')]);
  for (const name of names) expect(existsSync(join(folder, name))).toBe(true);
});
