/** A small dataset in the tests' object store, and the same build into a folder. */
import { join } from 'node:path';
import { expect } from 'vitest';
import { withDataset } from '../../src/dataset/store/with-dataset.ts';
import { build } from '../../src/job/build.ts';
import type { RunSummary } from '../../src/job/run.ts';
import type { S3Options } from '../../src/object-store/options.ts';
import { resolveS3Options } from '../../src/settings/s3-settings.ts';
import type { PartialSettings } from '../../src/settings/settings.ts';
import { verifyDataset } from '../../src/verify/verify-dataset.ts';
import { sessionLog } from './build-logs.ts';
import { hashesOf, temporaryFolder } from './folder.ts';
import { startStore } from './s3-logs.ts';
import type { S3Server } from './s3-server.ts';

export const OUT = 's3://bucket/ds/';
export const MIB = 1024 * 1024;
/** The usual number of tries, but waits at most 20 ms between them. */
export const HURRIED = { idleMs: 20_000, tries: 7, firstDelayMs: 1, longestDelayMs: 20 };

/** Whether a request publishes the dataset. */
export const isCommit = ({ method, path }: { method: string; path: string }): boolean =>
  method === 'PUT' && path === 'bucket/ds/dataset.json';

/** Lets another run commit before this one, and expects that the other dataset stays, without a version of this run. */
export async function expectLostRace({ server }: Store, run: () => Promise<unknown>): Promise<void> {
  const other = JSON.stringify({
    run: `v-${'a'.repeat(16)}`,
    manifest: `v-${'a'.repeat(16)}/manifest.json`,
    sha256: 'b'.repeat(64),
  });
  const fault = server.fault(isCommit, () => {
    server.put('bucket/ds/dataset.json', other);
    return false;
  });
  await expect(run()).rejects.toMatchObject({ code: 'locked' });
  expect(fault.fired).toBe(1);
  expect(server.text('bucket/ds/dataset.json')).toBe(other);
  expect(versions(server)).toEqual([]); // its own keys are removed
}

/** Logs by size, cached because each takes a second to generate. */
const knownLogs = new Map<number, string>();

/** Records of about `bytes` bytes in total, which hardly compress. */
export function logOf(bytes: number): string {
  let log = knownLogs.get(bytes) ?? '';
  for (let i = 0; log.length < bytes; i++) {
    const words = Array.from({ length: 2000 }, (_, at) =>
      ((i + 1) * (at + 7919) * 2654435761).toString(36).slice(-5),
    );
    log += sessionLog(`s${i}`, words.join(' '));
  }
  knownLogs.set(bytes, log);
  return log;
}

export interface Store {
  readonly server: S3Server;
  readonly s3: Partial<S3Options>;
  build(settings?: Partial<PartialSettings>): Promise<RunSummary>;
  /** Name and SHA-256 of each file of the dataset. */
  hashes(): Promise<Record<string, string>>;
}

export async function newStore(settings: Partial<S3Options> = {}): Promise<Store> {
  const server = await startStore();
  const s3 = { endpoint: server.endpoint, ...settings };
  server.put('bucket/logs/2026-01-13/a.jsonl', sessionLog('a') + sessionLog('a2'));
  server.put('bucket/logs/2026-01-13/b.jsonl', sessionLog('b'));
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

/** Hashes of the same build into a folder. */
export async function hashesHere(
  { s3 }: Store,
  settings: Partial<PartialSettings> = {},
): Promise<Record<string, string>> {
  const out = join(temporaryFolder(), 'out');
  await build({ inputs: ['s3://bucket/logs/'], out, workers: 1, sessionBy: 'id', ...settings, s3 });
  return hashesOf(out);
}

/** Versions of the dataset `bucket/ds` in the store. */
export const versions = (server: S3Server): string[] => [
  ...new Set(server.keys('bucket/ds/v-').map((path) => path.split('/')[2] as string)),
];
