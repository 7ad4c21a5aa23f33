/** Runs stopped midway that leave a checkpoint. Tests set TURNMILL_CHECKPOINT_BYTES to 0 to get a checkpoint after every source. */
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { build } from '../../src/job/build.ts';
import type { Settings } from '../../src/settings/settings.ts';
import { temporaryFolder } from './folder.ts';
import { writePlainLogs } from './plain-logs.ts';

const SEED = Number(process.env.TURNMILL_SEED ?? 1);

export const stagingIn = (folder: string): string[] =>
  readdirSync(folder).filter((name) => name.includes('.staging-'));

export const checkpointIn = (folder: string): string | undefined =>
  stagingIn(folder)
    .map((name) => join(folder, name, 'work', 'checkpoint.part'))
    .find(existsSync);

/** Stops a run after `results` results; true if it ended before. */
export async function stopAfter(settings: Parameters<typeof build>[0], results: number): Promise<boolean> {
  const controller = new AbortController();
  let seen = 0;
  const onResult = (): void => {
    if (++seen < results) return;
    controller.abort(new Error('stop'));
    controller.signal.throwIfAborted();
  };
  const { signal } = controller;
  return build(settings, { signal, onResult }).then(
    () => true,
    (error: Error) => {
      if (error.message !== 'stop') throw error;
      return false;
    },
  );
}

/**
 * Stops a run at random results, and resumes it until it has ended.
 * @param results how many results a run without a stop has
 */
export async function stopAndResume(
  settings: Parameters<typeof build>[0],
  random: () => number,
  results: number,
): Promise<void> {
  let isWhole = await stopAfter(settings, Math.ceil(random() * results));
  while (!isWhole)
    isWhole = await stopAfter({ ...settings, resume: true }, Math.ceil(random() * 2 * results));
}

export interface Stopped {
  readonly folder: string;
  readonly logs: string;
  readonly out: string;
  readonly args: readonly string[];
}

/** Begin, finding, record, session and report of each source, and the result at which the run stops. */
export const FIVE_SOURCES: number = 5 * 5 + 1;

/** A build stopped after five of eight sources. */
export async function stopped(settings: Partial<Settings> = {}): Promise<Stopped> {
  const folder = temporaryFolder();
  const [logs, out] = [join(folder, 'logs'), join(folder, 'out')];
  writePlainLogs(logs, { sessions: 8, entries: 3, messageChars: 400, seed: SEED });
  expect(await stopAfter({ inputs: [logs], out, workers: 1, ...settings }, FIVE_SOURCES)).toBe(false);
  expect(checkpointIn(folder)).toBeDefined();
  return { folder, logs, out, args: ['build', logs, '--out', out, '--workers', '1'] };
}
