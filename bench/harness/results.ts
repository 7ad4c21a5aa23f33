/**
 * The results as they are checked in: bench/results/<section>.json with every sample of every run.
 * RESULTS.md is rendered from these files only, so it cannot hold a figure that was not measured.
 */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, cpus, totalmem } from 'node:os';
import type { CorpusStats } from '../corpus/generate.ts';
import type { Sample } from './measure.ts';
import { atRoot, resultsFolder } from './repository.ts';

/** Where and when it was measured; no host name. */
export interface Machine {
  readonly date: string;
  readonly cores: number;
  readonly cpu: string;
  readonly memoryBytes: number;
  readonly node: string;
}

/** One contender's runs; a round that it did not finish is not in `samples`. */
export interface ContenderResult {
  readonly name: string;
  readonly label: string;
  readonly command: string;
  readonly status: 'measured' | 'not installed' | 'not built' | 'failed';
  readonly reason?: string;
  /** By round, so that sample n of two contenders were taken one after the other. */
  readonly samples: readonly Sample[];
}

/** One section's file. */
export interface SectionResult {
  readonly type: 'section';
  readonly name: string;
  readonly machine: Machine;
  readonly corpus: CorpusStats;
  readonly runs: number;
  readonly reference: string;
  readonly contenders: readonly ContenderResult[];
}

/** Peak memory of one input. */
export interface MemoryRow {
  readonly kind: string;
  readonly via: 'directory' | 'stdin';
  readonly command: string;
  readonly corpus: CorpusStats;
  readonly machine: Machine;
  readonly peakRssBytes: number;
  readonly wallSeconds: number;
}

/** The file bench/results/memory.json. */
export interface MemoryResult {
  readonly type: 'memory';
  readonly rows: readonly MemoryRow[];
}

/** This machine, now. */
export const describeMachine = (): Machine => ({
  date: new Date().toISOString().slice(0, 10),
  cores: availableParallelism(),
  cpu: cpus()[0]?.model.trim() ?? 'unknown',
  memoryBytes: totalmem(),
  node: process.version,
});

/** Writes one results file. */
export const writeResult = (name: string, result: SectionResult | MemoryResult): void => {
  mkdirSync(atRoot(resultsFolder), { recursive: true });
  const path = atRoot(`${resultsFolder}/${name}.json`);
  writeFileSync(path, `${JSON.stringify(result, undefined, 2)}\n`);
};

/** Reads all results files. */
export const readResults = (): readonly (SectionResult | MemoryResult)[] => {
  mkdirSync(atRoot(resultsFolder), { recursive: true });
  return readdirSync(atRoot(resultsFolder))
    .filter((name) => name.endsWith('.json'))
    .sort()
    .map((name) => JSON.parse(readFileSync(atRoot(`${resultsFolder}/${name}`), 'utf8')));
};
