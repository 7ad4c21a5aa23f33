/**
 * The one data type that passes between stages (docs/data-model.md): everything is an element, including bad data. A
 * message is its bytes: unless a rule changes it, it leaves exactly as it came.
 */
import type { Meta } from './meta.ts';

/** Where an element came from: enough to find the exact bytes in the log again. */
export interface Origin {
  /** The source's path below its input root, `/` between folders; `-` for standard input. */
  readonly source: string;
  /** Line number, from 1; for an element of a whole JSON document its number in the document. */
  readonly line: number;
  /** Byte offset of the first byte in the (decompressed) source. */
  readonly offset: number;
  /** Length in bytes, without the line's terminator. */
  readonly length: number;
}

/** One message of a conversation: the JSON text of an object that has a string `role`. */
export interface Message {
  /** The JSON text, UTF-8, one line, without white space around it. */
  readonly bytes: Uint8Array;
  /** The decoded value of `role`; `''` for a reply without one, until the dialect has set it. */
  readonly role: string;
  /** Set if the log has encrypted reasoning for it; `kept` with `--reasoning keep-sealed`. */
  readonly sealed?: 'dropped' | 'kept';
  /** Changes that its dialect made to write it as a message: findings of its conversation. */
  readonly notes?: readonly ReadingNote[];
}

/** Something that a dialect could not convert exactly. */
export type ReadingNote = Pick<Finding, 'severity' | 'rule' | 'message'>;

/** One tool definition, flattened: the object under `function` if there is one, else the whole. */
export interface ToolDefinition {
  /** The JSON text for a record. */
  readonly bytes: Uint8Array;
  /** `function.name`, else `name`; undefined when neither is a non-empty string. */
  readonly name: string | undefined;
}

/** Number of messages that each named rule changed or dropped, for the ledger. */
export type Changes = ReadonlyMap<string, number>;

/** One line of a log, not yet read. */
export interface Line {
  readonly kind: 'line';
  readonly origin: Origin;
  /** The bytes without the terminator; valid until the handler that got them returns. */
  readonly bytes: Uint8Array;
  /** Set if the framing created the bytes, so that they differ from those at the origin. */
  readonly created?: CreatedLine;
}

/**
 * How the bytes of a line were created: as a deck's sample, or as the head of a document whose conversations are framed
 * one by one.
 */
export interface CreatedLine {
  /** The source's own bytes at the origin. */
  readonly raw: Uint8Array;
  /** The dialect for the created bytes, unless another one is named; if left out, the members decide. */
  readonly dialect?: string;
}

/** One logged request/response pair. */
export interface Entry {
  readonly kind: 'entry';
  readonly origin: Origin;
  readonly sessionId: string;
  /** Is it its own session, regardless of `--session-by`? */
  readonly alone?: true;
  /** The places of all lines that it was folded from, its origin first. Set only if `alone` is. */
  readonly lines?: EntryLog;
  /** Set if the other lines are calls whose conversations this one includes. */
  readonly isGathered?: true;
  /** Why its conversation is missing: it has no messages, and its session is rejected. */
  readonly refused?: {
    readonly reason: 'conversation-too-long' | 'context-missing' | 'session-reopened';
    readonly detail: string;
  };
  /** Nanoseconds since 1970-01-01T00:00:00Z; undefined if the log has none: the order is then that of the source. */
  readonly timestamp: bigint | undefined;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  /** The model's answer to these messages, if the entry has one. */
  readonly reply: Message | undefined;
  /** Set if the log has an empty reply, which is left out. */
  readonly emptyReply?: true;
  /** Repairs that were needed to read the entry. */
  readonly repairs?: readonly RepairName[];
  /** Names what its dialect never has. */
  readonly lacks?: readonly Lack[];
  /** Members of a grader's sample besides its messages: `expected`, `tags` and others, as JSON text, in order. */
  readonly sample?: ReadonlyMap<string, Uint8Array>;
  /** Metadata besides the messages, by a closed list of names. */
  readonly meta?: Meta;
  /** Counts of the changes that cleanup made to `messages`. */
  readonly changes: Changes;
}

/** Something that a kind of log never has, so that no finding reports it as missing. */
export type Lack = 'replies' | 'tools';

