/**
 * Logs in an object store: the dataset equals that of the same logs in a folder, whatever the listing, the names and the connection do. The
 * store is part of the tests; it speaks S3 and misbehaves on request.
 */
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it, vi } from 'vitest';
import { build } from '../../src/job/build.ts';
import { read } from '../../src/job/read.ts';
import { entryLine } from '../support/build-logs.ts';
import { turnmill } from '../support/command.ts';
import { ALL_FAULTS } from '../support/faults.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';
import { loadedModules } from '../support/loaded-modules.ts';
import { writeOddLogs } from '../support/odd-logs/write-odd-logs.ts';
import { refuse, SECRET, SESSION_TOKEN } from '../support/s3-endpoint.ts';
import { both, startStore, storeFolder } from '../support/s3-logs.ts';
import type { Misbehave } from '../support/store-faults.ts';
import { hasZstd } from '../support/zstd.ts';

const session = (id: string, entries: number = 3): string =>
  Array.from({ length: entries }, (_, at) => `${entryLine({ at, id })}\n`).join('');

/** Refuses, stalls or breaks off responses at random places. */
const resets: Misbehave = (answer, { headers }, serve) => {
  const write = answer.write.bind(answer);
  answer.end = ((bytes?: Buffer) => {
    if (bytes === undefined || bytes.length < 2) return answer.destroy();
    write(bytes.subarray(0, bytes.length >> 1), () => answer.destroy());
    return answer;
  }) as typeof answer.end;
  if (headers.range === undefined) return false;
  serve();
  return true;
};

describe('a dataset from a store equals that from a folder', () => {
  it('for the examples', async () => {
    const { server, same, folder } = await both({});
    expect(storeFolder(server, 'bucket/logs', 'examples/logs')).toBeGreaterThan(10);
    await build({ inputs: ['examples/logs'], out: join(folder, 'a'), workers: 1 });
    const s3 = { endpoint: server.endpoint };
    await build({ inputs: ['s3a://bucket/logs'], out: join(folder, 'b'), workers: 1, s3 });
    expect(hashesOf(join(folder, 'b'))).toEqual(hashesOf(join(folder, 'a')));
    expect(same).toBeDefined();
  });

  it.each(ALL_FAULTS ? [1, 2, 3] : [2])(
    'for odd logs in every state of damage, packed and not (seed %d)',
    async (seed) => {
      const { server, logs, same } = await both({});
      writeOddLogs(logs, seed, { manySessions: 0.3, tally: new Map() });
      const stored = storeFolder(server, 'bucket/logs', logs);
      const fault = server.fault('get', resets, 20);
      const { sums } = await same({ workers: seed, quarantineContent: seed === 2 ? 'raw' : 'ref' });
      expect(fault.fired).toBe(20);
      expect(Object.values(sums.sources).reduce((a, b) => a + b, 0)).toBeLessThanOrEqual(stored);
      expect(sums.lines).toBeGreaterThan(50);
    },
  );

  it('S018 for packed objects cut by resets, in small ranges', async () => {
    const log = Buffer.from(Array.from({ length: 300 }, (_, i) => session(`s${i}`)).join(''));
    const zstd = hasZstd ? { 'c.jsonl.zst': spawnSync('zstd', ['-c'], { input: log }).stdout } : {};
    const { server, same } = await both({ 'a.jsonl': log, 'b.jsonl.gz': gzipSync(log), ...zstd });
    const fault = server.fault('get', resets, 30);
    await same({ sessionBy: 'id', s3: { range: 4096, window: 8192 } });
    expect(fault.fired).toBe(30);
  });

  it('for sources that turn out odd at their end, without fetching a range twice', async () => {
    const odd = `${session('a', 300)}no json\n`;
    for (const rangeBytes of [4096, 8 * 1024 * 1024]) {
      const { server, same } = await both({ 'odd.jsonl': odd, 'packed.jsonl.gz': gzipSync(odd) });
      const { sums } = await same({ s3: { range: rangeBytes } });
      expect(sums.lines).toBe(602);
      const starts = server.requests.filter(
        ({ path, headers }) => path.endsWith('odd.jsonl') && headers.range?.startsWith('bytes=0-'),
      );
      expect(odd.length).toBeGreaterThan(4096);
      expect(starts.length).toBe(rangeBytes === 4096 ? 2 : 1);
    }
  });

  it('and places of rejected sessions are read again with one request for nearby ones', async () => {
    const bad = `${session('a', 300)}${entryLine({ at: 2, id: 'a' })}\n`;
    const { server, same } = await both({ 'bad.jsonl': bad, 'packed.jsonl.gz': gzipSync(bad) });
    const { rejections } = await same();
    expect(rejections).toBeGreaterThan(0);
    expect(bad.length).toBeGreaterThan(80_000);
    const gets = server.requests.filter(({ kind, path }) => kind === 'get' && path.endsWith('bad.jsonl'));
    expect(gets.length).toBe(2);
  });

  it('with worker threads', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [`${i}.jsonl`, session(`s${i}`, 200)]),
    );
    const { same } = await both(files);
    await same({ workers: 3, s3: { inFlight: 4 } });
  });
});

