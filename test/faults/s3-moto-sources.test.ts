/**
 * Reads from moto, an independent implementation of S3, through a proxy that misbehaves. moto itself answers for objects that changed,
 * vanished or are archived; it checks no signatures, clocks or regions, so the proxy does. Not covered here: S017 concerns the reading
 * thread and not the store, S031 needs no store, and s3-large.test.ts measures the memory of S033.
 */

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { build } from '../../src/job/build.ts';
import type { RunSummary } from '../../src/job/run.ts';
import { objectClient } from '../../src/object-store/client.ts';
import type { S3Options } from '../../src/object-store/options.ts';
import { resolveS3Options } from '../../src/settings/s3-settings.ts';
import { entryLine } from '../support/build-logs.ts';
import { faultTest } from '../support/faults.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type BehindProxy, motoBehindProxy } from '../support/moto.ts';
import { HURRIED } from '../support/s3-dataset.ts';
import { refuse, sendError } from '../support/s3-endpoint.ts';
import { buildBoth, type Files, writeFiles } from '../support/s3-logs.ts';
import { hangUp, type Misbehave, type ReceivedRequest, stopAfterBytes } from '../support/store-faults.ts';

const needs = ['moto'] as const;
/** For connections that stall. */
const IMPATIENT = { ...HURRIED, idleMs: 2000 };

const session = (id: string, entries: number = 3): string =>
  Array.from({ length: entries }, (_, at) => `${entryLine({ at, id })}\n`).join('');

const BIG = session('big', 100);
const LOGS: Files = {
  'a.jsonl': session('a'),
  'big.jsonl': BIG,
  'c.jsonl.gz': gzipSync(session('c', 50)),
  'empty.jsonl': '',
  'odd.jsonl': `${session('odd')}no json\n`,
  'wrong.jsonl.gz': Buffer.concat([gzipSync(session('w', 20)).subarray(0, 100), Buffer.from('not gzip')]),
};
/** Makes the big log take several ranges. */
const RANGES: Partial<S3Options> = { range: 4096, window: 16_384 };

interface Stored extends BehindProxy {
  readonly logs: string;
  /** Builds from moto; the dataset must equal that of the folder. */
  same(s3?: Partial<S3Options>): Promise<RunSummary>;
}

async function stored(files: Files, patience = HURRIED): Promise<Stored> {
  const { moto, proxy } = await motoBehindProxy();
  const logs = join(temporaryFolder(), 'logs');
  writeFiles(logs, files);
  for (const [name, bytes] of Object.entries(files)) await moto.put(`logs/${name}`, bytes);
  return {
    moto,
    proxy,
    logs,
    same: (s3 = {}) => {
      const options = { endpoint: proxy.endpoint, ...s3 };
      objectClient(resolveS3Options(options), patience); // the client that the build reuses
      return buildBoth(proxy.endpoint, logs, { s3 });
    },
  };
}

const getOf =
  (name: string) =>
  ({ kind, path }: ReceivedRequest): boolean =>
    kind === 'get' && path.endsWith(name);

/** Sends moto's response with another status, other headers or another body. */
function bend(
  change: (headers: Record<string, string | number>, body: Buffer, request: ReceivedRequest) => Buffer,
  status = 206,
): Misbehave {
  return (answer, request, serve) => {
    const [writeHead, end] = [answer.writeHead.bind(answer), answer.end.bind(answer)];
    let headers: Record<string, string | number> = {};
    answer.writeHead = ((_status: number, theirs: typeof headers) => {
      headers = { ...theirs };
      return answer;
    }) as typeof answer.writeHead;
    answer.end = ((body: Buffer) => {
      const bent = change(headers, body, request);
      writeHead(status, { ...headers, 'content-length': bent.length });
      return end(bent);
    }) as typeof answer.end;
    serve();
    return true;
  };
}

const reset = stopAfterBytes(1000, (answer) => answer.destroy());

