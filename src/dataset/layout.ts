/** Defines every path below a dataset folder. shard-name.ts names the shards by their group. */
import { join } from 'node:path';

/** Lists every other file except run.json, with its hash. It is written last, and makes a folder a dataset. */
export const MANIFEST = 'manifest.json';
/** Facts that differ from run to run: clock, host, paths, fingerprints. Not listed in the manifest. */
export const RUN_FACTS = 'run.json';
/** The card: says what the dataset is, and tells loaders which files are data. */
export const CARD = 'README.md';
/** Folder of the shards; with several formats, each has a subfolder, and each split one in it. */
export const DATA = 'data';

/** Files of JSON lines. schema/ has their line types. */
export const LINE_FILES = {
  sources: 'ledger/sources.jsonl',
  sessions: 'ledger/sessions.jsonl',
  quarantine: 'quarantine/rejected.jsonl',
  findings: 'reports/integrity.jsonl',
} as const;

/**
 * With `--copies drop` or `mark`, or `--split`: for each session that is written or contained, in the order of `sessions.jsonl`, the
 * number of its messages (u32, little-endian) and 16 bytes for each of them, the hash of all messages up to it. The last
 * bit of the 16 bytes is 1 for an answer.
 */
export const PATHS = 'ledger/paths.bin';

/** With `--redact`: where the names of secrets are. */
export const REDACTIONS = 'reports/redactions.jsonl';

/** Reports that are written in one piece at the end. */
export const REPORTS = {
  summary: 'reports/summary.json',
  toolUsage: 'reports/tool-usage.csv',
  /** The report as a page; `--no-report` omits it. */
  page: 'reports/index.html',
} as const;

/** Working files of a run in its staging folder; removed before the dataset is published. */
export const WORK = 'work';
export const WORK_FILES = {
  /** The checkpoint, encoded as a part. */
  checkpoint: 'work/checkpoint.part',
  /** One fingerprint per source, for run.json. */
  fingerprints: 'work/fingerprints.jsonl',
  /** The sources that the run intends to read. */
  listing: 'work/listing.jsonl',
  /** Sessions of a replay, until the places of all records are known. */
  sessions: 'work/sessions.jsonl',
  /** Results of a source that no longer fit in memory before its end. */
  held: 'work/held',
  /** Lines that are gathered by session and do not fit in memory; a worker adds its number. */
  gathered: 'work/gathered',
} as const;

export function manifestPath(folder: string): string {
  return join(folder, MANIFEST);
}

export function quarantinePath(folder: string): string {
  return join(folder, LINE_FILES.quarantine);
}
