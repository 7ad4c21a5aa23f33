/**
 * The data type that passes between stages: everything is an element, including bad data. A
 * message is its bytes: unless a rule changes it, it is written exactly as it was logged.
 */
import type { Meta } from './meta.ts';
import type { LineReason } from './reasons.ts';

/** Where an element came from: enough to find the exact bytes in the log again. */
export interface Origin {
  /** Path of the source below its input, with `/` between folders; `-` for standard input. */
  readonly source: string;
  /** Line number, from 1; in a JSON document, the number of the element. */
  readonly line: number;
  /** Offset of the first byte in the decompressed source. */
  readonly offset: number;
  /** Length in bytes, without the line's terminator. */
  readonly length: number;
}

/** One message of a conversation: the JSON text of an object that has a string `role`. */
export interface Message {
  /** The JSON text, UTF-8, one line, without white space around it. */
  readonly bytes: Uint8Array;
  /** The value of `role`; `''` for a reply without one, until `settleReply` sets it. */
  readonly role: string;
  /** Set if the log has encrypted reasoning for it; `kept` with `--reasoning keep-sealed`. */
  readonly sealed?: 'dropped' | 'kept';
  /** Findings of its dialect, about this message or its conversation. */
  readonly notes?: readonly ReadingNote[];
  /** The texts that its content joins, as JSON, if one of them may be of the client. */
  readonly joined?: readonly Uint8Array[];
}

/** A finding of a dialect about the log, such as something that it could not convert exactly. */
export type ReadingNote = Pick<Finding, 'severity' | 'rule' | 'message'>;

/** One tool definition: the object under `function` if there is one, else the whole object. */
export interface ToolDefinition {
  /** The JSON text for a record. */
  readonly bytes: Uint8Array;
  /** `function.name`, else `name`; undefined if neither is a non-empty string. */
  readonly name: string | undefined;
}

/** Number of messages that each named rule changed or dropped, for the ledger. */
export type Changes = ReadonlyMap<string, number>;

/** One line of a log, not yet read. */
export interface Line {
  readonly kind: 'line';
  readonly origin: Origin;
  /** The bytes without the line's terminator; valid until the handler that received them returns. */
  readonly bytes: Uint8Array;
  /** Set if the framing created the bytes: they then differ from those at the origin. */
  readonly created?: CreatedLine;
  /** Set for the first element of a top-level array that follows another one. Each array is a separate log. */
  readonly beginsList?: true;
  /** Set for the last line of a source if it has no terminator: its rest may still be written. */
  readonly isOpen?: true;
}

/**
 * Set for a line whose bytes the framing created: a sample of a deck, or the head of a document whose conversations are
 * read one by one.
 */
export interface CreatedLine {
  /** The bytes of the source at the origin. */
  readonly raw: Uint8Array;
  /** The dialect of the created bytes, unless the user names one; recognised as usual if absent. */
  readonly dialect?: string;
}

/** One model call, or a whole conversation that a dialect folded from events. */
export interface Entry {
  readonly kind: 'entry';
  readonly origin: Origin;
  readonly sessionId: string;
  /** Set if the entry is a session by itself, regardless of `--session-by`. */
  readonly alone?: true;
  /** The places of all lines from which the entry was folded. Together with `alone` or with `isGathered`. */
  readonly lines?: EntryLog;
  /**
   * Id of the first line with a message of the conversation (Claude Code: its uuid). Copies of the conversation in other
   * logs have it too.
   */
  readonly root?: string;
  /** Set if the other lines are calls that this one continues. */
  readonly isGathered?: true;
  /** Why the session is rejected: for a reason of sessions, or of one of its lines. The entry then has no messages. */
  readonly refused?: {
    readonly reason:
      | 'conversation-too-long'
      | 'too-many-branches'
      | 'context-missing'
      | 'session-reopened'
      | LineReason;
    readonly detail: string;
  };
  /** Nanoseconds since 1970-01-01T00:00:00Z; undefined if the log has none: the order of the source then counts. */
  readonly timestamp: bigint | undefined;
  readonly messages: readonly Message[];
  /** Number of its messages, with the answer, if it lists only some of them, because it has more than `--max-messages`. */
  readonly length?: number;
  readonly tools: readonly ToolDefinition[];
  /** The model's answer to these messages, if the entry has one. */
  readonly reply: Message | undefined;
  /** Set if the log has an empty reply, which was left out. */
  readonly emptyReply?: true;
  /** Repairs that were needed to read the entry. */
  readonly repairs?: readonly RepairName[];
  /** Names the things that logs of its dialect never have. */
  readonly lacks?: readonly Lack[];
  /** Cleanup rules for texts that the client of its dialect adds; `--cleanup auto` applies them. */
  readonly clientRules?: readonly string[];
  /** For a grader's sample: its members besides the messages (`expected`, `tags`, ...) as JSON text, in order. */
  readonly sample?: ReadonlyMap<string, Uint8Array>;
  /** Metadata under a closed list of names. */
  readonly meta?: Meta;
  /** Changes that the dialect and cleanup made to `messages`. */
  readonly changes: Changes;
}