const failures: readonly (readonly [string, string, string, number, Misbehave])[] = [
  ['S007', 'GET answers 503 SlowDown', 'get', 4, refuse(503, 'SlowDown')],
  ['S007', 'GET answers 500', 'get', 4, refuse(500, 'InternalError')],
  ['S007', 'a listing answers 503 SlowDown', 'list', 2, refuse(503, 'SlowDown')],
  ['S007', 'a listing answers 500', 'list', 2, refuse(500, 'InternalError')],
  ['S008', 'connections are reset in mid-body', 'get', 30, reset],
  ['S008', 'connections are closed without a response', 'get', 4, hangUp],
  [
    'S010',
    'a body is short, with status 200',
    'get',
    3,
    bend((headers, body) => {
      delete headers['content-range'];
      return body.subarray(0, 100);
    }, 200),
  ],
  [
    'S011',
    'the response has another range',
    'get',
    3,
    bend((headers, body) => {
      headers['content-range'] = String(headers['content-range']).replace(
        /\d+-/,
        (from) => `${Number.parseInt(from, 10) + 1}-`,
      );
      return body;
    }),
  ],
  [
    'S011',
    'moto sends the whole object for a range',
    'get',
    3,
    (_answer, { headers }) => {
      delete headers.range;
      return false;
    },
  ],
  [
    'S012',
    'the response has more bytes than requested',
    'get',
    3,
    bend((_headers, body) => Buffer.concat([body, Buffer.from('more')])),
  ],
  ['S013', 'the credentials expire', 'get', 2, refuse(400, 'ExpiredToken')],
];
for (const [id, name, kind, times, misbehave] of failures)
  faultTest(
    'S007-S013',
    `moto: ${id} ${name}: the dataset equals that of the folder`,
    { needs },
    async () => {
      const { proxy, same } = await stored(LOGS);
      const on =
        kind === 'list'
          ? 'list'
          : name.includes('whole') || id === 'S008'
            ? getOf('big.jsonl')
            : getOf('.jsonl');
      const fault = proxy.fault(on, misbehave, times);
      const { sums } = await same(RANGES);
      expect(fault.fired).toBe(times);
      expect(sums.sources).toEqual({ read: 4, empty: 1, rejected: 1 });
    },
  );

faultTest('S008', 'moto: a reset range continues from its last byte', { needs }, async () => {
  const { proxy, same } = await stored({ 'big.jsonl': BIG });
  const fault = proxy.fault('get', reset, 20);
  await same(RANGES);
  expect(fault.fired).toBe(20);
  const starts = proxy.requests
    .filter(({ kind }) => kind === 'get')
    .map(({ headers }) => Number(/\d+/.exec(headers.range ?? '')?.[0]));
  expect(starts.filter((from) => from % 4096 === 1000).length).toBeGreaterThan(0);
  expect(starts.filter((from) => from === 0).length).toBe(1);
});

const stalls: readonly (readonly [string, Misbehave])[] = [
  ['before its answer', () => true],
  ['in mid-body', stopAfterBytes(1000, () => undefined)],
];
for (const [when, misbehave] of stalls)
  faultTest(
    'S009',
    `moto: a connection stalls ${when}: it is abandoned, and another one continues`,
    { needs },
    async () => {
      const { proxy, same } = await stored(LOGS, IMPATIENT);
      const fault = proxy.fault(getOf('big.jsonl'), misbehave, 2);
      await same(RANGES);
      expect(fault.fired).toBe(2);
    },
  );

faultTest('S018', 'moto: resets cut a packed object that is read in small ranges', { needs }, async () => {
  const log = Array.from({ length: 200 }, (_, i) => entryLine({ id: `s${(i * 7919) % 1000}`, at: i })).join(
    '\n',
  );
  const { proxy, same } = await stored({ 'p.jsonl.gz': gzipSync(log, { level: 1 }) });
  const fault = proxy.fault(
    'get',
    stopAfterBytes(300, (answer) => answer.destroy()),
    6,
  );
  const { sums } = await same({ range: 1024, window: 8192 });
  expect(fault.fired).toBe(6);
  expect(sums.lines).toBe(200);
});

faultTest(
  'S001, S002',
  'moto: 1,100 keys in its own pages; the second page fails twice',
  { needs, long: true },
  async () => {
    const files = Object.fromEntries(
      Array.from({ length: 1100 }, (_, i) => [`${i}.jsonl`, session(`s${i}`, 1)]),
    );
    const { proxy, same } = await stored(files);
    const fault = proxy.fault(({ query }) => query.has('continuation-token'), refuse(503, 'SlowDown'), 2);
    const { sums } = await same();
    expect(sums.sources).toEqual({ read: 1100 });
    expect(fault.fired).toBe(2);
    const pages = proxy.requests.filter(({ kind }) => kind === 'list');
    expect(pages.map(({ query }) => query.has('continuation-token'))).toEqual([false, true, true, true]);
  },
);

faultTest('S001', 'moto: the listing fails permanently: nothing is written', { needs }, async () => {
  const { proxy } = await stored({ 'a.jsonl': session('a') });
  const fault = proxy.fault('list', refuse(500, 'InternalError'), 1000);
  const run = build({
    inputs: ['s3://bucket/logs/'],
    out: 's3://bucket/ds/',
    s3: { endpoint: proxy.endpoint },
  });
  await expect(run).rejects.toMatchObject({ code: 'unavailable' });
  expect(fault.fired).toBeGreaterThan(1);
});

