/** Types of every line and JSON file beside the shards, for writing and for reading back. */

/** A count for each name, sorted by name; names with a count of 0 are left out. */
export type Counts = Readonly<Record<string, number>>;

/** A line of `ledger/sources.jsonl`: one source, in the order of their names; those that were passed over come first. */
export interface SourceLine {
  /** Name of the source, relative to its input. @example "2026-01-13/calendar.jsonl" */
  readonly source: string;
  /** The name's bytes, if they are not valid UTF-8. @unit base64 @example "bG9n/w==" */
  readonly source_b64?: string | undefined;
  /** Index of the input that the source was found in, if there are several. @unit from 0 @example 1 */
  readonly input?: number | undefined;
  /** Its fate: `read`, `empty`, `rejected`, `limited` (the run's `--limit` was reached in it) or `skipped`. @example "read" */
  readonly status: 'read' | 'empty' | 'rejected' | 'limited' | 'skipped';
  /** Why it was rejected or skipped (rejections.md). @example "corrupt-gzip" */
  readonly reason?: string | undefined;
  /** The reason in words. @example "the data is damaged at byte 4096" */
  readonly detail?: string | undefined;
  /** Size of the file when it was opened; for a folder that is one source, the bytes that were read. @unit bytes @example 16623 */
  readonly size?: number | undefined;
  /** Compression: `none`, `gzip` or `zstd`. @example "none" */
  readonly compression?: 'none' | 'gzip' | 'zstd' | undefined;
  /** How the bytes of a packed file divide. */
  readonly packed?: PackedLine | undefined;
  /** Bytes after decompression. @unit bytes @example 16623 */
  readonly bytes?: number | undefined;
  /** How those bytes divide. The parts add up to `bytes`. */
  readonly parts?: ByteParts | undefined;
  /** Lines that the framing found. @unit lines @example 4 */
  readonly framed?: number | undefined;
  /** Lines with a fate; a physical line that holds several objects counts once for each. @unit lines @example 4 */
  readonly lines: number;
  /** Lines by fate. They add up to `lines`. @unit lines @example {"snapshot":1,"superseded":3} */
  readonly fates: Counts;
  /** Repairs of the source and of its lines. @unit times @example {"no-final-newline":1} */
  readonly repairs?: Counts | undefined;
}

/** How the bytes of a packed source divide. */
export interface PackedLine {
  /** Gzip members or zstd frames. @example 1 */
  readonly members: number;
  /** Their size. @unit bytes @example 5021 */
  readonly member_bytes: number;
  /** NUL bytes between and after them. @unit bytes @example 0 */
  readonly padding_bytes: number;
  /** Bytes that belong to neither. @unit bytes @example 0 */
  readonly trailing_bytes: number;
}

/** How the bytes of a source divide. */
export interface ByteParts {
  /** Byte order mark. @unit bytes @example 0 */
  readonly bom: number;
  /** Content of lines. @unit bytes @example 16619 */
  readonly lines: number;
  /** Line ends. @unit bytes @example 4 */
  readonly terminators: number;
  /** Bytes read but not used: after a fault, or beyond a limit. @unit bytes @example 0 */
  readonly rest: number;
}

