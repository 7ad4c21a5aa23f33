/**
 * Reads and writes the checked-in results: bench/results/<section>.json, with every sample of every run. RESULTS.md is rendered from these
 * files alone, so every figure in it was measured.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import type { CorpusStats } from '../corpus/order.ts';
import type { Sample } from './measure.ts';
import { atRoot } from './repository.ts';

/** Median and extremes of some values. */
export interface Spread {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** Returns undefined without values. */
export const spreadOf = (values: readonly number[]): Spread | undefined => {
  const sorted = [...values].sort((a, b) => a - b);
  const low = sorted[0];
  const high = sorted[sorted.length - 1];
  const upper = sorted[sorted.length >> 1];
  const lower = sorted[(sorted.length - 1) >> 1];
  if (low === undefined || high === undefined || upper === undefined || lower === undefined) {
    return undefined;
  }
  return { median: (lower + upper) / 2, low, high };
};

/** Returns the spread of the ratios of runs in the same round, or undefined if there are none. */
export const pairedRatio = (values: readonly number[], references: readonly number[]): Spread | undefined => {
  const ratios: number[] = [];
  for (const [round, value] of values.entries()) {
    const reference = references[round];
    if (reference !== undefined && reference > 0) ratios.push(value / reference);
  }
  return spreadOf(ratios);
};

/** Where results are stored, and the page rendered from them. */
export interface ResultsPlace {
  readonly folder: string;
  readonly page: string;
}

/** Results of full runs; checked in. */
export const fullResults: ResultsPlace = { folder: 'bench/results', page: 'bench/RESULTS.md' };

/** Results of quick runs, which only check that everything works. */
export const quickResults: ResultsPlace = {
  folder: 'bench/out/quick',
  page: 'bench/out/quick/RESULTS.md',
};

/** Prefix of the sections measured by `bench aims`, which have only the contenders of the first table. */
export const AIMS_PREFIX = 'aims-';

/** The machine and the date of a measurement, without a host name. */
export interface Machine {
  readonly date: string;
  readonly cores: number;
  readonly cpu: string;
  readonly memoryBytes: number;
  readonly node: string;
}

export interface ContenderResult {
  readonly name: string;
  readonly label: string;
  readonly command: string;
  readonly status: 'measured' | 'not installed' | 'not built' | 'failed';
  readonly reason?: string;
  /** By round, only the finished ones: the n-th samples of two contenders were taken one after the other. */
  readonly samples: readonly Sample[];
}

/** The file of one section. */
export interface SectionResult {
  readonly type: 'section';
  readonly name: string;
  readonly machine: Machine;
  readonly corpus: CorpusStats;
  readonly runs: number;
  readonly reference: string;
  readonly contenders: readonly ContenderResult[];
}

/** Peak memory for one input. */
export interface MemoryRow {
  readonly kind: string;
  readonly via: 'directory' | 'stdin';
  readonly workers?: number;
  readonly command: string;
  readonly corpus: CorpusStats;
  readonly machine: Machine;
  readonly peakRssBytes: number;
  readonly wallSeconds: number;
  readonly cpuSeconds?: number;
  /** Load average of the minute before the run. A high load makes the run slower, but hardly changes its memory. */
  readonly load?: number;
}

/** The file memory.json. */
export interface MemoryResult {
  readonly type: 'memory';
  readonly rows: readonly MemoryRow[];
}

/** The counters of `--profile`, as medians of several runs. */
export interface ProfileRow {
  readonly kind: string;
  readonly command: string;
  readonly corpus: CorpusStats;
  readonly runs: number;
  /** Bytes of the shards. */
  readonly outputBytes: number;
  readonly seconds: Readonly<Record<string, number>>;
  readonly comparedShare: number;
}

/** The file profile.json. */
export interface ProfileResult {
  readonly type: 'profile';
  readonly machine: Machine;
  readonly rows: readonly ProfileRow[];
}

export interface MicroRow {
  readonly group: string;
  readonly name: string;
  /** Bytes handled by one run. */
  readonly bytes?: number;
  readonly items: number;
  readonly samples: number;
  /** Time of one run; `high` is the third quartile. */
  readonly milliseconds: Spread;
}

/** The file micro.json. */
export interface MicroResult {
  readonly type: 'micro';
  readonly machine: Machine;
  readonly rows: readonly MicroRow[];
}

/** One way of rebuilding the same dataset. */
export interface NightlyRow {
  readonly name: string;
  readonly label: string;
  readonly command: string;
  /** By round. */
  readonly samples: readonly Sample[];
}

/** The file nightly.json; the other rows are compared with the first one. */
export interface NightlyResult {
  readonly type: 'nightly';
  readonly machine: Machine;
  readonly corpus: CorpusStats;
  readonly rows: readonly NightlyRow[];
}

/** The runs on one corpus: samples by name of the run (`local`, `s3`, `download`), then by round. */
export interface S3Row {
  readonly name: string;
  readonly corpus: CorpusStats;
  readonly objects: number;
  readonly samples: Readonly<Record<string, readonly Sample[]>>;
}

/** The file s3.json. */
export interface S3Result {
  readonly type: 's3';
  readonly machine: Machine;
  readonly rows: readonly S3Row[];
}

/** CPU seconds of one round. */
export interface WarmRound {
  /** Builds in one process, in order. */
  readonly builds: readonly number[];
  /** The command, run as a separate process. */
  readonly whole: number;
  /** The Python script with orjson. */
  readonly script: number;
}

export interface WarmRow {
  readonly kind: string;
  readonly corpus: CorpusStats;
  readonly commands: readonly string[];
  readonly rounds: readonly WarmRound[];
}

/** The file warm.json. */
export interface WarmResult {
  readonly type: 'warm';
  readonly machine: Machine;
  readonly rows: readonly WarmRow[];
}

export type Result =
  | SectionResult
  | MemoryResult
  | ProfileResult
  | MicroResult
  | NightlyResult
  | S3Result
  | WarmResult;

export const describeMachine = (): Machine => ({
  date: new Date().toISOString().slice(0, 10),
  cores: availableParallelism(),
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  memoryBytes: totalmem(),
  node: process.version,
});

export const writeResult = (place: ResultsPlace, name: string, result: Result): void => {
  mkdirSync(atRoot(place.folder), { recursive: true });
  const path = atRoot(`${place.folder}/${name}.json`);
  writeFileSync(path, `${JSON.stringify(result, undefined, 2)}\n`);
  // The new results have every contender, so those of `bench aims` for the same corpus are obsolete.
  rmSync(atRoot(`${place.folder}/${AIMS_PREFIX}${name}.json`), { force: true });
};

export const readResults = ({ folder }: ResultsPlace): readonly Result[] => {
  mkdirSync(atRoot(folder), { recursive: true });
  return readdirSync(atRoot(folder))
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(readFileSync(atRoot(`${folder}/${name}`), 'utf8')));
};
