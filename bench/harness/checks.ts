/**
 * Checks the work of a contender: its records, counts or lines against the statistics of the corpus. A contender that fails is reported as
 * failed and never timed.
 */
import { readdirSync, readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';
import type { CachedCorpus } from './cached-corpus.ts';
import type { FinishedRun } from './measure.ts';
import { atRoot } from './repository.ts';

/** Returns the problem, if any. `out` is the contender's output folder. */
export type Check = (finished: FinishedRun, corpus: CachedCorpus, out: string) => string | undefined;

const newline = 10;

const countLines = (bytes: Buffer): number => {
  let lines = 0;
  for (let at = bytes.indexOf(newline); at !== -1; at = bytes.indexOf(newline, at + 1)) lines++;
  return lines;
};

const differs = (what: string, found: number, wanted: number): string | undefined =>
  found === wanted ? undefined : `${found} ${what}, expected ${wanted}`;

/** The output file has one line per session. */
export const recordsInFile: Check = (_finished, { stats }, out) =>
  differs('records', countLines(readFileSync(atRoot(out))), stats.sessions);

/** The shards in OUT/data have one line per session and format. */
export const recordsOfFormats =
  (formats: number): Check =>
  (_finished, { stats }, out) =>
    differs('records', linesInShards(out), stats.sessions * formats);

/** The shards in OUT/data have one line per session. */
export const recordsInShards: Check = recordsOfFormats(1);

const linesInShards = (out: string): number => {
  let records = 0;
  for (const name of readdirSync(atRoot(`${out}/data`), { recursive: true, encoding: 'utf8' })) {
    if (!/\.jsonl(\.gz)?$/.test(name)) continue;
    const bytes = readFileSync(atRoot(`${out}/data/${name}`));
    records += countLines(name.endsWith('.gz') ? gunzipSync(bytes) : bytes);
  }
  return records;
};

/** The counts printed as JSON match; for a file with many sessions only the number of entries is compared. */
export const printedCounts: Check = ({ stdout }, { stats }) => {
  const counts = JSON.parse(stdout) as Readonly<Record<string, number>>;
  const names =
    stats.kind === 'growth' ? (['entries'] as const) : (['entries', 'sessions', 'longestHistories'] as const);
  for (const name of names) {
    const difference = differs(name, counts[name] ?? -1, stats[name]);
    if (difference !== undefined) return difference;
  }
  return undefined;
};

/** The first printed number is the number of entries. */
export const printedLines: Check = ({ stdout }, { stats }) =>
  differs('lines', Number.parseInt(stdout, 10), stats.entries);

/** Checks nothing beyond the exit status. */
export const exitStatusOnly: Check = () => undefined;
