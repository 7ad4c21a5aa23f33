/**
 * Datasets in an object store: the bytes are those of a folder, the commit is one conditional write, and whatever fails in between
 * leaves the dataset that was there, or none.
 */
import { mkdirSync, writeFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { withDataset } from '../../src/dataset/store/with-dataset.ts';
import { build, type RunSummary } from '../../src/job/build.ts';
import { report } from '../../src/job/report.ts';
import { objectClient } from '../../src/object-store/client.ts';
import { resolveS3Options, type S3Options } from '../../src/object-store/options.ts';
import type { Given } from '../../src/settings/settings.ts';
import { verifyDataset } from '../../src/verify/verify-dataset.ts';
import { entryLine } from '../support/build-logs.ts';
import { ended, start, turnmill } from '../support/command.ts';
import { ALL_FAULTS, faultTest } from '../support/faults.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';
import { createDice } from '../support/odd-logs/dice.ts';
import { writeOddLogs } from '../support/odd-logs/write-odd-logs.ts';
import { refuse, SECRET, SESSION_TOKEN } from '../support/s3-endpoint.ts';
import { startStore, storeFolder } from '../support/s3-logs.ts';
import type { S3Server } from '../support/s3-server.ts';
import { type Fault, hangUp, loseAnswer } from '../support/store-faults.ts';

/** Every how many requests a run is killed. */
const STEP = ALL_FAULTS ? 1 : 4;
const OUT = 's3://bucket/ds/';
const MIB = 1024 * 1024;
/** Tries as often as without it, but waits 20 ms at most in between. */
const HURRIED = { idleMs: 20_000, tries: 7, firstDelayMs: 1, longestDelayMs: 20 };

const session = (id: string, text = 'hello'): string =>
  `${entryLine({ id, messages: [{ role: 'user', content: text }] })}\n`;

/** The log of each size: a second of work, so it is done once. */
const knownLogs = new Map<number, string>();

/** Records of about `bytes` bytes, which do not compress to nothing. */
function logOf(bytes: number): string {
  let log = knownLogs.get(bytes) ?? '';
  for (let i = 0; log.length < bytes; i++) {
    const words = Array.from({ length: 2000 }, (_, at) =>
      ((i + 1) * (at + 7919) * 2654435761).toString(36).slice(-5),
    );
    log += session(`s${i}`, words.join(' '));
  }
  knownLogs.set(bytes, log);
  return log;
}

interface Store {
  readonly server: S3Server;
  readonly s3: Partial<S3Options>;
  build(given?: Partial<Given>): Promise<RunSummary>;
  /** Name and SHA-256 of each file of the dataset. */
  hashes(): Promise<Record<string, string>>;
}

async function store(given: Partial<S3Options> = {}): Promise<Store> {
  const server = await startStore();
  const s3 = { endpoint: server.endpoint, ...given };
  server.put('bucket/logs/2026-01-13/a.jsonl', session('a') + session('a2'));
  server.put('bucket/logs/2026-01-13/b.jsonl', session('b'));
  return {
    server,
    s3,
    build: (more = {}) =>
      build({
        inputs: ['s3://bucket/logs/'],
        out: OUT,
        workers: 1,
        sessionBy: 'id',
        ...more,
        s3: { ...s3, ...more.s3 },
      }),
    hashes: () =>
      withDataset(
        OUT,
        resolveS3Options(s3),
        () => true,
        async (folder) => {
          expect((await verifyDataset(folder)).problems).toEqual([]);
          return hashesOf(folder);
        },
      ),
  };
}

/** The same build into a folder. */
async function hashesHere({ s3 }: Store, given: Partial<Given> = {}): Promise<Record<string, string>> {
  const out = join(temporaryFolder(), 'out');
  await build({ inputs: ['s3://bucket/logs/'], out, workers: 1, sessionBy: 'id', ...given, s3 });
  return hashesOf(out);
}

/** Loses the answer of the store. */
function silence(answer: ServerResponse): void {
  answer.write = () => true;
  answer.end = () => answer;
}

const versions = (server: S3Server): string[] => [
  ...new Set(server.keys('bucket/ds/v-').map((path) => path.split('/')[2] as string)),
];

describe('the dataset in a store', () => {
  it('has the bytes of the one in a folder, and a name that points at it', async () => {
    const made = await store();
    await made.build();
    expect(await made.hashes()).toEqual(await hashesHere(made));
    const pointer = JSON.parse(made.server.text('bucket/ds/dataset.json'));
    expect(Object.keys(pointer)).toEqual(['run', 'manifest', 'sha256']);
    expect(versions(made.server)).toEqual([pointer.run]);
    expect(made.server.uploads.size).toBe(0);
  });

  it('for odd logs, packed shards and several formats', async () => {
    const made = await store();
    const logs = join(temporaryFolder(), 'logs');
    writeOddLogs(logs, 5, { manySessions: 0.3, tally: new Map() });
    storeFolder(made.server, 'bucket/logs', logs);
    const given = { compress: 'gzip', format: ['chat', 'trl'], shardSizeBytes: 3000 } as const;
    await made.build(given);
    expect(await made.hashes()).toEqual(await hashesHere(made, given));
  });

  it.runIf(ALL_FAULTS)('in parts: each file is put together in its order', async () => {
    const made = await store({ partSizeBytes: 5 * MIB });
    made.server.put('bucket/logs/big.jsonl', logOf(12 * MIB));
    await made.build({ groupBy: 'none' });
    expect(made.server.asked.filter(({ kind }) => kind === 'part').length).toBeGreaterThan(2);
    expect(await made.hashes()).toEqual(await hashesHere(made, { groupBy: 'none' }));
  });

  it('is not replaced without --replace, and is with it', async () => {
    const made = await store();
    await made.build();
    const before = made.server.text('bucket/ds/dataset.json');
    await expect(made.build()).rejects.toMatchObject({ code: 'cannot-create' });
    expect(made.server.text('bucket/ds/dataset.json')).toBe(before);
    made.server.put('bucket/logs/c.jsonl', session('c'));
    await made.build({ replace: true });
    expect(made.server.text('bucket/ds/dataset.json')).not.toBe(before);
    expect(await made.hashes()).toEqual(await hashesHere(made));
  });

  it('S028 may not lie in its input, nor its input in it', async () => {
    const made = await store();
    for (const [input, out] of [
      ['s3://bucket/logs/', 's3://bucket/logs/ds/'],
      ['s3://bucket', 's3://bucket/ds'],
      ['s3://bucket/ds/old/', 's3://bucket/ds'],
      ['s3a://bucket/logs', 's3://bucket/logs/'],
    ] as const)
      await expect(made.build({ inputs: [input], out })).rejects.toMatchObject({ code: 'usage' });
    await made.build({ inputs: ['s3://bucket/logs/'], out: 's3://bucket/logs-2/' });
  });

  it('cannot be resumed', async () => {
    const made = await store();
    await expect(made.build({ resume: true })).rejects.toMatchObject({ code: 'usage' });
  });
});

describe('what fails while it is written', () => {
  const passing: readonly (readonly [string, string, (server: S3Server) => Fault])[] = [
    ['S019', 'parts fail', (server) => server.fault('part', refuse(503, 'SlowDown'), 6)],
    ['S019', 'parts break off', (server) => server.fault('part', hangUp, 3)],
    ['S019', 'parts arrive damaged', (server) => server.fault('part', refuse(400, 'BadDigest'), 3)],
    ['S019', 'uploads cannot begin', (server) => server.fault('create', refuse(500, 'InternalError'), 3)],
    [
      'S020',
      'completing answers 200 with an error in the body',
      (server) =>
        server.fault('complete', (answer) => {
          answer.writeHead(200, { 'content-type': 'application/xml' });
          answer.end('<?xml version="1.0"?>\n<Error><Code>InternalError</Code><Message>x</Message></Error>');
          return true;
        }),
    ],
    ['S021', 'the answer to completing is lost', (server) => server.fault('complete', loseAnswer)],
  ];
  for (const [id, name, misbehave] of passing) {
    const long = name !== 'parts fail' && id === 'S019';
    faultTest('S019-S021', `${id} ${name}: it is done again`, { long }, async () => {
      const made = await store({ partSizeBytes: 5 * MIB });
      made.server.put('bucket/logs/big.jsonl', logOf(7 * MIB));
      const fault = misbehave(made.server);
      await made.build({ groupBy: 'none' });
      expect(fault.fired).toBeGreaterThan(0);
      expect(await made.hashes()).toEqual(await hashesHere(made, { groupBy: 'none' }));
      expect(made.server.uploads.size).toBe(0);
    });
  }

  const final: readonly (readonly [string, string, string])[] = [
    ['part', 'AccessDenied', 'permission'],
    ['put', 'AccessDenied', 'permission'],
    ['complete', 'AccessDenied', 'permission'],
  ];
  it.each(final)(
    'a %s that is refused with %s ends the run, and leaves nothing',
    async (kind, code, expected) => {
      const made = await store({ partSizeBytes: 5 * MIB, condition: 'trust' });
      made.server.put('bucket/logs/big.jsonl', logOf(7 * MIB));
      const fault = made.server.fault(kind, refuse(403, code), 100);
      await expect(made.build({ groupBy: 'none' })).rejects.toMatchObject({ code: expected });
      expect(fault.fired).toBeGreaterThan(0);
      expect(made.server.keys('bucket/ds/')).toEqual([]);
      expect(made.server.uploads.size).toBe(0);
    },
  );

  it('S027 a file of more than 10,000 parts is refused by name', async () => {
    const { Uploads } = await import('../../src/object-store/uploads.ts');
    const made = await store();
    const uploads = new Uploads(objectClient(resolveS3Options(made.s3)), 2);
    const upload = uploads.begin({ bucket: 'bucket', key: 'x' });
    const file = { path: '/nowhere', crc32: 0 };
    const add = (): void => uploads.add(upload, file, 1, false);
    add();
    add();
    expect(add).toThrow(/s3:\/\/bucket\/x needs more than 2 parts: use a larger --s3-part-size/);
    await uploads.abort();
  });

  it('an object that changes or appears before the commit is noticed', async () => {
    for (const spoil of ['changed', 'foreign']) {
      const made = await store();
      const fault = made.server.fault(
        ({ kind, query }) => kind === 'list' && /^ds\/v-[0-9a-f]{16}\/$/.test(query.get('prefix') ?? ''),
        (_answer, { query }) => {
          const name = spoil === 'changed' ? 'data/2026-01-13-00000.jsonl' : 'data/foreign.jsonl';
          made.server.put(`bucket/${query.get('prefix')}${name}`, 'other');
          return false;
        },
      );
      await expect(made.build()).rejects.toMatchObject({ code: 'io' });
      expect(fault.fired).toBe(1);
      expect(made.server.objects.has('bucket/ds/dataset.json')).toBe(false);
    }
  });
});

const isCommit = ({ method, path }: { method: string; path: string }): boolean =>
  method === 'PUT' && path === 'bucket/ds/dataset.json';

describe('the commit', () => {
  it('S021 whose answer is lost is settled by looking', async () => {
    const made = await store();
    const fault = made.server.fault(isCommit, loseAnswer);
    await made.build();
    expect(fault.fired).toBe(1);
    expect(await made.hashes()).toEqual(await hashesHere(made));
    expect(versions(made.server).length).toBe(1);
  });

  it('S021 whose answer is lost for good, with the store out of reach, removes nothing: it may have been carried out', async () => {
    for (const isCarriedOut of [true, false]) {
      const made = await store();
      let isOut = false;
      const fault = made.server.fault(
        (asked) => isOut || isCommit(asked),
        (answer, _asked, serve) => {
          const { socket } = answer;
          silence(answer);
          if (!isOut && isCarriedOut) serve();
          isOut = true;
          socket?.destroy();
          return true;
        },
        10_000,
      );
      const error = await made.build().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'unavailable' });
      expect(fault.fired).toBeGreaterThan(1);
      fault.remove();
      expect(versions(made.server).length).toBe(1);
      if (isCarriedOut) expect(await made.hashes()).toEqual(await hashesHere(made));
      else expect(made.server.objects.has('bucket/ds/dataset.json')).toBe(false);
    }
  });

  it('S021 whose writes all fail without an answer says that it may have been carried out', async () => {
    const made = await store();
    objectClient(resolveS3Options(made.s3), HURRIED); // the one that the build finds
    const fault = made.server.fault(isCommit, hangUp, 10_000);
    await expect(made.build()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('may still carry the write out'),
    });
    expect(fault.fired).toBeGreaterThan(8);
    expect(versions(made.server).length).toBe(1);
  });

  it('S022 that another run was before ends with 75, and the other dataset stays', async () => {
    const made = await store();
    const other = JSON.stringify({
      run: `v-${'a'.repeat(16)}`,
      manifest: `v-${'a'.repeat(16)}/manifest.json`,
      sha256: 'b'.repeat(64),
    });
    const fault = made.server.fault(isCommit, () => {
      made.server.put('bucket/ds/dataset.json', other);
      return false;
    });
    await expect(made.build()).rejects.toMatchObject({ code: 'locked' });
    expect(fault.fired).toBe(1);
    expect(made.server.text('bucket/ds/dataset.json')).toBe(other);
    expect(versions(made.server)).toEqual([]); // its own keys are removed
  });

  it('S023 that conflicts with another write at the same time is tried again', async () => {
    const made = await store();
    const fault = made.server.fault(isCommit, refuse(409, 'ConditionalRequestConflict'), 2);
    await made.build();
    expect(fault.fired).toBe(2);
    expect(await made.hashes()).toEqual(await hashesHere(made));
  });

  it('S024 is refused to a store that ignores conditions, before anything is read', async () => {
    const made = await store();
    made.server.hasConditions = false;
    await expect(made.build()).rejects.toMatchObject({
      code: 'cannot-create',
      message: expect.stringContaining('--s3-condition none'),
    });
    expect(made.server.asked.some(({ path }) => path.startsWith('bucket/logs'))).toBe(false);
    expect(made.server.keys('bucket/ds/')).toEqual([]); // the probe is gone
    await made.build({ s3: { ...made.s3, condition: 'none' } });
    expect(await made.hashes()).toEqual(await hashesHere(made));
  });

  it('S021 the test of conditions continues when a response to it is lost', async () => {
    const made = await store();
    const fault = made.server.fault(
      ({ method, path }) => method === 'PUT' && path.endsWith('/probe'),
      loseAnswer,
    );
    await made.build();
    expect(fault.fired).toBe(1);
    expect(await made.hashes()).toEqual(await hashesHere(made));
    expect(made.server.keys('bucket/ds/').filter((path) => path.endsWith('/probe'))).toEqual([]);
  });

  it('S029 of two runs at once lets one in; the other ends with 75', async () => {
    const made = await store();
    const environment = (): NodeJS.ProcessEnv => ({ ...made.server.environment, TMPDIR: temporaryFolder() });
    const held: (() => void)[] = [];
    const fault = made.server.fault(
      isCommit,
      (_answer, _asked, serve) => {
        held.push(serve);
        if (held.length === 2) for (const each of held) each();
        return true;
      },
      2,
    );
    const args = ['build', 's3://bucket/logs/', '--session-by', 'id', '--out', OUT];
    const both = await Promise.all([
      turnmill(args, undefined, environment()),
      turnmill(args, undefined, environment()),
    ]);
    expect(both.map(({ status }) => status).sort()).toEqual([0, 75]);
    expect(fault.fired).toBe(2);
    expect(await made.hashes()).toEqual(await hashesHere(made));
    expect(versions(made.server).length).toBe(1); // the one that lost has removed its own keys
  });
});