/** The canonical result of a session. */
export interface Conversation {
  readonly kind: 'conversation';
  /** Place of the snapshot. */
  readonly origin: Origin;
  readonly sessionId: string;
  /** Timestamp of the session's first valid entry that has one, ns since 1970. */
  readonly startedAt: bigint | undefined;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  /** Members of the snapshot besides its messages. */
  readonly sample?: ReadonlyMap<string, Uint8Array>;
  /** Metadata of the snapshot. */
  readonly meta?: Meta;
  /** As in the snapshot's entry. */
  readonly lacks?: readonly Lack[];
  /** Number of earlier entries that the snapshot includes. */
  readonly superseded: number;
  /** Number of shorter entries after the snapshot. */
  readonly truncated: number;
  /** Number of lines besides its origin that it was folded from; undefined if it came from one line. */
  readonly folded?: number;
  readonly changes: Changes;
  /** Counts of all tool definitions by fate. */
  readonly toolCounts: ToolCounts;
}

export interface ToolCounts {
  /** Definitions seen in the validated entries up to and including the snapshot. */
  readonly seen: number;
  readonly kept: number;
  /** The same name with the same bytes. */
  readonly duplicateSame: number;
  /** The same name with other bytes: the first one is kept. */
  readonly duplicateConflict: number;
}

/** One line of the dataset. */
export interface WrittenRecord {
  readonly kind: 'record';
  readonly origin: Origin;
  readonly sessionId: string;
  /** Name of the group that its shard belongs to. */
  readonly group: string;
  /** Name of the format that wrote it. */
  readonly format: string;
  /** The record's JSON text, without a newline. */
  readonly bytes: Uint8Array;
  /** The conversation as the stages before the format saw it. */
  readonly conversation: Conversation;
  /** The messages as written in the record. */
  readonly written: readonly Message[];
}

/** Something that was rejected, and why. */
export interface Rejection {
  readonly kind: 'rejection';
  /** `record`: one format refuses a session that another one writes. */
  readonly scope: 'line' | 'session' | 'source' | 'record';
  readonly stage: string;
  readonly reason: string;
  /** For people; holds positions, never content. */
  readonly detail: string;
  /** Index of the offending byte in the line, if there is one. */
  readonly at?: number;
  readonly origin: Origin;
  readonly sessionId?: string | undefined;
  /** Name of the format, if `scope` is `record`. */
  readonly format?: string;
  /** The rejected line's bytes, if `scope` is `line`; valid until the handler returns. */
  readonly bytes?: Uint8Array;
  /** Their SHA-256, hexadecimal, if the line was too long to be kept. */
  readonly sha256?: string;
}

/** A line whose fate is known at once, and which is neither rejected nor an entry of a session. */
export interface Fate {
  readonly kind: 'fate';
  readonly fate: 'blank' | `dropped:${string}`;
  readonly origin: Origin;
  readonly sessionId?: string;
  readonly timestamp?: bigint | undefined;
}

/** `reply-role`: a reply without a role is the assistant's. */
export type RepairName = 'split-objects' | 'json-document' | 'reply-role' | 'bare-nan';

/** A repair that was made so that a line could be read: counted, never silent. */
export interface Repair {
  readonly kind: 'repair';
  readonly repair: RepairName;
  readonly origin: Origin;
  /**
   * Number of extra entries that came out of the line; 1 for a line with NaN or Infinity in unread values, for a source
   * that is a document although its name says lines, and for a reply.
   */
  readonly count: number;
}

export type Severity = 'ERROR' | 'WARNING';

/** An integrity finding: reported, never stops the run. */
export interface Finding {
  readonly kind: 'finding';
  readonly severity: Severity;
  readonly rule: string;
  readonly sessionId: string | undefined;
  readonly origin: Origin;
  readonly message: string;
}

/** The end of one session, which consists of everything since the previous end. */
export interface SessionEnd {
  readonly kind: 'session-end';
  /** Where the session ended: line and offset after its last line, length 0. */
  readonly origin: Origin;
  /** Is it also the end of its source? */
  readonly last: boolean;
  /** Set by parse at the end of a source: its dialect; undefined if no dialect recognised it. */
  readonly dialect?: string | undefined;
  /** Set by validate: the session's id, and the places of its validated entries. */
  readonly sessionId?: string | undefined;
  readonly entries?: EntryLog | undefined;
  /** Set by validate if its entry is its own session: no other line is part of it. */
  readonly alone?: true;
  /** Set by snapshot-select: the fate of the session. */
  readonly fate?: SessionFate;
}

/** `none`: there was no session, only blank lines. */
export type SessionFate = 'written' | 'rejected' | 'empty' | 'none';

/** Positions of entries, packed so that a session of millions of lines stays small. */
export interface EntryLog {
  readonly count: number;
  /** Varints: per entry the line number's and the offset's distance from the last one's, and the length. */
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
