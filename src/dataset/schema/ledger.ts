/** Types of the lines in `ledger/`: what became of each source and of each session. */

/** A count for each name, sorted by name unless the member says otherwise; names with a count of 0 are left out. */
export type Counts = Readonly<Record<string, number>>;

/** A line of `ledger/sources.jsonl`: one source, in the order of their names; those that were skipped come first. */
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
  /** Dialect in which it was read, if one recognised it. @example "claude-code" */
  readonly dialect?: string | undefined;
  /** Size of the file when it was opened; for a folder that is one source, the bytes that were read. @unit bytes @example 16623 */
  readonly size?: number | undefined;
  /** Compression: `none`, `gzip` or `zstd`. @example "none" */
  readonly compression?: 'none' | 'gzip' | 'zstd' | undefined;
  /** Breakdown of the bytes of a packed file. */
  readonly packed?: PackedLine | undefined;
  /** Bytes after decompression. @unit bytes @example 16623 */
  readonly bytes?: number | undefined;
  /** Breakdown of those bytes. The parts add up to `bytes`. */
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

/** Breakdown of the bytes of a packed source. */
export interface PackedLine {
  /** Gzip members or zstd frames. @example 1 */
  readonly members: number;
  /** Their size. @unit bytes @example 5021 */
  readonly member_bytes: number;
  /** NUL bytes between and after them. @unit bytes @example 0 */
  readonly padding_bytes: number;
  /** Bytes after the last member or frame that belong to neither. @unit bytes @example 0 */
  readonly trailing_bytes: number;
}

/** Breakdown of the bytes of a source. */
export interface ByteParts {
  /** Byte order mark. @unit bytes @example 0 */
  readonly bom: number;
  /** Content of lines. @unit bytes @example 16619 */
  readonly lines: number;
  /** Line ends. @unit bytes @example 4 */
  readonly terminators: number;
  /** Bytes that were read but not used: after a fault, or beyond a limit. @unit bytes @example 0 */
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
  /** Its fate: `written`, `contained` (with `--copies drop` or `mark`), `empty` or `rejected:REASON`. @example "written" */
  readonly fate: string;
  /** Shard of its record, if it has exactly one in one format. @example "data/2026-01-13-00000.jsonl" */
  readonly shard?: string | undefined;
  /** Number of that record in the shard. @unit from 1 @example 1 */
  readonly line?: number | undefined;
  /** Places of its records, if it has several or the run has several formats. */
  readonly records?: readonly RecordPlace[] | undefined;
  /** Formats that refused the session while another one wrote it. */
  readonly refused?: readonly RefusedFormat[] | undefined;
  /** Place of the record that contains this session, so that it has none. */
  readonly in?: ContainerPlace | undefined;
  /** With `--copies mark`: the first messages of its record that an earlier record has too, if there is an answer among them, so that these answers are not trained again. @unit messages @example 4 */
  readonly context?: number | undefined;
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
  /** Uuid of the first line with a message (`claude-code` only). A conversation of a later source that has it too is a copy (`copied-history`). @example "0c5b7f2a-4e11-4f7a-9a53-5f1c6a528d0e" */
  readonly root?: string | undefined;
  /** Model of the conversation, if the log names it: that of the last answer with one. @example "agent-large-2" */
  readonly model?: string | undefined;
  /** Messages of its record by role, in the order in which the roles first occur. Absent if the session has several records in the first format, or one without messages. @unit messages @example {"system":1,"user":2,"assistant":2} */
  readonly messages?: Counts | undefined;
  /** Calls in that record by tool, in the order in which the tools are first called; calls without a name are counted as `?`. @unit calls @example {"calendar__list_events":1} */
  readonly calls?: Counts | undefined;
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

/** Place of a record that contains a session; with several formats, the record in the first of them. */
export interface ContainerPlace {
  /** Path of its shard. @example "data/2026-01-13-00000.jsonl" */
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