describe('runs that were killed', () => {
  it('S025 at any request leave no dataset or the old one, and a later run cleans up', async () => {
    const made = await store({ partSizeBytes: 5 * MIB });
    made.server.put('bucket/logs/big.jsonl', logOf(7 * MIB));
    const args = [
      'build',
      's3://bucket/logs/',
      '--session-by',
      'id',
      '--out',
      OUT,
      '--group-by',
      'none',
      '--s3-part-size',
      '5MiB',
      '--replace',
    ];
    const environment = { ...made.server.environment, TMPDIR: temporaryFolder() };
    const isWrite = ({ method, path }: { method: string; path: string }): boolean =>
      method !== 'GET' && path.startsWith('bucket/ds');
    let pointer: string | undefined;
    let killed = 0;
    for (let at = 1; ; at += STEP) {
      let seen = 0;
      const child = start(args, 'ignore', environment);
      const fault = made.server.fault(
        (asked) => isWrite(asked) && ++seen === at,
        (_answer, _asked, serve) => {
          if (Math.ceil(at / STEP) % 2 === 0) serve(); // with the write done and its answer unheard, or not done
          child.kill('SIGKILL');
          return true;
        },
      );
      const { status, signal } = await ended(child);
      fault.remove();
      const now = made.server.objects.has('bucket/ds/dataset.json')
        ? made.server.text('bucket/ds/dataset.json')
        : undefined;
      if (signal === null) {
        expect([status, fault.fired]).toEqual([0, 0]);
        break;
      }
      killed++;
      // old, absent, or complete: what the pointer names is whole
      if (now !== undefined) await made.hashes();
      if (now === pointer) continue;
      pointer = now;
    }
    expect(killed).toBeGreaterThan(8 / STEP);
    expect(versions(made.server).length).toBeGreaterThan(3 / STEP);
    made.server.clockMs = 0;
    await setTimeout(1100); // the store's times are whole seconds
    const last = await turnmill([...args, '--s3-grace', '0s'], undefined, environment);
    expect(last.status).toBe(0);
    expect(versions(made.server).length).toBeLessThanOrEqual(2); // the new one, and the one that it superseded
    expect(made.server.uploads.size).toBe(0);
    await made.hashes();
  });

  faultTest('S025', 'at random moments, between requests too, and with rivals that go on', {}, async () => {
    const made = await store({ partSizeBytes: 5 * MIB });
    made.server.put('bucket/logs/big.jsonl', logOf(7 * MIB));
    const dice = createDice(25, new Map());
    const environment = { ...made.server.environment, TMPDIR: temporaryFolder() };
    const common = [
      'build',
      's3://bucket/logs/',
      '--session-by',
      'id',
      '--group-by',
      'none',
      '--s3-part-size',
      '5MiB',
    ];
    await made.build({ groupBy: 'none' });
    const before = made.server.asked.length;
    let killed = 0;
    for (let round = 0; round < (ALL_FAULTS ? 60 : 5); round++) {
      made.server.put(`bucket/logs/new-${round}.jsonl`, session(`new-${round}`));
      const [at, wait] = [1 + dice.int(before), dice.int(40)];
      const pointer = made.server.text('bucket/ds/dataset.json');
      const child = start(
        [...common, ...(dice.chance(0.5) ? ['--update', OUT] : ['--out', OUT, '--replace'])],
        'ignore',
        environment,
      );
      let seen = 0;
      const fault = made.server.fault(
        () => ++seen === at,
        () => {
          globalThis.setTimeout(() => child.kill('SIGKILL'), wait);
          return false;
        },
      );
      const rival = round % 5 === 4 ? made.build({ groupBy: 'none', update: true }) : undefined;
      const { status, signal } = await ended(child);
      const lost = await rival?.then(
        () => undefined,
        (error: unknown) => error,
      );
      fault.remove();
      if (signal !== null) killed++;
      else expect([0, 75]).toContain(status);
      if (lost !== undefined) expect(lost).toMatchObject({ code: 'locked' });
      // the old dataset or a new one, and whichever it is, whole
      await made.hashes();
      if (signal !== null && rival === undefined && made.server.text('bucket/ds/dataset.json') !== pointer)
        expect(await made.hashes()).toEqual(await hashesHere(made, { groupBy: 'none' }));
    }
    expect(killed).toBeGreaterThan(0);
    await setTimeout(1100); // the store's times are whole seconds
    const last = await turnmill([...common, '--update', OUT, '--s3-grace', '0s'], undefined, environment);
    expect(last.status).toBe(0);
    expect(await made.hashes()).toEqual(await hashesHere(made, { groupBy: 'none' }));
    expect(versions(made.server).length).toBeLessThanOrEqual(2); // the new one, and the one that it superseded
    expect(made.server.uploads.size).toBe(0);
  });

  it('S026 what is young, or not ours, is left alone', async () => {
    const made = await store();
    const [young, old] = ['v-1111111111111111', 'v-2222222222222222'];
    const begin = (path: string): void => {
      const id = path;
      const initiated = new Date(Date.now() + made.server.clockMs);
      made.server.uploads.set(id, { id, path, initiated, parts: new Map() });
    };
    made.server.clockMs = -25 * 3_600_000;
    made.server.put(`bucket/ds/${old}/data/x.jsonl`, 'old');
    made.server.put(`bucket/ds/${young}/data/x.jsonl`, 'of a run at work');
    made.server.put('bucket/ds/v-mine/notes.txt', 'not ours');
    made.server.put('bucket/ds/other.txt', 'not ours');
    begin(`bucket/ds/${old}/data/y.jsonl`);
    begin('bucket/other/z.jsonl');
    made.server.clockMs = 0;
    begin(`bucket/ds/${young}/data/y.jsonl`); // its newest sign of life
    const long = 'v-3333333333333333'; // it has been writing one file for more than a day
    made.server.clockMs = -30 * 3_600_000;
    begin(`bucket/ds/${long}/data/z.jsonl`);
    made.server.clockMs = 0;
    const upload = made.server.uploads.get(`bucket/ds/${long}/data/z.jsonl`);
    upload?.parts.set(1, Buffer.from('part'));
    if (upload !== undefined) upload.latest = new Date();
    await made.build();
    const left = [...made.server.keys('bucket/ds/'), ...made.server.uploads.keys()].join('\n');
    expect(left).not.toContain(old);
    expect(left).toContain(`bucket/ds/${young}/data/x.jsonl`);
    expect(left).toContain(`bucket/ds/${young}/data/y.jsonl`);
    expect(left).toContain(`bucket/ds/${long}/data/z.jsonl`);
    expect(left).toContain('bucket/ds/v-mine/notes.txt');
    expect(left).toContain('bucket/ds/other.txt');
    expect(left).toContain('bucket/other/z.jsonl');
  });
});