it('read yields the same lines for an object as for a file', async () => {
  const log = `${session('a', 200)}no json\n`;
  const { server, logs } = await both({ 'a.jsonl': log, 'b.jsonl.gz': gzipSync(log) });
  const s3 = { endpoint: server.endpoint, range: 4096 };
  for (const name of ['a.jsonl', 'b.jsonl.gz']) {
    const here = await read(join(logs, name)).toArray();
    const there = await read(`s3://bucket/logs/${name}`, { s3 }).toArray();
    expect(here.length).toBeGreaterThan(200);
    expect(there).toEqual(here);
  }
  const missing = read('s3://bucket/logs/c.jsonl', { s3 }).toArray();
  await expect(missing).rejects.toMatchObject({ name: 'SourceFault', reason: 'vanished' });
});

describe('listing', () => {
  it('S002 1,100 keys take as many pages as the store returns', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 1100 }, (_, i) => [`${i}.jsonl`, session(`s${i}`, 1)]),
    );
    const { server, same } = await both(files);
    server.pageSize = 100;
    const { sums } = await same();
    expect(sums.sources).toEqual({ read: 1100 });
    expect(server.requests.filter(({ kind }) => kind === 'list').length).toBe(11);
  });

  it('S033 prefetching opens no more objects than the limit', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 40 }, (_, i) => [`${i}.jsonl`, session(`s${i}`, 1)]),
    );
    const { server, same } = await both(files);
    const fault = server.holdDownloads(6);
    await same({ s3: { inFlight: 6 } });
    expect(fault.fired).toBe(6);
    expect(server.mostOpen).toBe(6);
  });

  it('S001 a failed page is requested again', async () => {
    const { server, same } = await both({ 'a.jsonl': session('a'), 'b.jsonl': session('b') });
    server.pageSize = 1;
    const second = ({ query }: { query: URLSearchParams }): boolean => query.has('continuation-token');
    const fault = server.fault(second, refuse(503, 'SlowDown'), 2);
    await same();
    expect(fault.fired).toBe(2);
  });

  it('S001 a listing that fails permanently reads and writes nothing', async () => {
    const { server, folder } = await both({ 'a.jsonl': session('a') });
    const fault = server.fault('list', refuse(500, 'InternalError'), 1000);
    const out = join(folder, 'out');
    const run = build({ inputs: ['s3://bucket/logs/'], out, s3: { endpoint: server.endpoint } });
    await expect(run).rejects.toMatchObject({ code: 'unavailable' });
    expect(fault.fired).toBeGreaterThan(1);
    expect(readdirSync(folder)).toEqual(['logs']);
  });

  it('S003 strange keys keep their names and their bytes', async () => {
    const { server, folder } = await both({});
    const keys = [
      '../up.jsonl',
      'a//b.jsonl',
      '100%25 done?.jsonl',
      'a+b c.jsonl',
      'é\u0001\n😀.jsonl',
      "q'(1)*!.jsonl",
      '#x&y=z.jsonl',
    ];
    for (const key of keys) server.put(`bucket/logs/${key}`, session(key));
    server.put('bucket/logs/folder/', ''); // as consoles create them
    server.put('bucket/logs/notes.txt', 'not a log');
    const out = join(folder, 'out');
    const s3 = { endpoint: server.endpoint };
    const { sums } = await build({ inputs: ['s3://bucket/logs/'], out, s3, workers: 1 });
    expect(sums.sources).toEqual({ read: keys.length });
    expect(sums.skipped).toEqual({ excluded: 1 });
    const ledger = readFileSync(join(out, 'ledger/sources.jsonl'), 'utf8').trim().split('\n');
    const names = ledger.map((line) => JSON.parse(line).source).filter((name) => name !== 'notes.txt');
    expect(names.sort()).toEqual([...keys].sort());
  });

  it('an object can be named directly, and is read once if several inputs contain it', async () => {
    const { server, folder } = await both({ 'a.jsonl': session('a'), 'b.data': session('b') });
    const inputs = ['s3://bucket/logs/b.data', 's3://bucket/logs/', 's3://bucket/logs/a.jsonl'];
    const { sums } = await build({ inputs, out: join(folder, 'out'), s3: { endpoint: server.endpoint } });
    expect(sums.sources).toEqual({ read: 2 });
    expect(sums.skipped).toEqual({ 'duplicate-inode': 1, excluded: 1 });
  });

  it('a URL without a slash is a folder if no such object exists', async () => {
    const { server, folder } = await both({ 'a.jsonl': session('a') });
    const s3 = { endpoint: server.endpoint };
    await build({ inputs: ['s3://bucket/logs'], out: join(folder, 'out'), s3 });
    const missing = build({ inputs: ['s3://bucket/other'], out: join(folder, 'no'), s3 });
    await expect(missing).rejects.toMatchObject({
      code: 'no-input',
      message: expect.stringContaining('s3://bucket/other'),
    });
    await expect(build({ inputs: ['s3://'], s3 })).rejects.toMatchObject({ code: 'usage' });
  });

  it('a bucket that may not be listed ends the run', async () => {
    const { server } = await both({ 'a.jsonl': session('a') });
    const fault = server.fault('list', refuse(403, 'AccessDenied'), 10);
    const run = build({ inputs: ['s3://bucket/logs/'], s3: { endpoint: server.endpoint } });
    await expect(run).rejects.toMatchObject({ code: 'permission' });
    expect(fault.fired).toBe(1);
  });
});