faultTest(
  'S003',
  'moto: keys with blanks, other scripts, % and + are read under their names',
  { needs },
  async () => {
    const names = [
      '100%25 done?.jsonl',
      'a+b c.jsonl',
      'é 😀.jsonl',
      "q'(1)*!.jsonl",
      '#x&y=z.jsonl',
      '日本/語.jsonl',
    ];
    const { proxy, same } = await stored(Object.fromEntries(names.map((name) => [name, session(name)])));
    const { sums } = await same();
    expect(sums.sources).toEqual({ read: names.length });
    const gets = proxy.requests.filter(({ kind }) => kind === 'get').map(({ path }) => path);
    expect(gets.sort()).toEqual(names.map((name) => `bucket/logs/${name}`).sort());
  },
);

type Spoil = (stored: Stored) => Misbehave;
/** Changes the object through another client before moto answers. */
const meanwhile =
  (change: (stored: Stored) => Promise<void>): Spoil =>
  (all) =>
  (_answer, _asked, serve) => {
    void change(all).then(serve);
    return true;
  };
const spoilt: readonly (readonly [string, string, string, Spoil])[] = [
  ['S004', 'is forbidden', 'unreadable', () => refuse(403, 'AccessDenied')],
  [
    'S005',
    'is deleted after it was listed',
    'vanished',
    meanwhile(({ moto }) => moto.remove('logs/b.jsonl')),
  ],
  [
    'S006',
    'is replaced after it was listed',
    'changed-while-read',
    meanwhile(({ moto }) => moto.put('logs/b.jsonl', session('x'))),
  ],
  [
    'S016',
    'is archived',
    'unreadable',
    meanwhile(({ moto }) => moto.put('logs/b.jsonl', session('b'), { StorageClass: 'GLACIER' })),
  ],
];
for (const [id, what, reason, spoil] of spoilt)
  faultTest(
    'S004-S006, S016',
    `moto: ${id} one object ${what}: ${reason}, the others are read`,
    { needs },
    async () => {
      const files = { 'a.jsonl': session('a'), 'b.jsonl': session('b'), 'c.jsonl': session('c') };
      const all = await stored(files);
      const fault = all.proxy.fault(getOf('b.jsonl'), spoil(all), id === 'S004' ? 9 : 1);
      const out = join(temporaryFolder(), 'out');
      const s3 = { endpoint: all.proxy.endpoint };
      const { sums, rejections } = await build({ inputs: ['s3://bucket/logs/'], out, s3 });
      expect(fault.fired).toBe(1);
      expect([sums.sources, rejections]).toEqual([{ read: 2, rejected: 1 }, 1]);
      expect(readFileSync(join(out, 'quarantine/rejected.jsonl'), 'utf8')).toContain(`"reason":"${reason}"`);
    },
  );

faultTest(
  'S014',
  "moto: the clocks differ: requests are signed with the store's time",
  { needs },
  async () => {
    const { proxy, same } = await stored(LOGS);
    const storeTime = new Date(Date.now() + 24 * 3_600_000);
    const fault = proxy.fault('get', (answer) => {
      answer.setHeader('date', storeTime.toUTCString());
      sendError(answer, 403, 'RequestTimeTooSkewed');
      return true;
    });
    await same();
    expect(fault.fired).toBe(1);
    const days = proxy.requests.map(({ headers }) => String(headers['x-amz-date']).slice(0, 8));
    expect(new Set(days).size).toBeGreaterThan(1);
  },
);

faultTest('S015', 'moto: the bucket is in another region: requests go there', { needs }, async () => {
  const { proxy, same } = await stored(LOGS);
  const isElsewhere = ({ headers }: ReceivedRequest): boolean =>
    !String(headers.authorization).includes('/eu-north-1/');
  const fault = proxy.fault(
    isElsewhere,
    (answer) => {
      answer.setHeader('x-amz-bucket-region', 'eu-north-1');
      sendError(answer, 301, 'PermanentRedirect');
      return true;
    },
    1000,
  );
  await same();
  expect(fault.fired).toBeGreaterThan(0);
  expect(proxy.requests.filter((request) => !isElsewhere(request)).length).toBeGreaterThan(
    Object.keys(LOGS).length - 2,
  );
});

faultTest('S033', 'moto: the limit on open objects is reached and not exceeded', { needs }, async () => {
  const files = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`${i}.jsonl`, session(`s${i}`, 1)]));
  const { proxy, same } = await stored(files);
  const fault = proxy.holdDownloads(6);
  await same({ inFlight: 6 });
  expect(fault.fired).toBe(6);
  expect(proxy.mostOpen).toBe(6);
});