it('S029 a dataset that another run publishes while this one cleans up is not removed', async () => {
  const made = await store();
  await made.build();
  const superseded = made.server.text('bucket/ds/dataset.json');
  await setTimeout(1100); // the store's times are whole seconds
  await made.build({ replace: true });
  const published = made.server.text('bucket/ds/dataset.json');
  made.server.put('bucket/ds/dataset.json', superseded);
  await setTimeout(1100);
  const fault = made.server.fault('uploads', () => {
    made.server.put('bucket/ds/dataset.json', published); // the other run commits now
    return false;
  });
  const run = made.build({ replace: true, s3: { ...made.s3, graceMs: 0 } });
  await expect(run).rejects.toMatchObject({ code: 'locked' });
  expect(fault.fired).toBe(1);
  expect(made.server.text('bucket/ds/dataset.json')).toBe(published);
  expect(await made.hashes()).toEqual(await hashesHere(made));
});

describe('--update', () => {
  it('S030 reads what is new or changed, drops what is gone, and gives what a full build gives', async () => {
    const made = await store();
    for (let i = 0; i < 12; i++) made.server.put(`bucket/logs/2026-01-14/${i}.jsonl`, session(`n${i}`));
    await made.build({ update: true });
    made.server.put('bucket/logs/2026-01-14/3.jsonl', session('n3', 'changed'));
    made.server.put('bucket/logs/2026-01-14/new.jsonl', session('new'));
    made.server.objects.delete('bucket/logs/2026-01-14/7.jsonl');
    made.server.asked.length = 0;
    const { reusedSources } = await made.build({ update: true });
    expect(reusedSources).toBe(12);
    const read = made.server.asked.filter(
      ({ kind, path }) => kind === 'get' && path.startsWith('bucket/logs/'),
    );
    expect(read.map(({ path }) => path).sort()).toEqual([
      'bucket/logs/2026-01-14/3.jsonl',
      'bucket/logs/2026-01-14/new.jsonl',
    ]);
    expect(await made.hashes()).toEqual(await hashesHere(made));
  });

  it('asks for nothing but the listing when nothing has changed', async () => {
    const made = await store();
    await made.build({ update: true });
    const before = made.server.text('bucket/ds/dataset.json');
    made.server.asked.length = 0;
    const { nothingChanged, reusedSources } = await made.build({ update: true });
    expect([nothingChanged, reusedSources]).toEqual([true, 2]);
    expect(
      made.server.asked.filter(({ path, kind }) => path.startsWith('bucket/logs') && kind !== 'list'),
    ).toEqual([]);
    expect(made.server.asked.filter(({ path }) => path.includes('/data/'))).toEqual([]); // nor are the shards fetched
    expect(made.server.text('bucket/ds/dataset.json')).toBe(before);
  });

  it('from a store into a folder', async () => {
    const made = await store();
    const out = join(temporaryFolder(), 'out');
    await made.build({ out, update: true });
    made.server.put('bucket/logs/c.jsonl', session('c'));
    made.server.asked.length = 0;
    await made.build({ out, update: true });
    expect(made.server.asked.filter(({ kind }) => kind === 'get').map(({ path }) => path)).toEqual([
      'bucket/logs/c.jsonl',
    ]);
    expect(hashesOf(out)).toEqual(await hashesHere(made));
  });

  it('refuses a dataset whose files are not what its manifest says', async () => {
    const made = await store();
    await made.build({ update: true });
    const [path = ''] = made.server
      .keys('bucket/ds/v-')
      .filter((key) => key.endsWith('ledger/sessions.jsonl'));
    made.server.put(path, made.server.text(path).replace('"a"', '"x"'));
    made.server.put('bucket/logs/c.jsonl', session('c'));
    await expect(made.build({ update: true })).rejects.toMatchObject({ code: 'invalid-dataset' });
  });
});

