/** Publishing a dataset in an object store is one conditional write. Whatever happens to it, the old dataset or the new one is there, whole. */
import type { ServerResponse } from 'node:http';
import { describe, expect, it } from 'vitest';
import { objectClient } from '../../src/object-store/client.ts';
import { resolveS3Options } from '../../src/settings/s3-settings.ts';
import { turnmill } from '../support/command.ts';
import { temporaryFolder } from '../support/folder.ts';
import {
  expectLostRace,
  HURRIED,
  hashesHere,
  isCommit,
  newStore,
  OUT,
  versions,
} from '../support/s3-dataset.ts';
import { refuse } from '../support/s3-endpoint.ts';
import { hangUp, loseAnswer } from '../support/store-faults.ts';

/** Drops the store's response. */
function dropResponse(answer: ServerResponse): void {
  answer.write = () => true;
  answer.end = () => answer;
}

describe('the commit', () => {
  it('S021 looks at the store when its response is lost', async () => {
    const store = await newStore();
    const fault = store.server.fault(isCommit, loseAnswer);
    await store.build();
    expect(fault.fired).toBe(1);
    expect(await store.hashes()).toEqual(await hashesHere(store));
    expect(versions(store.server).length).toBe(1);
  });

  it('S021 removes nothing when its response is lost and the store is unreachable: the write may have happened', async () => {
    for (const isCarriedOut of [true, false]) {
      const store = await newStore();
      let isOut = false;
      const fault = store.server.fault(
        (request) => isOut || isCommit(request),
        (answer, _asked, serve) => {
          const { socket } = answer;
          dropResponse(answer);
          if (!isOut && isCarriedOut) serve();
          isOut = true;
          socket?.destroy();
          return true;
        },
        10_000,
      );
      const error = await store.build().catch((thrown: unknown) => thrown);
      expect(error).toMatchObject({ code: 'unavailable' });
      expect(fault.fired).toBeGreaterThan(1);
      fault.remove();
      expect(versions(store.server).length).toBe(1);
      if (isCarriedOut) expect(await store.hashes()).toEqual(await hashesHere(store));
      else expect(store.server.objects.has('bucket/ds/dataset.json')).toBe(false);
    }
  });

  it('S021 says that it may have happened when all writes fail without a response', async () => {
    const store = await newStore();
    objectClient(resolveS3Options(store.s3), HURRIED); // the client that the build reuses
    const fault = store.server.fault(isCommit, hangUp, 10_000);
    await expect(store.build()).rejects.toMatchObject({
      code: 'unavailable',
      message: expect.stringContaining('may still carry the write out'),
    });
    expect(fault.fired).toBeGreaterThan(8);
    expect(versions(store.server).length).toBe(1);
  });

  it('S022 ends with 75 if another run committed first, and the other dataset stays', async () => {
    const store = await newStore();
    await expectLostRace(store, () => store.build());
  });

  it('S023 is tried again after a conflict with a concurrent write', async () => {
    const store = await newStore();
    const fault = store.server.fault(isCommit, refuse(409, 'ConditionalRequestConflict'), 2);
    await store.build();
    expect(fault.fired).toBe(2);
    expect(await store.hashes()).toEqual(await hashesHere(store));
  });

  it('S024 is refused on a store that ignores conditions, before anything is read', async () => {
    const store = await newStore();
    store.server.hasConditions = false;
    await expect(store.build()).rejects.toMatchObject({
      code: 'cannot-create',
      message: expect.stringContaining('--s3-condition none'),
    });
    expect(store.server.requests.some(({ path }) => path.startsWith('bucket/logs'))).toBe(false);
    expect(store.server.keys('bucket/ds/')).toEqual([]); // the probe is gone
    await store.build({ s3: { ...store.s3, condition: 'none' } });
    expect(await store.hashes()).toEqual(await hashesHere(store));
  });

  it('S021 survives a lost response to the probe for conditions', async () => {
    const store = await newStore();
    const fault = store.server.fault(
      ({ method, path }) => method === 'PUT' && path.endsWith('/probe'),
      loseAnswer,
    );
    await store.build();
    expect(fault.fired).toBe(1);
    expect(await store.hashes()).toEqual(await hashesHere(store));
    expect(store.server.keys('bucket/ds/').filter((path) => path.endsWith('/probe'))).toEqual([]);
  });

  it('S029 only one of two concurrent runs commits; the other ends with 75', async () => {
    const store = await newStore();
    const environment = (): NodeJS.ProcessEnv => ({ ...store.server.environment, TMPDIR: temporaryFolder() });
    const held: (() => void)[] = [];
    const fault = store.server.fault(
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
    expect(await store.hashes()).toEqual(await hashesHere(store));
    expect(versions(store.server).length).toBe(1); // the loser has removed its keys
  });
});
