/** Logs in the tests' object store, and builds that read them. */
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { build } from '../../src/job/build.ts';
import type { RunSummary } from '../../src/job/run.ts';
import type { PartialSettings } from '../../src/settings/settings.ts';
import { hashesOf, temporaryFolder } from './folder.ts';
import { useInTest } from './s3-in-test.ts';
import { S3Server } from './s3-server.ts';

/** A store that is closed at the end of the test; until then the process has its credentials. */
export const startStore = async (): Promise<S3Server> => useInTest(await S3Server.start());

/** Puts all files of a folder below `BUCKET/PREFIX/`. Returns their number. */
export function storeFolder(server: S3Server, below: string, folder: string): number {
  const names = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) =>
    statSync(join(folder, name)).isFile(),
  );
  for (const name of names) server.put(`${below}/${name}`, readFileSync(join(folder, name)));
  return names.length;
}

export type Files = Readonly<Record<string, string | Uint8Array>>;

export function writeFiles(folder: string, files: Files): void {
  for (const [name, bytes] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, name)), { recursive: true });
    writeFileSync(join(folder, name), bytes);
  }
}

export interface Both {
  readonly server: S3Server;
  readonly logs: string;
  readonly folder: string;
  /** Builds from the store; its dataset must equal that of the folder. */
  same(settings?: Omit<PartialSettings, 'inputs'>): Promise<RunSummary>;
}

/** The same logs in a folder and below `s3://bucket/logs/`. */
export async function both(files: Files): Promise<Both> {
  const server = await startStore();
  const folder = temporaryFolder();
  const logs = join(folder, 'logs');
  writeFiles(logs, files);
  if (Object.keys(files).length > 0) storeFolder(server, 'bucket/logs', logs);
  return {
    server,
    logs,
    folder,
    same: (settings) => buildBoth(server.endpoint, logs, settings),
  };
}

/** Builds from a folder and from `s3://bucket/logs/` with the same logs: the datasets must be equal. */
export async function buildBoth(
  endpoint: string,
  logs: string,
  settings: Omit<PartialSettings, 'inputs'> = {},
): Promise<RunSummary> {
  const [here, there] = [join(temporaryFolder(), 'here'), join(temporaryFolder(), 'there')];
  const shared = { workers: 1, ...settings, s3: { endpoint, ...settings.s3 } };
  await build({ ...shared, inputs: [logs], out: here });
  const summary = await build({ ...shared, inputs: ['s3://bucket/logs/'], out: there });
  expect(hashesOf(there)).toEqual(hashesOf(here));
  return summary;
}
