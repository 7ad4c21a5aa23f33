/**
 * Datasets in moto, an independent implementation of S3, through a proxy that misbehaves. Conditional writes, uploads and listings are
 * moto's; the proxy adds 409, which moto never answers. moto dates every upload in 2010, so a young upload (the other half of S026) cannot
 * be tested. S027 and S028 are refused before any request.
 */

import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { expect } from 'vitest';
import { withDataset } from '../../src/dataset/store/with-dataset.ts';
import { build } from '../../src/job/build.ts';
import type { RunSummary } from '../../src/job/run.ts';
import { objectClient } from '../../src/object-store/client.ts';
import { resolveS3Options } from '../../src/settings/s3-settings.ts';
import type { PartialSettings } from '../../src/settings/settings.ts';
import { verifyDataset } from '../../src/verify/verify-dataset.ts';
import { entryLine } from '../support/build-logs.ts';
import { type Ended, ended, start, turnmill } from '../support/command.ts';
import { faultTest } from '../support/faults.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';
import { type BehindProxy, type Moto, motoBehindProxy } from '../support/moto.ts';
import { HURRIED } from '../support/s3-dataset.ts';
import { refuse, SECRET, SESSION_TOKEN } from '../support/s3-endpoint.ts';
import type { S3Proxy } from '../support/s3-proxy.ts';
import { type Fault, hangUp, loseAnswer, type ReceivedRequest } from '../support/store-faults.ts';

const needs = ['moto'] as const;
const LOGS = 's3://bucket/logs/';
const OUT = 's3://bucket/ds/';
const ARGS = ['build', LOGS, '--session-by', 'id', '--group-by', 'none', '--s3-part-size', '5MiB'];
const MIB = 1024 * 1024;

const session = (id: string, text = 'hello'): string =>
  `${entryLine({ id, messages: [{ role: 'user', content: text }] })}\n`;

/** A record large enough for two parts. */
const LARGE = session('large', 'words and more '.repeat((6 * MIB) / 15));

interface MotoDataset extends BehindProxy {
  build(settings?: Partial<PartialSettings>): Promise<RunSummary>;
  /** Checks that the dataset is whole and equals that of the same build into a folder. */
  same(): Promise<void>;
}

async function stored(): Promise<MotoDataset> {
  const { moto, proxy } = await motoBehindProxy();
  await moto.put('logs/a.jsonl', session('a') + session('a2'));
  await moto.put('logs/b.jsonl', session('b'));
  const s3 = { endpoint: proxy.endpoint, partSize: 5 * MIB };
  const shared = { inputs: [LOGS], workers: 1, sessionBy: 'id', groupBy: 'none' } as const;
  objectClient(resolveS3Options(s3), HURRIED); // the client that the builds reuse
  return {
    moto,
    proxy,
    build: (settings = {}) => build({ ...shared, out: OUT, ...settings, s3: { ...s3, ...settings.s3 } }),
    async same() {
      const out = join(temporaryFolder(), 'out');
      await build({ ...shared, out, s3 });
      expect(await datasetIn(proxy)).toEqual(hashesOf(out));
    },
  };
}

/** Name and SHA-256 of each file of a whole dataset. */
const datasetIn = ({ endpoint }: S3Proxy): Promise<Record<string, string>> =>
  withDataset(
    OUT,
    resolveS3Options({ endpoint }),
    () => true,
    async (folder) => {
      expect((await verifyDataset(folder)).problems).toEqual([]);
      return hashesOf(folder);
    },
  );

async function versions(moto: Moto): Promise<string[]> {
  return [...new Set((await moto.keys('ds/v-')).map((key) => key.split('/')[1] as string))];
}

const isCommit = ({ method, path }: ReceivedRequest): boolean =>
  method === 'PUT' && path === 'bucket/ds/dataset.json';

