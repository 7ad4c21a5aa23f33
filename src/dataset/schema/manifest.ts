/** Types of the two files at the top of a dataset: `manifest.json` and `run.json`. */
import type { LedgerSums } from './reports.ts';

/** `manifest.json`: makes a folder a dataset. Nothing in it depends on clock, host or path. */
export interface Manifest {
  /** Version of these files. @example 1 */
  readonly schema: number;
  /** The program that wrote it. */
  readonly tool: ManifestTool;
  /** Every setting that decides the bytes of the dataset, by its name in the library; for a text that was read from a file, its SHA-256. @example {"format":["chat"]} */
  readonly settings: object;
  /** SHA-256 of the settings' JSON text. @unit hexadecimal @example "7c4ba94525c8…" */
  readonly settings_sha256: string;
  /** Set if the run read only a slice of its sources (`--slice`). */
  readonly slice?: ManifestSlice;
  /** Shards, sorted by path, bytewise. */
  readonly shards: readonly ManifestShard[];
  /** The card, and the files of ledger, quarantine and reports, sorted by path, bytewise. */
  readonly files: readonly ManifestFile[];
  /** The three main totals. */
  readonly totals: ManifestTotals;
  /** Sums, as in `reports/summary.json`. */
  readonly ledger: LedgerSums;
}

/** The size of a dataset in three numbers. */
export interface ManifestTotals {
  /** Records of all formats. @unit records @example 11 */
  readonly records: number;
  /** Lines that were read. @unit lines @example 66 */
  readonly lines: number;
  /** Sessions that were seen. @unit sessions @example 13 */
  readonly sessions: number;
}

/** The tool that wrote a dataset. */
export interface ManifestTool {
  /** Always `turnmill`. @example "turnmill" */
  readonly name: string;
  /** Its version. @example "0.1.0" */
  readonly version: string;
}

/** The slice of a dataset that was built with `--slice`. `turnmill merge` puts all slices of a listing together. */
export interface ManifestSlice {
  /** Number of the slice, from 1. @example 2 */
  readonly index: number;
  /** Number of slices. @unit slices @example 8 */
  readonly of: number;
  /** Sources of the whole listing, in all slices. @unit sources @example 300 */
  readonly sources: number;
  /** SHA-256 of the whole listing: the name, input and size of each source, and the names of skipped files. @unit hexadecimal @example "1f0b6c1be42a…" */
  readonly listing_sha256: string;
}

/** A shard. */
export interface ManifestShard {
  /** Path below the dataset's folder. @example "data/2026-01-13-00000.jsonl" */
  readonly path: string;
  /** Group of its records. @example "2026-01-13" */
  readonly group: string;
  /** Number of records. @unit records @example 6 */
  readonly records: number;
  /** Size of the file. @unit bytes @example 23991 */
  readonly bytes: number;
  /** SHA-256 of the file. @unit hexadecimal @example "cc0fd740364f…" */
  readonly sha256: string;
}

/** A file that is not a shard. */
export interface ManifestFile {
  /** Path below the dataset's folder. @example "ledger/sources.jsonl" */
  readonly path: string;
  /** Size of the file. @unit bytes @example 3685 */
  readonly bytes: number;
  /** SHA-256 of the file. @unit hexadecimal @example "664bcb128cd8…" */
  readonly sha256: string;
}

/** `run.json`: facts that differ from run to run. They do not affect the bytes of the dataset. */
export interface RunFacts {
  /** When the run began. @unit UTC @example "2026-11-22T21:23:33.636Z" */
  readonly started: string;
  /** Name of the machine. @example "build-7" */
  readonly host: string;
  /** Process id. @example 17179 */
  readonly pid: number;
  /** Version of Node. @example "v20.20.2" */
  readonly node: string;
  /** Duration of the run. @unit milliseconds @example 101.3 */
  readonly elapsed_ms: number;
  /** Threads that read sources. @unit threads @example 2 */
  readonly workers: number;
  /** Why there were that many. @example "as asked" */
  readonly workers_reason: string;
  /** Worker threads that died and were replaced. @unit threads @example 0 */
  readonly worker_restarts: number;
  /** The inputs as the user wrote them; for a stream its name. @example ["examples/logs"] */
  readonly inputs: readonly string[];
  /** The folder that the run was started in: relative inputs are below it. @example "/srv/agents" */
  readonly folder: string;
  /** Whether the run resumed from the checkpoint of a run that was stopped. @example false */
  readonly resumed: boolean;
  /** Sources that were not read again, because the results of a previous run were reused. @unit sources @example 0 */
  readonly reused_sources: number;
  /** Groups of sessions that the update put into another split than before (publish.md). @unit groups @example 2 */
  readonly split_moved?: number | undefined;
  /** Notes that could not be written to standard error. @unit notes @example 0 */
  readonly log_lost: number;
  /** Fingerprint of each source that was read, in the order of `sources.jsonl`, for `--update`: inode, size, mtime and ctime in nanoseconds, then a CRC-32 if the times do not settle it, or `::` and the SHA-256 of `--checksum`. Empty if the source has to be read again. @example ["9978156:16623:1795382048098749175:1795382048098749175"] */
  readonly proofs?: readonly string[];
}