describe('the commands read it', () => {
  it('verify, quarantine and explain', async () => {
    const made = await store();
    made.server.put('bucket/logs/2026-01-13/bad.jsonl', `${session('ok')}no json\n`);
    await made.build();
    const run = (...args: string[]) => turnmill(args, undefined, made.server.environment);
    const verified = await run('verify', OUT);
    expect([verified.status, verified.stdout.toString()]).toEqual([
      0,
      expect.stringContaining('no problems'),
    ]);
    const listed = await run('quarantine', 'list', OUT);
    expect([listed.status, listed.stdout.toString()]).toEqual([
      0,
      expect.stringContaining('2026-01-13/bad.jsonl:2'),
    ]);
    const where = '2026-01-13/b.jsonl:1';
    const explained = await run('explain', where, '--root', 's3://bucket/logs/', '--in', OUT);
    expect(explained.stdout.toString()).toContain('data/2026-01-13-00000.jsonl');
    const none = await run('verify', 's3://bucket/nothing/');
    expect(none.status).toBe(66);
    const [path = ''] = made.server.keys('bucket/ds/v-').filter((key) => key.includes('/data/'));
    made.server.put(path, made.server.text(path).replace('hello', 'HELLO'));
    expect((await run('verify', OUT)).status).toBe(65);
  });

  it('report, also against an earlier dataset, as for a folder', async () => {
    const made = await store();
    await made.build();
    const here = join(temporaryFolder(), 'here');
    await made.build({ out: here });
    const run = async (...args: string[]): Promise<string> => {
      const { status, stdout, stderr } = await turnmill(
        ['report', ...args],
        undefined,
        made.server.environment,
      );
      expect([status, stderr]).toEqual([0, '']);
      return stdout.toString();
    };
    made.server.asked.length = 0;
    const page = await run(OUT);
    expect(page).toContain('</html>');
    expect(made.server.asked.filter(({ path }) => path.includes('/data/'))).toEqual([]); // the shards are not fetched
    // all but what differs from run to run
    const lasting = (html: string): string =>
      html.replaceAll(/<time[^>]*>[^<]*<\/time>|[0-9a-f]{16}|[\d.,]+/g, '');
    expect(lasting(page)).toBe(lasting(await run(here)));
    const drift = await run(here, '--against', OUT);
    expect(drift.length).toBeGreaterThan(page.length);
  });

  it('report counts a dataset whose summary has no profile from its files', async () => {
    const made = await store();
    await made.build();
    const [path = ''] = made.server
      .keys('bucket/ds/v-')
      .filter((key) => key.endsWith('reports/summary.json'));
    const page = await report({ dataset: OUT, s3: resolveS3Options(made.s3) });
    const { profile, ...rest } = JSON.parse(made.server.text(path));
    expect(profile).toBeDefined();
    made.server.put(path, JSON.stringify(rest));
    expect(await report({ dataset: OUT, s3: resolveS3Options(made.s3) })).toBe(page);
  });

  it('quarantine replay, with the bytes of lines and of whole objects from the store', async () => {
    const made = await store();
    const bad = `${session('ok')}no json\n${session('ok2')}{"broken": \n`;
    const packed = gzipSync(bad);
    made.server.put('bucket/logs/2026-01-13/bad.jsonl', bad);
    made.server.put('bucket/logs/2026-01-13/packed.jsonl.gz', packed);
    made.server.put('bucket/logs/2026-01-13/nothing.jsonl', 'nothing of this\nis a log\n');
    made.server.put('bucket/logs/2026-01-13/cut.jsonl.gz', packed.subarray(0, 30));
    await made.build({ quarantineContent: 'ref' });
    const [here, there] = [join(temporaryFolder(), 'here'), join(temporaryFolder(), 'there')];
    const logs = join(temporaryFolder(), 'logs');
    for (const path of made.server.keys('bucket/logs/')) {
      const body = made.server.objects.get(path)?.body as Buffer;
      const file = join(logs, path.slice('bucket/logs/'.length));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, body);
    }
    const dataset = join(temporaryFolder(), 'dataset');
    await build({ inputs: [logs], out: dataset, workers: 1, sessionBy: 'id', quarantineContent: 'ref' });
    const run = (out: string, from: string, into: string) =>
      turnmill(
        ['quarantine', 'replay', out, '--logs', from, '--into', into],
        undefined,
        made.server.environment,
      );
    const [local, stored] = [await run(dataset, logs, here), await run(OUT, 's3://bucket/logs/', there)];
    expect([stored.status, stored.stderr]).toEqual([local.status, local.stderr]);
    expect(stored.stdout.toString().replace(there, '')).toBe(local.stdout.toString().replace(here, ''));
    expect(Object.keys(hashesOf(there)).length).toBeGreaterThan(2);
    expect(hashesOf(there)).toEqual(hashesOf(here));
    made.server.put('bucket/logs/2026-01-13/bad.jsonl', bad.replace('no json', 'no JSON'));
    made.server.objects.delete('bucket/logs/2026-01-13/packed.jsonl.gz');
    const later = await run(OUT, 's3://bucket/logs', join(temporaryFolder(), 'later'));
    expect([later.status, later.stdout.toString()]).toEqual([
      3,
      expect.stringMatching(
        /1 not replayed: the logs have changed at its place[\s\S]*2026-01-13\/bad\.jsonl:2/,
      ),
    ]);
    expect(later.stdout.toString()).toContain('not replayed: it is not in the logs');
  });

  it('S034 and no credentials are in any message, object or local file', async () => {
    const made = await store();
    const tmp = temporaryFolder();
    const environment = { ...made.server.environment, TMPDIR: tmp };
    const args = ['build', 's3://bucket/logs/', '--session-by', 'id', '--out', OUT, '--log-level', 'debug'];
    const first = await turnmill(args, undefined, environment);
    const fault = made.server.fault('put', refuse(403, 'SignatureDoesNotMatch'), 99);
    const second = await turnmill([...args, '--replace'], undefined, environment);
    expect([first.status, second.status]).toEqual([0, 77]);
    expect(first.stderr).toContain(` in ${OUT} `);
    expect(fault.fired).toBeGreaterThan(0);
    const texts = [
      first.stderr,
      second.stderr,
      ...made.server.keys('bucket/ds/').map((path) => made.server.text(path)),
    ];
    for (const secret of [SECRET, SESSION_TOKEN])
      expect(texts.filter((text) => text.includes(secret))).toEqual([]);
    expect(Object.keys(hashesOf(tmp))).toEqual([]); // nothing local is left
  });
});