/** Members that all entries of a dialect share. */
export type EntryTraits = Pick<Entry, 'lacks' | 'clientRules'>;

/**
 * Something that a dialect's logs never have, so that no finding reports it as missing. `marks`: those with which loggers
 * of model calls cut texts; a client's own log may quote them.
 */
export type Lack = 'replies' | 'tools' | 'last-result' | 'marks';

/** A conversation of a session, in canonical form; it becomes a record. */
export interface Conversation {
  readonly kind: 'conversation';
  /** Place of the snapshot. */
  readonly origin: Origin;
  readonly sessionId: string;
  /** Time of the session's first valid entry that has one, in nanoseconds since 1970. */
  readonly startedAt: bigint | undefined;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  /** Members of the snapshot besides its messages. */
  readonly sample?: ReadonlyMap<string, Uint8Array>;
  /** Metadata of the snapshot. */
  readonly meta?: Meta;
  /** As in the snapshot's entry. */
  readonly lacks?: readonly Lack[];
  /** Number of entries that the snapshot replaces, because it repeats them. */
  readonly superseded: number;
  /** Number of shorter entries after the snapshot. */
  readonly truncated: number;
  /** Number of other lines from which it was folded; undefined if it came from one line. */
  readonly folded?: number;
  /** As in the snapshot's entry. */
  readonly root?: string;
  readonly changes: Changes;
  /** Counts of the tool definitions that were kept and dropped. */
  readonly toolCounts: ToolCounts;
}

export interface ToolCounts {
  /** Definitions seen in the validated entries up to and including the snapshot. */
  readonly seen: number;
  readonly kept: number;
  /** Dropped, because an earlier one has the same name and the same bytes. */
  readonly duplicateSame: number;
  /** Dropped, because an earlier one has the same name but other bytes. */
  readonly duplicateConflict: number;
}

/** One line of the dataset. */
export interface WrittenRecord {
  readonly kind: 'record';
  readonly origin: Origin;
  readonly sessionId: string;
  /** Name of the group of shards that it is written to. */
  readonly group: string;
  /** Name of the format that wrote it. */
  readonly format: string;
  /** The record's JSON text, without a newline. */
  readonly bytes: Uint8Array;
  /** The conversation before the format encoded it. */
  readonly conversation: Conversation;
  /** The messages as written in the record. */
  readonly written: readonly Message[];
}

/** Something that was rejected, and why. */
export interface Rejection {
  readonly kind: 'rejection';
  /** `record`: one format rejects a session that another format writes. */
  readonly scope: 'line' | 'session' | 'source' | 'record';
  readonly stage: string;
  readonly reason: string;
  /** A message with positions and names, never content. */
  readonly detail: string;
  /** Index of the offending byte in the line, if there is one. */
  readonly at?: number;
  readonly origin: Origin;
  readonly sessionId?: string | undefined;
  /** Name of the format, if `scope` is `record`. */
  readonly format?: string;
  /** If `scope` is `line`: the bytes of the line, valid until the handler returns. */
  readonly bytes?: Uint8Array;
  /** SHA-256 of the line in hexadecimal, if the line was too long to be held in memory. */
  readonly sha256?: string;
}

