/** Types of the files in `reports/`: findings, and the sums and counts that the report shows. */
import type { Counts } from './ledger.ts';

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
  /** `true` if it compares the source with earlier ones (`copied-history`): an update decides it again. @example true */
  readonly across_sources?: true | undefined;
}

/** A line of `reports/redactions.jsonl`: a name that `--redact` wrote instead of a value. */
export interface RedactionLine {
  /** Shard of the record. @example "data/2026-01-13-00000.jsonl" */
  readonly shard: string;
  /** Number of the record in its shard. @unit from 1 @example 3 */
  readonly line: number;
  /** Rule that found the value (publish.md). @example "github-token" */
  readonly rule: string;
  /** First byte of the name in the record. @unit bytes @example 214 */
  readonly start: number;
  /** First byte after it. @unit bytes @example 240 */
  readonly end: number;
  /** The name: the same for all places of the value. @example "<GITHUB_TOKEN:K7Q2M4XN3A>" */
  readonly placeholder: string;
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
  /** `seen` = `written` + `contained` + `rejected` + `empty`. @unit sessions @example {"seen":13,"written":11} */
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
  /** By format: `records` (also when there are none), `sessions` where they are fewer, `contained` (sessions that lie inside another record), `refused:REASON`, and `consumer:RULE` (records that the usual consumer of the format refuses, formats.md). With `--copies mark` also `answers` = `context` (answers that are trained in an earlier record) + `trained`. @unit records, sessions, answers @example {"chat":{"records":11}} */
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
  /** Sessions that are a further branch of a session before them (`ID#2`, `ID#3`, ...), if there are any. @unit sessions @example 3 */
  readonly branches?: number | undefined;
  /** Sources by the dialect in which they were read; `other` for those of further ones. @unit sources @example {"claude-code":24,"codex":2} */
  readonly dialects: Counts;
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
  /** Size of the records in the first format of the run. @unit bytes @example 42770 */
  readonly bytes: number;
  /** Characters in them. @unit characters @example 42102 */
  readonly characters: number;
  /** Size of the longest one. @unit bytes @example 8912 */
  readonly longest: number;
  /** Records in that format that equal an earlier one byte for byte (by length and CRC-32), if there are any. @unit records @example 2 */
  readonly repeated?: number | undefined;
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
  /** Conversations that were written by model, the 20 most frequent ones, if the logs name it. @unit sessions @example {"agent-large-2":11} */
  readonly models?: Counts | undefined;
  /** Number of different models; those after the first 10,000 count as one. @unit models @example 1 */
  readonly model_count?: number | undefined;
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
  /** Sessions that lie inside a record of another one, if there are any. @unit sessions @example 2 */
  readonly contained?: number | undefined;
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