const again: readonly (readonly [string, string, (proxy: S3Proxy) => Fault])[] = [
  ['S019', 'parts are told to slow down', (proxy) => proxy.fault('part', refuse(503, 'SlowDown'), 6)],
  ['S019', 'parts break off', (proxy) => proxy.fault('part', hangUp, 3)],
  ['S019', 'responses to parts are lost', (proxy) => proxy.fault('part', loseAnswer, 3)],
  ['S019', 'uploads cannot begin', (proxy) => proxy.fault('create', refuse(500, 'InternalError'), 3)],
  [
    'S020',
    'completing answers 200 with an error in the body',
    (proxy) =>
      proxy.fault('complete', (answer) => {
        answer.writeHead(200, { 'content-type': 'application/xml' });
        answer.end('<?xml version="1.0"?>\n<Error><Code>InternalError</Code><Message>x</Message></Error>');
        return true;
      }),
  ],
  [
    'S021',
    'moto completes an upload, and its response is lost',
    (proxy) => proxy.fault('complete', loseAnswer),
  ],
  ['S021', 'moto commits, and its response is lost', (proxy) => proxy.fault(isCommit, loseAnswer)],
  [
    'S023',
    'the commit conflicts',
    (proxy) => proxy.fault(isCommit, refuse(409, 'ConditionalRequestConflict'), 2),
  ],
];
for (const [id, name, misbehave] of again)
  faultTest('S019-S023', `moto: ${id} ${name}: the dataset equals that of a folder`, { needs }, async () => {
    const { moto, proxy, build, same } = await stored();
    await moto.put('logs/large.jsonl', LARGE);
    const fault = misbehave(proxy);
    await build();
    expect(fault.fired).toBeGreaterThan(0);
    await same();
    expect(await moto.uploads()).toEqual([]);
    expect((await versions(moto)).length).toBe(1);
  });

faultTest(
  'S022',
  'moto: another run commits first: moto answers 412, and the other dataset stays',
  { needs },
  async () => {
    const { moto, proxy, build } = await stored();
    const run = `v-${'a'.repeat(16)}`;
    const other = JSON.stringify({ run, manifest: `${run}/manifest.json`, sha256: 'b'.repeat(64) });
    const fault = proxy.fault(isCommit, (_answer, _asked, serve) => {
      void moto.put('ds/dataset.json', other).then(serve);
      return true;
    });
    await expect(build()).rejects.toMatchObject({ code: 'locked' });
    expect(fault.fired).toBe(1);
    expect(await moto.keys('ds/')).toEqual(['ds/dataset.json']); // the refused run removes its keys
    expect(await moto.text('ds/dataset.json')).toBe(other);
  },
);

faultTest(
  'S024',
  'moto: a store that ignores conditions is refused before anything is read',
  { needs },
  async () => {
    const { moto, proxy, build, same } = await stored();
    const ignore = proxy.fault(
      ({ method }) => method === 'PUT',
      (_answer, { headers }) => {
        delete headers['if-match'];
        delete headers['if-none-match'];
        return false;
      },
      1000,
    );
    await expect(build()).rejects.toMatchObject({
      code: 'cannot-create',
      message: expect.stringContaining('--s3-condition none'),
    });
    expect(ignore.fired).toBe(2);
    expect(proxy.requests.some(({ path }) => path.startsWith('bucket/logs'))).toBe(false);
    expect(await moto.keys('ds/')).toEqual([]); // the probe is gone
    await build({ s3: { condition: 'none' } });
    await same();
  },
);

faultTest(
  'S025',
  'moto: SIGKILL at requests that write: no dataset or a whole one, cleaned up later',
  { needs, long: true },
  async () => {
    const { moto, proxy, same } = await stored();
    await moto.put('logs/large.jsonl', LARGE);
    const args = [...ARGS, '--out', OUT, '--replace'];
    const environment = { ...proxy.environment, TMPDIR: temporaryFolder() };
    const isWrite = ({ method, path }: ReceivedRequest): boolean =>
      method !== 'GET' && path.startsWith('bucket/ds');
    let killed = 0;
    for (let at = 1; ; at += 3) {
      let seen = 0;
      const child = start(args, 'ignore', environment);
      const gone = ended(child);
      const fault = proxy.fault(
        (request) => isWrite(request) && ++seen === at,
        (_answer, _asked, serve) => {
          if (at % 2 === 0) serve(); // even: the write is done and its response lost; odd: not done
          child.kill('SIGKILL');
          return true;
        },
      );
      const { status, signal } = await gone;
      fault.remove();
      if (signal === null) {
        expect([status, fault.fired]).toEqual([0, 0]);
        break;
      }
      expect(fault.fired).toBe(1);
      killed++;
      if ((await moto.keys('ds/dataset.json')).length > 0) await same();
    }
    expect(killed).toBeGreaterThan(3);
    expect((await versions(moto)).length).toBeGreaterThan(1);
    await setTimeout(1100); // the store's times are whole seconds
    expect((await turnmill([...args, '--s3-grace', '0s'], undefined, environment)).status).toBe(0);
    expect((await versions(moto)).length).toBeLessThanOrEqual(2); // the new version and the one it superseded
    expect(await moto.uploads()).toEqual([]);
    await same();
  },
);