/** A line of `ledger/sessions.jsonl`: one session, source by source. */
export interface SessionLine {
  /** Id of the session. @example "calendar-ja-1768347125908231000" */
  readonly id: string | null;
  /** Its source, as in `sources.jsonl`. @example "2026-01-13/calendar.jsonl" */
  readonly source: string;
  /** As in `sources.jsonl`. @unit base64 @example "bG9n/w==" */
  readonly source_b64?: string | undefined;
  /** As in `sources.jsonl`. @unit from 0 @example 1 */
  readonly input?: number | undefined;
  /** Its fate: `written`, `empty` or `rejected:REASON`. @example "written" */
  readonly fate: string;
  /** Shard of its record, if it has exactly one in one format. @example "data/2026-01-13-00000.jsonl" */
  readonly shard?: string | undefined;
  /** Number of that record in the shard. @unit from 1 @example 1 */
  readonly line?: number | undefined;
  /** Places of its records, if it has several or the run has several formats. */
  readonly records?: readonly RecordPlace[] | undefined;
  /** Formats that refused the session while another one wrote it. */
  readonly refused?: readonly RefusedFormat[] | undefined;
  /** Place of the entry that the conversation was taken from. */
  readonly origin?: LinePlace | undefined;
  /** Entries of the session. @unit entries @example 4 */
  readonly entries: number;
  /** Entries that a later one repeats. @unit entries @example 3 */
  readonly superseded: number;
  /** Entries after the chosen one that are shorter than it. @unit entries @example 0 */
  readonly truncated: number;
  /** Lines besides the origin that the conversation was folded from, if it was folded from events. @unit lines @example 61 */
  readonly folded?: number | undefined;
  /** Messages changed, by rule. @unit messages @example {"goose-info":1} */
  readonly changes: Counts;
  /** Tool definitions in its entries. */
  readonly tools: ToolCountsLine | null;
  /** Use of tools in the session; `reports/tool-usage.csv` adds these up. */
  readonly usage?: ToolUsageLine | undefined;
}

/** Place of a record. */
export interface RecordPlace {
  /** Format of the record. @example "trl" */
  readonly format: string;
  /** Path of its shard. @example "data/trl/2026-01-13-00000.jsonl" */
  readonly shard: string;
  /** Its number in the shard. @unit from 1 @example 1 */
  readonly line: number;
}

/** A format that refused a session. */
export interface RefusedFormat {
  /** Name of the format. @example "trl" */
  readonly format: string;
  /** Reason (rejections.md). @example "arguments-not-object" */
  readonly reason: string;
}

/** Place of an entry in its source. */
export interface LinePlace {
  /** Line number. @unit from 1 @example 4 */
  readonly line: number;
  /** First byte of the object, after decompression. @unit bytes @example 11701 */
  readonly offset: number;
  /** Length of the object. @unit bytes @example 4921 */
  readonly length: number;
}

/** Tool definitions of a session: `seen` = `kept` + `duplicateSame` + `duplicateConflict`. */
export interface ToolCountsLine {
  /** Definitions in all its entries. @unit definitions @example 12 */
  readonly seen: number;
  /** Definitions written into the record. @unit definitions @example 3 */
  readonly kept: number;
  /** Definitions dropped because they equal one that was kept. @unit definitions @example 9 */
  readonly duplicateSame: number;
  /** Definitions dropped because one of the same name with other content was kept. @unit definitions @example 0 */
  readonly duplicateConflict: number;
}

/** Use of tools in a conversation. */
export interface ToolUsageLine {
  /** Calls of tools. @unit calls @example 4 */
  readonly toolCalls: number;
  /** Names of the tools that the record defines. @example ["calendar__list_events"] */
  readonly definitions: readonly string[];
  /** Messages of the user. @unit messages @example 2 */
  readonly clientTurns: number;
  /** Turns of the assistant. @unit turns @example 2 */
  readonly assistantTurns: number;
  /** Turns of the assistant with at least one call. @unit turns @example 2 */
  readonly assistantTurnsWithTools: number;
}

