/** Every path below a dataset folder, once. Shards are named by their group (shard-name.ts). */
import { join } from 'node:path';

/** Lists and signs every other file but run.json; written last. A folder with one is a dataset. */
export const MANIFEST = 'manifest.json';
/** Facts that differ from run to run: clock, host, paths, fingerprints. Not in the manifest. */
export const RUN_FACTS = 'run.json';
/** The folder of the shards; with several formats each has a folder in it. */
export const DATA = 'data';

/** Files of JSON lines. Their line types are in schema.ts. */
export const LINE_FILES = {
  sources: 'ledger/sources.jsonl',
  sessions: 'ledger/sessions.jsonl',
  quarantine: 'quarantine/rejected.jsonl',
  findings: 'reports/integrity.jsonl',
} as const;

/** Reports that are written whole, at the end. */
export const REPORTS = {
  summary: 'reports/summary.json',
  toolUsage: 'reports/tool-usage.csv',
  /** The report as a page; left out with `--no-report`. */
  page: 'reports/index.html',
} as const;

/** Files that a run keeps for itself in its staging folder while it works; removed before the dataset is published. */
export const WORK = 'work';
export const WORK_FILES = {
  /** A part. */
  checkpoint: 'work/checkpoint.part',
  /** One fingerprint per source, for run.json. */
  fingerprints: 'work/fingerprints.jsonl',
  /** The sources that the run was to read. */
  listing: 'work/listing.jsonl',
  /** Results of a source that do not fit in memory before its end. */
  held: 'work/held',
} as const;

export function manifestPath(folder: string): string {
  return join(folder, MANIFEST);
}

export function quarantinePath(folder: string): string {
  return join(folder, LINE_FILES.quarantine);
}