faultTest(
  'S026',
  'moto: abandoned uploads and versions are removed, foreign ones are left',
  { needs },
  async () => {
    const { moto, build, same } = await stored();
    const old = 'ds/v-2222222222222222';
    await moto.put(`${old}/data/x.jsonl`, 'old');
    await moto.put('ds/v-mine/notes.txt', 'not ours');
    await moto.beginUpload(`${old}/data/y.jsonl`);
    await moto.beginUpload('other/z.jsonl');
    await setTimeout(1100); // the store's times are whole seconds
    await build({ s3: { grace: 0 } });
    expect(await moto.uploads()).toEqual(['other/z.jsonl']);
    expect(await moto.keys(old)).toEqual([]);
    expect(await moto.keys('ds/v-mine/')).toEqual(['ds/v-mine/notes.txt']);
    await same();
  },
);

faultTest(
  'S029',
  'moto: one of two concurrent runs commits, and the other ends with 75',
  { needs },
  async () => {
    const { moto, proxy, same } = await stored();
    const held: (() => void)[] = [];
    const fault = proxy.fault(
      isCommit,
      (_answer, _asked, serve) => {
        held.push(serve);
        if (held.length === 2) for (const each of held) each();
        return true;
      },
      2, // both must have come before either is answered
    );
    const rival = (): Promise<Ended> =>
      turnmill([...ARGS, '--out', OUT], undefined, { ...proxy.environment, TMPDIR: temporaryFolder() });
    const both = await Promise.all([rival(), rival()]);
    expect(both.map(({ status }) => status).sort()).toEqual([0, 75]);
    expect(fault.fired).toBe(2);
    await same();
    expect((await versions(moto)).length).toBe(1); // the loser has removed its keys
  },
);

faultTest(
  'S030',
  'moto: builds, refuses, replaces and updates as in a folder, byte for byte',
  { needs },
  async () => {
    const { moto, proxy } = await stored();
    const run = (...args: string[]): Promise<Ended> => turnmill(args, undefined, proxy.environment);
    const logs = 'examples/logs';
    const names = readdirSync(logs, { recursive: true, encoding: 'utf8' }).filter((name) =>
      statSync(join(logs, name)).isFile(),
    );
    for (const name of names) await moto.put(`examples/${name}`, readFileSync(join(logs, name)));
    const from = 's3://bucket/examples/';
    const here = join(temporaryFolder(), 'here');
    expect((await run('build', logs, '--out', here)).status).toBe(3);
    const first = await run('build', from, '--out', OUT);
    expect([first.status, first.stderr]).toEqual([3, expect.stringContaining('11 records')]);
    expect(await datasetIn(proxy)).toEqual(hashesOf(here));
    expect((await run('verify', OUT)).status).toBe(0);
    expect((await run('build', from, '--out', OUT)).status).toBe(73);
    expect((await run('build', from, '--out', OUT, '--replace')).status).toBe(3);
    expect((await run('build', from, '--update', OUT)).stderr).toContain('nothing changed');
  },
);

faultTest(
  'S030',
  'moto: an update reads only what is new or changed, and drops what is gone',
  { needs },
  async () => {
    const { moto, proxy, build, same } = await stored();
    for (let i = 0; i < 6; i++) await moto.put(`logs/n/${i}.jsonl`, session(`n${i}`));
    await build({ update: true });
    await moto.put('logs/n/3.jsonl', session('n3', 'changed'));
    await moto.put('logs/n/new.jsonl', session('new'));
    await moto.remove('logs/n/5.jsonl');
    proxy.requests.length = 0;
    expect((await build({ update: true })).reusedSources).toBe(6);
    const read = proxy.requests.filter(({ kind, path }) => kind === 'get' && path.startsWith('bucket/logs/'));
    expect(read.map(({ path }) => path).sort()).toEqual(['bucket/logs/n/3.jsonl', 'bucket/logs/n/new.jsonl']);
    await same();
  },
);

faultTest('S034', 'moto: no credentials are in any message or object', { needs }, async () => {
  const { moto, proxy } = await stored();
  const args = [...ARGS, '--out', OUT, '--log-level', 'debug'];
  const first = await turnmill(args, undefined, proxy.environment);
  const fault = proxy.fault('put', refuse(403, 'SignatureDoesNotMatch'), 99);
  const second = await turnmill([...args, '--replace'], undefined, proxy.environment);
  expect([first.status, second.status]).toEqual([0, 77]);
  expect(fault.fired).toBeGreaterThan(0);
  const texts = [first.stderr, second.stderr];
  for (const key of await moto.keys('ds/')) texts.push(await moto.text(key));
  expect(texts.length).toBeGreaterThan(5);
  for (const secret of [SECRET, SESSION_TOKEN])
    expect(texts.filter((text) => text.includes(secret))).toEqual([]);
});