/** A line of `quarantine/rejected.jsonl`: something that was rejected, and where its bytes are. */
export interface QuarantineLine {
  /** Version of this line type. @example 2 */
  readonly v: number;
  /** Kind of thing rejected: a `line`, an entry of a `session`, a `source`, or a `record` in one of several formats. @example "line" */
  readonly scope: 'line' | 'session' | 'source' | 'record';
  /** Reason, from the closed list (rejections.md). @example "invalid-json" */
  readonly reason: string;
  /** Stage that rejected it. @example "parse" */
  readonly stage: string;
  /** The source that it came from. */
  readonly source: QuarantineSource;
  /** Line number; absent for a source. @unit from 1 @example 4 */
  readonly line?: number | undefined;
  /** First byte in the source, after decompression. @unit bytes @example 8350 */
  readonly byte_start?: number | undefined;
  /** First byte after it. @unit bytes @example 11606 */
  readonly byte_end?: number | undefined;
  /** Gzip member that the line begins in. @unit from 1 @example 2 */
  readonly member?: number | undefined;
  /** Id of the session, if a session or a record was rejected. @example "build-watch-1768401720884000000" */
  readonly session_key?: string | null | undefined;
  /** Format that refused the session, if a record was rejected. @example "trl" */
  readonly format?: string | undefined;
  /** SHA-256 of the bytes, hexadecimal; null if they could not be read a second time. @example "a0abee3d5b89…" */
  readonly raw_sha256?: string | null | undefined;
  /** Where the source has the bytes, if they are not kept here. */
  readonly raw_ref?: ByteRange | undefined;
  /** The bytes, if they are kept (`--quarantine-content raw`, or a source that cannot be read twice). @unit base64 @example "eyJhIjo=" */
  readonly raw_b64?: string | undefined;
  /** The error. */
  readonly error: QuarantineError;
  /** Objects of the line that this record covers, including its own: on the last record of a line with more than 100. @unit objects @example 1901 */
  readonly count?: number | undefined;
  /** Those of them that have no record, by reason. @unit objects @example {"bad-timestamp":1900} */
  readonly rest?: Counts | undefined;
}

/** The source of a quarantine record. */
export interface QuarantineSource {
  /** Name of the source, as in `sources.jsonl`. @example "2026-01-13/invoice.jsonl" */
  readonly uri: string;
  /** The name's bytes, if they are not valid UTF-8. @unit base64 @example "bG9n/w==" */
  readonly uri_b64?: string | undefined;
  /** Index of the input, if there are several. @unit from 0 @example 1 */
  readonly input?: number | undefined;
  /** Size of the file when it was opened. @unit bytes @example 11606 */
  readonly size?: number | undefined;
}

/** A range of bytes of a source, after decompression. */
export interface ByteRange {
  /** First byte. @unit bytes @example 8350 */
  readonly offset: number;
  /** Number of bytes. @unit bytes @example 3256 */
  readonly length: number;
}

/** Description of an error. */
export interface QuarantineError {
  /** The reason, or the error of the operating system. @example "invalid-json" */
  readonly code: string;
  /** One sentence with the position, never content of the log. @example "not JSON at byte 3256 of the line (11606 of the source)" */
  readonly message: string;
  /** Offset of the error from the start of the line, if one byte is to blame. @unit bytes @example 3256 */
  readonly at?: number | undefined;
}

/** A line of `reports/integrity.jsonl`: a finding. Findings change nothing. */
export interface FindingLine {
  /** `ERROR` or `WARNING`. @example "ERROR" */
  readonly severity: 'ERROR' | 'WARNING';
  /** Rule of the check that reports it (rejections.md). @example "damaged-tail" */
  readonly rule: string;
  /** Id of the session. @example "invoice-export-1768302018250700000" */
  readonly session: string | null;
  /** As in `sources.jsonl`. @example "2026-01-13/invoice.jsonl" */
  readonly source: string;
  /** As in `sources.jsonl`. @unit base64 @example "bG9n/w==" */
  readonly source_b64?: string | undefined;
  /** As in `sources.jsonl`. @unit from 0 @example 1 */
  readonly input?: number | undefined;
  /** Line of the entry. @unit from 1 @example 5 */
  readonly entry: number;
  /** The text of the finding: positions and names, never content. @example "messages[2] and messages[3] have the same role" */
  readonly message: string;
  /** Findings of this rule in the session that are counted but not listed, because a session lists only its first 1,000. @unit findings @example 41 */
  readonly count?: number | undefined;
}

