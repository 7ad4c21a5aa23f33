import { setTimeout } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { sessionLog } from '../support/build-logs.ts';
import { ended, start, turnmill } from '../support/command.ts';
import { ALL_FAULTS, faultTest } from '../support/faults.ts';
import { temporaryFolder } from '../support/folder.ts';
import { createDice } from '../support/odd-logs/dice.ts';
import { hashesHere, logOf, MIB, newStore, OUT, versions } from '../support/s3-dataset.ts';

/** Kills a run at every STEP-th request. */
const STEP = ALL_FAULTS ? 1 : 4;

describe('killed runs', () => {
  it('S025 killed at any request they leave no dataset or the old one, and a later run cleans up', async () => {
    const store = await newStore({ partSize: 5 * MIB });
    store.server.put('bucket/logs/big.jsonl', logOf(7 * MIB));
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
    const environment = { ...store.server.environment, TMPDIR: temporaryFolder() };
    const isWrite = ({ method, path }: { method: string; path: string }): boolean =>
      method !== 'GET' && path.startsWith('bucket/ds');
    let pointer: string | undefined;
    let killed = 0;
    for (let at = 1; ; at += STEP) {
      let seen = 0;
      const child = start(args, 'ignore', environment);
      const fault = store.server.fault(
        (request) => isWrite(request) && ++seen === at,
        (_answer, _asked, serve) => {
          if (Math.ceil(at / STEP) % 2 === 0) serve(); // alternates: the write is done and its response lost, or it is not done
          child.kill('SIGKILL');
          return true;
        },
      );
      const { status, signal } = await ended(child);
      fault.remove();
      const now = store.server.objects.has('bucket/ds/dataset.json')
        ? store.server.text('bucket/ds/dataset.json')
        : undefined;
      if (signal === null) {
        expect([status, fault.fired]).toEqual([0, 0]);
        break;
      }
      killed++;
      // absent, old or new: the dataset that the pointer names is whole
      if (now !== undefined) await store.hashes();
      if (now === pointer) continue;
      pointer = now;
    }
    expect(killed).toBeGreaterThan(8 / STEP);
    expect(versions(store.server).length).toBeGreaterThan(3 / STEP);
    store.server.clockMs = 0;
    await setTimeout(1100); // the store's times are whole seconds
    const last = await turnmill([...args, '--s3-grace', '0s'], undefined, environment);
    expect(last.status).toBe(0);
    expect(versions(store.server).length).toBeLessThanOrEqual(2); // the new version and the one it superseded
    expect(store.server.uploads.size).toBe(0);
    await store.hashes();
  });

  faultTest(
    'S025',
    'killed at random moments, also between requests and with concurrent runs',
    {},
    async () => {
      const store = await newStore({ partSize: 5 * MIB });
      store.server.put('bucket/logs/big.jsonl', logOf(7 * MIB));
      const dice = createDice(25, new Map());
      const environment = { ...store.server.environment, TMPDIR: temporaryFolder() };
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
      await store.build({ groupBy: 'none' });
      const before = store.server.requests.length;
      let killed = 0;
      for (let round = 0; round < (ALL_FAULTS ? 60 : 5); round++) {
        store.server.put(`bucket/logs/new-${round}.jsonl`, sessionLog(`new-${round}`));
        const [at, wait] = [1 + dice.int(before), dice.int(40)];
        const pointer = store.server.text('bucket/ds/dataset.json');
        const child = start(
          [...common, ...(dice.chance(0.5) ? ['--update', OUT] : ['--out', OUT, '--replace'])],
          'ignore',
          environment,
        );
        let seen = 0;
        const fault = store.server.fault(
          () => ++seen === at,
          () => {
            globalThis.setTimeout(() => child.kill('SIGKILL'), wait);
            return false;
          },
        );
        const rival = round % 5 === 4 ? store.build({ groupBy: 'none', update: true }) : undefined;
        const { status, signal } = await ended(child);
        const lost = await rival?.then(
          () => undefined,
          (error: unknown) => error,
        );
        fault.remove();
        if (signal !== null) killed++;
        else expect([0, 75]).toContain(status);
        if (lost !== undefined) expect(lost).toMatchObject({ code: 'locked' });
        // the old dataset or a new one, whole either way
        await store.hashes();
        if (signal !== null && rival === undefined && store.server.text('bucket/ds/dataset.json') !== pointer)
          expect(await store.hashes()).toEqual(await hashesHere(store, { groupBy: 'none' }));
      }
      expect(killed).toBeGreaterThan(0);
      await setTimeout(1100); // the store's times are whole seconds
      const last = await turnmill([...common, '--update', OUT, '--s3-grace', '0s'], undefined, environment);
      expect(last.status).toBe(0);
      expect(await store.hashes()).toEqual(await hashesHere(store, { groupBy: 'none' }));
      expect(versions(store.server).length).toBeLessThanOrEqual(2); // the new version and the one it superseded
      expect(store.server.uploads.size).toBe(0);
    },
  );

  it('S026 young and foreign objects are left alone', async () => {
    const store = await newStore();
    const [young, old] = ['v-1111111111111111', 'v-2222222222222222'];
    const begin = (path: string): void => {
      const id = path;
      const initiated = new Date(Date.now() + store.server.clockMs);
      store.server.uploads.set(id, { id, path, initiated, parts: new Map() });
    };
    store.server.clockMs = -25 * 3_600_000;
    store.server.put(`bucket/ds/${old}/data/x.jsonl`, 'old');
    store.server.put(`bucket/ds/${young}/data/x.jsonl`, 'of a run at work');
    store.server.put('bucket/ds/v-mine/notes.txt', 'not ours');
    store.server.put('bucket/ds/other.txt', 'not ours');
    begin(`bucket/ds/${old}/data/y.jsonl`);
    begin('bucket/other/z.jsonl');
    store.server.clockMs = 0;
    begin(`bucket/ds/${young}/data/y.jsonl`); // its newest sign of life
    const long = 'v-3333333333333333'; // it has been writing one file for more than a day
    store.server.clockMs = -30 * 3_600_000;
    begin(`bucket/ds/${long}/data/z.jsonl`);
    store.server.clockMs = 0;
    const upload = store.server.uploads.get(`bucket/ds/${long}/data/z.jsonl`);
    upload?.parts.set(1, Buffer.from('part'));
    if (upload !== undefined) upload.latest = new Date();
    await store.build();
    const left = [...store.server.keys('bucket/ds/'), ...store.server.uploads.keys()].join('\n');
    expect(left).not.toContain(old);
    expect(left).toContain(`bucket/ds/${young}/data/x.jsonl`);
    expect(left).toContain(`bucket/ds/${young}/data/y.jsonl`);
    expect(left).toContain(`bucket/ds/${long}/data/z.jsonl`);
    expect(left).toContain('bucket/ds/v-mine/notes.txt');
    expect(left).toContain('bucket/ds/other.txt');
    expect(left).toContain('bucket/other/z.jsonl');
  });
});

it('S029 a dataset that another run publishes during the cleanup is not removed', async () => {
  const store = await newStore();
  await store.build();
  const superseded = store.server.text('bucket/ds/dataset.json');
  await setTimeout(1100); // the store's times are whole seconds
  await store.build({ replace: true });
  const published = store.server.text('bucket/ds/dataset.json');
  store.server.put('bucket/ds/dataset.json', superseded);
  await setTimeout(1100);
  const fault = store.server.fault('uploads', () => {
    store.server.put('bucket/ds/dataset.json', published); // the other run commits now
    return false;
  });
  const run = store.build({ replace: true, s3: { ...store.s3, grace: 0 } });
  await expect(run).rejects.toMatchObject({ code: 'locked' });
  expect(fault.fired).toBe(1);
  expect(store.server.text('bucket/ds/dataset.json')).toBe(published);
  expect(await store.hashes()).toEqual(await hashesHere(store));
});
