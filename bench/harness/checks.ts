/**
 * Checks the output of a contender by comparing its records, counts or lines with the statistics of the corpus. A contender that fails is
 * reported as failed and not timed.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { CachedCorpus } from './cached-corpus.ts';
import type { FinishedRun } from './measure.ts';
import { atRoot } from './repository.ts';

/** Returns a description of the problem, or undefined. `out` is the contender's output folder. */
export type Check = (finished: FinishedRun, corpus: CachedCorpus, out: string) => string | undefined;

const newline = 10;

const countLines = (bytes: Buffer): number => {
  let lines = 0;
  for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) lines++;
  return lines;
};

const compareCounts = (unit: string, actual: number, expected: number): string | undefined =>
  actual === expected ? undefined : `${actual} ${unit}, expected ${expected}`;

/** Expects one line per session in the output file. */
export const recordsInFile: Check = (_finished, { stats }, out) =>
  compareCounts('records', countLines(readFileSync(atRoot(out))), stats.sessions);

/** Expects one line per session and format in the shards of OUT/data. */
export const recordsOfFormats =
  (formats: number): Check =>
  (_finished, { stats }, out) =>
    compareCounts('records', linesInShards(out), stats.sessions * formats);

/** Expects one line per session in the shards of OUT/data. */
export const recordsInShards: Check = recordsOfFormats(1);

/** Expects more records than sessions in the shards of OUT/data. */
export const moreRecords: Check = (_finished, { stats }, out) => {
  const records = linesInShards(out);
  return records > stats.sessions ? undefined : `${records} records of ${stats.sessions} sessions`;
};

const linesInShards = (out: string): number => {
  let records = 0;
  for (const name of readdirSync(atRoot(`${out}/data`), { recursive: true, encoding: 'utf8' })) {
    if (!/\.jsonl(\.gz)?$/.test(name)) continue;
    const bytes = readFileSync(atRoot(`${out}/data/${name}`));
    records += countLines(name.endsWith('.gz') ? gunzipSync(bytes) : bytes);
  }
  return records;
};

/** Compares the counts printed as JSON. For a file with many sessions, only the number of entries. */
export const printedCounts: Check = ({ stdout }, { stats }) => {
  const counts = JSON.parse(stdout) as Readonly<Record<string, number>>;
  const names =
    stats.kind === 'growth' ? (['entries'] as const) : (['entries', 'sessions', 'longestHistories'] as const);
  for (const name of names) {
    const difference = compareCounts(name, counts[name] ?? -1, stats[name]);
    if (difference !== undefined) return difference;
  }
  return undefined;
};

/** Expects the first printed number to be the number of entries. */
export const printedLines: Check = ({ stdout }, { stats }) =>
  compareCounts('lines', Number.parseInt(stdout, 10), stats.entries);

/** Checks nothing beyond the exit status. */
export const exitStatusOnly: Check = () => undefined;
