/** Logs for slices and merges, and what they are compared with: one build over all of them. */
import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { gzipSync } from 'node:zlib';
import { build } from '../../src/job/build.ts';
import { merge } from '../../src/job/merge.ts';
import type { RunSummary } from '../../src/job/run.ts';
import { DEFAULT_S3 } from '../../src/settings/s3-settings.ts';
import type { PartialSettings } from '../../src/settings/settings.ts';
import { entryLine } from './build-logs.ts';
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

/** A log of one session. */
export const sessionLog = (id: string, text = 'hello'): string =>
  `${entryLine({ id, messages: [{ role: 'user', content: text }] })}\n`;