describe('an object that cannot be read is rejected, and the others are read', () => {
  const cases: readonly (readonly [string, number, string, string])[] = [
    ['S004', 403, 'AccessDenied', 'unreadable'],
    ['S005', 404, 'NoSuchKey', 'vanished'],
    ['S006', 412, 'PreconditionFailed', 'changed-while-read'],
    ['S016', 403, 'InvalidObjectState', 'unreadable'],
  ];
  it.each(cases)('S004-S006, S016 %s HTTP %d %s: %s', async (_id, status, code, reason) => {
    const { server, folder } = await both({
      'a.jsonl': session('a'),
      'b.jsonl': session('b'),
      'c.jsonl': session('c'),
    });
    const fault = server.fault(
      ({ path, kind }) => kind === 'get' && path.endsWith('b.jsonl'),
      refuse(status, code),
      10,
    );
    const out = join(folder, 'out');
    const { sums, rejections } = await build({
      inputs: ['s3://bucket/logs/'],
      out,
      s3: { endpoint: server.endpoint },
    });
    expect(fault.fired).toBeGreaterThan(0);
    expect(sums.sources).toEqual({ read: 2, rejected: 1 });
    expect(rejections).toBe(1);
    expect(readFileSync(join(out, 'quarantine/rejected.jsonl'), 'utf8')).toContain(`"reason":"${reason}"`);
  });
});