/** `reports/summary.json`: the sums of the ledger. */
export interface LedgerSums {
  /** Sources by status. @unit sources @example {"read":13} */
  readonly sources: Counts;
  /** Sources that were skipped, by reason. @unit sources @example {"symlink":1} */
  readonly skipped: Counts;
  /** Files that were skipped because of their names, by extension. @unit files @example {".csv":2} */
  readonly extensions: Counts;
  /** Lines by fate. They add up to `lines`. @unit lines @example {"snapshot":11,"superseded":40} */
  readonly fates: Counts;
  /** Repairs. @unit times @example {"crlf":8} */
  readonly repairs: Counts;
  /** `seen` = `written` + `rejected` + `empty`. @unit sessions @example {"seen":13,"written":11} */
  readonly sessions: Counts;
  /** Tool definitions: `seen` = `kept` + `duplicate-same` + `duplicate-conflict`. @unit definitions @example {"seen":12,"kept":12} */
  readonly tools: Counts;
  /** Messages changed, by rule. @unit messages @example {"null-fields":26} */
  readonly rewrites: Counts;
  /** Findings by rule. @unit findings @example {"role-sequence":2} */
  readonly findings: Counts;
  /** `read` = `bom` + `lines` + `terminators` + the bytes that were not used. @unit bytes @example {"read":213000} */
  readonly bytes: Counts;
  /** Number of lines. @unit lines @example 66 */
  readonly lines: number;
  /** Records of all formats. @unit records @example 21 */
  readonly records: number;
  /** By format: `records` (also when there are none), `sessions` where they are fewer, and `refused:REASON`. @unit records, sessions @example {"chat":{"records":11}} */
  readonly formats: Readonly<Record<string, Counts>>;
  /** Findings of severity ERROR. @unit findings @example 5 */
  readonly errors: number;
  /** Findings of severity WARNING. @unit findings @example 6 */
  readonly warnings: number;
  /** The counts that `reports/index.html` shows; in `reports/summary.json` only. */
  readonly profile?: DatasetProfile | undefined;
}

/** Counts for the report, in bounded lists. They depend on the input alone. */
export interface DatasetProfile {
  /** Rejections by reason: the 24 most frequent reasons. */
  readonly rejections: readonly RejectionProfile[];
  /** Findings by rule and severity: the 24 most frequent pairs. */
  readonly findings: readonly FindingProfile[];
  /** Counts of the records. */
  readonly records: RecordsProfile;
  /** Sessions by group: the last 60 days, or the 60 largest groups. */
  readonly groups: readonly GroupProfile[];
  /** Number of groups. @unit groups @example 2 */
  readonly group_count: number;
  /** Sources: the 25 with the most rejected lines. */
  readonly sources: readonly SourceProfile[];
}

/** Rejections for one reason. */
export interface RejectionProfile {
  /** The reason (rejections.md). @example "invalid-json" */
  readonly reason: string;
  /** Lines, sources and records that were rejected for it. @example 4 */
  readonly count: number;
  /** The first five rejections. */
  readonly examples: readonly RejectionExample[];
}

/** One line of the quarantine. */
export interface RejectionExample {
  /** As in `sources.jsonl`; the middle of a long name is cut out. @example "2026-01-13/invoice.jsonl" */
  readonly source: string;
  /** Line number; absent for a source. @unit from 1 @example 4 */
  readonly line?: number | undefined;
  /** First byte in the source, after decompression. @unit bytes @example 8350 */
  readonly byte_start?: number | undefined;
  /** First byte after it. @unit bytes @example 11606 */
  readonly byte_end?: number | undefined;
  /** Description of the error. @example "not JSON at byte 3256 of the line (11606 of the source)" */
  readonly message: string;
}

/** Findings of one rule and severity. */
export interface FindingProfile {
  /** Rule of the check (rejections.md). @example "damaged-tail" */
  readonly rule: string;
  /** `ERROR` or `WARNING`. @example "ERROR" */
  readonly severity: 'ERROR' | 'WARNING';
  /** Number of findings. @unit findings @example 2 */
  readonly count: number;
  /** The first five findings. */
  readonly examples: readonly FindingExample[];
}