/** The fate of a line that is neither rejected nor an entry of a session. */
export interface Fate {
  readonly kind: 'fate';
  readonly fate: 'blank' | `dropped:${string}`;
  readonly origin: Origin;
  /**
   * Set if the dialect does not know the object's form, so that its texts do not count as read: its keys if it carries
   * content, else none.
   */
  readonly unread?: readonly string[];
  readonly sessionId?: string;
  readonly timestamp?: bigint | undefined;
}

/** Why a line is not part of a conversation; undefined if it is. */
export type LineFate = Fate | Rejection | undefined;

/**
 * `reply-role`: a reply without a role got the role assistant. `time-prefix`: a time before the object is left out.
 * `nul-prefix`: so are NULs. `bom-prefix`: so is a byte order mark. `text-prefix`: so is a text before a document. `torn-prefix`: an object after a torn one on the same line is read.
 */
export type RepairName =
  | 'split-objects'
  | 'json-document'
  | 'reply-role'
  | 'bare-nan'
  | 'time-prefix'
  | 'nul-prefix'
  | 'bom-prefix'
  | 'text-prefix'
  | 'torn-prefix';

/** A repair that was needed to read a line. Repairs are counted. */
export interface Repair {
  readonly kind: 'repair';
  readonly repair: RepairName;
  readonly origin: Origin;
  /**
   * `split-objects`: number of objects in the line besides the first. 1 for other repairs: a line with NaN or Infinity
   * in values that are not read, a source that is a document although its name ends like that of a file of lines, a
   * reply.
   */
  readonly count: number;
}

export type Severity = 'ERROR' | 'WARNING';

/** Something that a check, a dialect or a format reports. It never stops the run. */
export interface Finding {
  readonly kind: 'finding';
  readonly severity: Severity;
  readonly rule: string;
  readonly sessionId: string | undefined;
  readonly origin: Origin;
  readonly message: string;
}

/** The end of a session, which consists of all elements since the previous end. */
export interface SessionEnd {
  readonly kind: 'session-end';
  /** Where the session ended: the last line of the source and the offset after it, or the place of the next session; length 0. */
  readonly origin: Origin;
  /** Whether it is also the end of the source. */
  readonly last: boolean;
  /** Set by parse at the end of a source: its dialect; undefined if no dialect recognised the source. */
  readonly dialect?: string | undefined;
  /** Set by validate: the session's id, and the places of its entries. */
  readonly sessionId?: string | undefined;
  readonly entries?: EntryLog | undefined;
  /** Set by validate if the session is a single entry with `alone`. */
  readonly alone?: true;
  /** Set by validate if that entry was folded from events. */
  readonly isFolded?: true | undefined;
  /** Set by snapshot-select: the fate of the session. */
  readonly fate?: SessionFate;
  /** Set at the end of a source whose text is measured. */
  readonly text?: ReadText;
}

/** How much of the text of a source reached an entry or a named drop. Text has white space or is not ASCII. */
export interface ReadText {
  readonly bytes: number;
  readonly read: number;
  /** If less than half was read: paths of the members with the most unread bytes, and these. */
  readonly unread: readonly (readonly [member: string, bytes: number])[];
}

/** `empty`: no entry was left; `none`: there were only blank lines. */
export type SessionFate = 'written' | 'rejected' | 'empty' | 'none';

/** The places of entries, packed to take little memory even for a session of millions of lines. */
export interface EntryLog {
  readonly count: number;
  /** Varints, three per entry: the differences of line and offset to the entry before, and the length. */
  readonly packed: Uint8Array;
}

export type StreamElement =
  | Line
  | Entry
  | Conversation
  | WrittenRecord
  | Rejection
  | Fate
  | Repair
  | Finding
  | SessionEnd;
export type Kind = StreamElement['kind'];
export type ElementOf<K extends Kind> = Extract<StreamElement, { kind: K }>;