describe('the command', () => {
  it('loads nothing of the SDK for logs in a folder', async () => {
    const out = join(temporaryFolder(), 'out');
    const local = loadedModules(['build', 'examples/logs', '--out', out]);
    expect(local.some((path) => path.endsWith('engine/source-run.js'))).toBe(true);
    const late = /@aws-sdk|@smithy|object-store\/(?!options|url)|open-object|object-dataset/;
    expect(local.filter((path) => late.test(path))).toEqual([]);
    const server = await startStore();
    vi.stubEnv('TURNMILL_S3_ENDPOINT', server.endpoint);
    await server.close(); // it could not answer while this thread waits for the command
    const stored = loadedModules(['check', 's3://bucket/logs/']);
    expect(stored.some((path) => path.includes('@aws-sdk/client-s3'))).toBe(true); // the check above would have found it
  });

  it('S031 reports within seconds that the endpoint does not answer', async () => {
    const server = await startStore();
    const { endpoint } = server;
    await server.close();
    const ended = await turnmill(['check', 's3://bucket/logs/', '--s3-endpoint', endpoint]);
    expect(ended.status).toBe(69);
    expect(ended.stderr).toContain('cannot list s3://bucket/logs/: ECONNREFUSED');
  });

  it('S034 shows no credentials in any message or file', async () => {
    const server = await startStore();
    const folder = temporaryFolder();
    server.put('bucket/logs/a.jsonl', session('a'));
    server.put('bucket/logs/b.jsonl', session('b'));
    const out = join(folder, 'out');
    const fault = server.fault(
      ({ path, kind }) => kind === 'get' && path.endsWith('b.jsonl'),
      refuse(403, 'SignatureDoesNotMatch'),
      9,
    );
    const one = await turnmill(
      ['build', 's3://bucket/logs/', '--out', out, '--log-level', 'debug'],
      undefined,
      server.environment,
    );
    expect(one.status).toBe(3);
    const listing = server.fault('list', refuse(403, 'AccessDenied'), 9);
    const two = await turnmill(
      ['build', 's3://bucket/logs/', '--out', join(folder, 'two'), '--log-level', 'debug'],
      undefined,
      server.environment,
    );
    expect(two.status).toBe(77);
    expect(fault.fired + listing.fired).toBe(2);
    const files = readdirSync(out, { recursive: true, encoding: 'utf8', withFileTypes: true }).filter(
      (file) => file.isFile(),
    );
    const texts = [
      one.stderr,
      two.stderr,
      ...files.map(({ parentPath, name }) => readFileSync(join(parentPath, name), 'latin1')),
    ];
    expect(texts.length).toBeGreaterThan(5);
    for (const secret of [SECRET, SESSION_TOKEN])
      expect(texts.filter((text) => text.includes(secret))).toEqual([]);
  });

  it('refuses an endpoint that contains credentials, without showing them', async () => {
    const ended = await turnmill([
      'check',
      's3://bucket/',
      '--s3-endpoint',
      `https://me:${encodeURIComponent(SECRET)}@example.com`,
    ]);
    expect(ended.status).toBe(64);
    expect(ended.stderr).not.toContain(encodeURIComponent(SECRET));
  });

  it('explains and inspects lines of objects', async () => {
    const server = await startStore();
    server.put('bucket/logs/2026-01-13/a.jsonl', session('a'));
    const explained = await turnmill(
      ['explain', 's3://bucket/logs/2026-01-13/a.jsonl:3', '--root', 's3://bucket/logs/'],
      undefined,
      server.environment,
    );
    expect(explained.stdout.toString()).toContain('made a record');
    expect(explained.stdout.toString()).toContain('2026-01-13/a.jsonl, line 3');
    const inspected = await turnmill(
      ['inspect', 's3://bucket/logs/', '--after', 'parse'],
      undefined,
      server.environment,
    );
    expect(inspected.stdout.toString().trim().split('\n').length).toBeGreaterThan(2);
    expect([explained.status, inspected.status]).toEqual([0, 0]);
  });
});
