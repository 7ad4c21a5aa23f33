/** Logs for slices and merges, and what they are compared with: one build over all of them. */
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect } from 'vitest';
import { build } from '../../src/job/build.ts';
import { merge } from '../../src/job/merge.ts';
import type { RunSummary } from '../../src/job/run.ts';
import { DEFAULT_S3 } from '../../src/settings/s3-settings.ts';
import type { PartialSettings } from '../../src/settings/settings.ts';
import { sessionLog } from './build-logs.ts';
import type { Ended } from './command.ts';
import { turnmillHere } from './command-here.ts';
import { temporaryFolder } from './folder.ts';
import { writeOddLogs } from './odd-logs/write-odd-logs.ts';
import { packedLog } from './packed-logs.ts';
import { sessionLines } from './plain-logs.ts';

export const EXAMPLES: string = resolve(import.meta.dirname, '../../examples');

/** About `count` sources of all kinds: plain, gzip, broken, empty, documents, and files that are not read. */
export function writeMixedLogs(root: string, seed: number, count: number): void {
  const put = (path: string, bytes: Buffer | string): void => {
    mkdirSync(join(root, path, '..'), { recursive: true });
    writeFileSync(join(root, path), bytes);
  };
  writeOddLogs(join(root, 'odd'), seed, { manySessions: 0.3, tally: new Map() });
  cpSync(join(EXAMPLES, 'dialects'), join(root, 'dialects'), { recursive: true });
  for (let n = 0; n < count; n++) {
    const folder = `${String.fromCharCode(97 + (n % 7))}/2026-01-${10 + (n % 5)}`;
    const lines = sessionLines(`job-${n % 40}`, {
      entries: 1 + (n % 4),
      messageChars: 80,
      seed: seed * 1000 + n,
    });
    const log = `${lines.join('\n')}\n`;
    const packed = gzipSync(log);
    if (n % 6 === 0) put(`${folder}/many-${n}.jsonl`, packedLog(seed * 1000 + n));
    else if (n % 6 === 1) put(`${folder}/packed-${n}.jsonl.gz`, packed);
    else if (n % 18 === 2) put(`${folder}/cut-${n}.jsonl.gz`, packed.subarray(0, packed.length - 9));
    else if (n % 18 === 3) put(`${folder}/empty-${n}.jsonl`, '');
    else if (n % 18 === 4) put(`${folder}/broken-${n}.jsonl`, `${log}{"oops\n${'y'.repeat(300)}\n`);
    else if (n % 18 === 5) put(`${folder}/notes-${n}.txt`, 'not a log');
    else if (n % 18 === 8) put(`${folder}/unknown-${n}.json`, JSON.stringify({ some: ['document', n] }));
    else put(`${folder}/plain-${n}.jsonl`, log);
  }
}

export type SharedSettings = Omit<PartialSettings, 'inputs'>;

/** Builds each slice. @returns the folders, in order */
export async function buildSlices(
  inputs: readonly string[],
  folder: string,
  of: number,
  settings: SharedSettings = {},
): Promise<string[]> {
  const parts: string[] = [];
  for (let index = 1; index <= of; index++) {
    const out = join(folder, `part-${index}`);
    await build({ inputs, workers: 1, ...settings, out, slice: { index, of } });
    parts.push(out);
  }
  return parts;
}

export function mergeAll(datasets: readonly string[], out: string): Promise<RunSummary> {
  return merge({ datasets, out, replace: false, allowEmpty: false, mode: undefined, s3: DEFAULT_S3 });
}

export interface Place {
  readonly folder: string;
  readonly logs: string;
  readonly out: string;
  path(name: string): string;
}

/** A folder with six logs of one session each. */
export function place(): Place {
  const folder = temporaryFolder();
  const logs = join(folder, 'logs');
  mkdirSync(logs);
  for (const id of 'abcdef') writeFileSync(join(logs, `${id}.jsonl`), sessionLog(id));
  return { folder, logs, out: join(folder, 'out'), path: (name) => join(folder, name) };
}

export interface Sliced extends Place {
  readonly parts: readonly string[];
}

/** The same, with a dataset of each slice. */
export async function sliced(of = 3, settings: SharedSettings = {}): Promise<Sliced> {
  const where = place();
  return { ...where, parts: await buildSlices([where.logs], where.folder, of, settings) };
}

export const mergeByCommand = (
  parts: readonly string[],
  out: string,
  ...more: readonly string[]
): Promise<Ended> => turnmillHere(['merge', ...parts, '--out', out, ...more]);

/** Expects a refusal that leaves no dataset. */
export async function expectRefused(
  ended: Promise<Ended>,
  status: number,
  text: string,
  out: string,
): Promise<void> {
  const found = await ended;
  expect([found.status, found.stderr]).toEqual([status, expect.stringContaining(text)]);
  expect(existsSync(out)).toBe(false);
}

// biome-ignore lint/suspicious/noExplicitAny: whatever the manifest has
export const manifestOf = (dataset: string): any =>
  JSON.parse(readFileSync(join(dataset, 'manifest.json'), 'utf8'));