/** One finding. */
export interface FindingExample {
  /** As in `sources.jsonl`; the middle of a long name is cut out. @example "2026-01-13/invoice.jsonl" */
  readonly source: string;
  /** Line of the entry. @unit from 1 @example 5 */
  readonly line: number;
  /** The text of the finding. @example "messages[2] and messages[3] have the same role" */
  readonly message: string;
}

/** Counts of the records. Messages, roles and calls are those of the first format of the run, if its records list messages. */
export interface RecordsProfile {
  /** Number of messages. @unit messages @example 117 */
  readonly messages: number;
  /** Number of calls of tools. @unit calls @example 45 */
  readonly calls: number;
  /** Records by their number of messages; each bin is named by its lower end. @unit records @example {"7":1,"8":2} */
  readonly by_messages: Counts;
  /** Records of all formats by their size in bytes; each bin is named by its lower end. @unit records @example {"2560":3} */
  readonly by_bytes: Counts;
  /** Records by their number of calls; each bin is named by its lower end. @unit records @example {"3":4} */
  readonly by_calls: Counts;
  /** Messages by role. After the first 31 roles, further ones are `other`. @unit messages @example {"user":17} */
  readonly roles: Counts;
  /** Calls by tool: the 20 most frequent. @unit calls @example {"read":4} */
  readonly tools: Counts;
  /** Number of different tools that are called; those after the first 10,000 count as one. @unit tools @example 32 */
  readonly tool_count: number;
}

/** The sessions of a group. */
export interface GroupProfile {
  /** Name of the group; a session without a record is counted by the folder of its source. @example "2026-01-13" */
  readonly group: string;
  /** Sessions with a record. @unit sessions @example 6 */
  readonly written: number;
  /** Sessions without a record. @unit sessions @example 1 */
  readonly empty: number;
  /** Sessions that were rejected. @unit sessions @example 1 */
  readonly rejected: number;
}

/** Fates of the lines of a source. */
export interface SourceProfile {
  /** As in `sources.jsonl`; the middle of a long name is cut out. @example "2026-01-13/invoice.jsonl" */
  readonly source: string;
  /** Number of lines, as in `sources.jsonl`. @unit lines @example 4 */
  readonly lines: number;
  /** Size, as in `sources.jsonl`. @unit bytes @example 16623 */
  readonly size: number;
  /** Lines by fate, with all rejections as `rejected` and all drops as `dropped`. @unit lines @example {"snapshot":1} */
  readonly fates: Counts;
}

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
  /** Shards, sorted by path, bytewise. */
  readonly shards: readonly ManifestShard[];
  /** Files of ledger, quarantine and reports, sorted by path, bytewise. */
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

/** `run.json`: what differs from run to run. It does not affect the bytes of the dataset. */
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
  /** Worker threads that died and were replaced. @unit threads @example 0 */
  readonly worker_restarts: number;
  /** The inputs as the user wrote them; for a stream its name. @example ["examples/logs"] */
  readonly inputs: readonly string[];
  /** Whether the run resumed from the checkpoint of a run that was stopped. @example false */
  readonly resumed: boolean;
  /** Sources that were not read again, because the results of a previous run were reused. @unit sources @example 0 */
  readonly reused_sources: number;
  /** Notes that could not be written to standard error. @unit notes @example 0 */
  readonly log_lost: number;
  /** Fingerprint of each source that was read, in the order of `sources.jsonl`, for `--update`: inode, size, mtime and ctime in nanoseconds, then a CRC-32 if the times do not settle it, or `::` and the SHA-256 of `--checksum`. Empty if the source has to be read again. @example ["9978156:16623:1795382048098749175:1795382048098749175"] */
  readonly proofs?: readonly string[];
}
