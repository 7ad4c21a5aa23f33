/**
 * The one data type that crosses the stages (docs/data-model.md): everything is an element, bad data too.
 * A message is its bytes: what no rule touched leaves exactly as it came.
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
  /** The decoded value of `role`; `''` where a reply has none, until the dialect has given it one. */
  readonly role: string;
  /** Changes that its dialect had to make to write it as a message: findings of the conversation that it ends up in. */
  readonly notes?: readonly ReadingNote[];
}

/** Something that a dialect could not say in a message as it was logged. */
export type ReadingNote = Pick<Finding, 'severity' | 'rule' | 'message'>;

/** One tool definition, flattened: the object under `function` where there is one, else the whole. */
export interface ToolDefinition {
  /** The JSON text that a record holds. */
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
  /** Set where the framing made them: they do not stand at the origin like that. */
  readonly made?: MadeLine;
}

/** How the bytes of a line were made: a deck's sample, or the head of a document whose conversations are framed one by one. */
export interface MadeLine {
  /** The source's own bytes at the origin. */
  readonly raw: Uint8Array;
  /** The dialect that reads what was made, unless another one is named; left out, its members tell. */
  readonly dialect?: string;
}

/** One logged request/response pair. */
export interface Entry {
  readonly kind: 'entry';
  readonly origin: Origin;
  readonly sessionId: string;
  /** A session of its own, whatever `--session-by` says. */
  readonly alone?: true;
  /** The places of all lines that it was folded of, its origin first. Only an entry that is alone has them. */
  readonly lines?: EntryLog;
  /** Set when the other lines are calls whose conversations this one includes. */
  readonly isGathered?: true;
  /** Why its conversation cannot be had: it has no messages, and its session is rejected. */
  readonly refused?: {
    readonly reason: 'conversation-too-long' | 'context-missing' | 'session-reopened';
    readonly detail: string;
  };
  /** Nanoseconds since 1970-01-01T00:00:00Z; undefined where the dialect has none: then the order is that of the source. */
  readonly timestamp: bigint | undefined;
  readonly messages: readonly Message[];
  readonly tools: readonly ToolDefinition[];
  /** The model's answer to these messages, where the entry has one. */
  readonly reply: Message | undefined;
  /** The log has a reply that says nothing: it is left out. */
  readonly emptyReply?: true;
  /** Repairs that were needed to read the entry. */
  readonly repairs?: readonly RepairName[];
  /** Names what its dialect never has. */
  readonly lacks?: readonly Lack[];
  /** Members of a grader's sample beside its messages: `expected`, `tags` and others, as JSON text, in their order. */
  readonly sample?: ReadonlyMap<string, Uint8Array>;
  /** Facts beside the messages, by a closed list of names. */
  readonly meta?: Meta;
  /** Counts of the changes that cleanup made to `messages`. */
  readonly changes: Changes;
}

/** Something that a kind of log never has, so that no finding reports it missing. */
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
  /** Members of the snapshot beside its messages. */
  readonly sample?: ReadonlyMap<string, Uint8Array>;
  /** Facts of the snapshot. */
  readonly meta?: Meta;
  /** As in the snapshot's entry. */
  readonly lacks?: readonly Lack[];
  /** Number of earlier entries that the snapshot includes. */
  readonly superseded: number;
  /** Number of shorter entries after the snapshot. */
  readonly truncated: number;
  /** Number of lines beside its origin that it was folded of; undefined when it is one line's. */
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
  /** The same name with other bytes: the first one won. */
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
  /** The messages as they stand in the record. */
  readonly written: readonly Message[];
}

/** Something that was kept out of the dataset, and why. */
export interface Rejection {
  readonly kind: 'rejection';
  /** `record`: one format cannot represent a session that another one writes. */
  readonly scope: 'line' | 'session' | 'source' | 'record';
  readonly stage: string;
  readonly reason: string;
  /** For a person; holds positions, never content. */
  readonly detail: string;
  /** Index in the line of the byte that is wrong, where one is. */
  readonly at?: number;
  readonly origin: Origin;
  readonly sessionId?: string | undefined;
  /** Name of the format, when `scope` is `record`. */
  readonly format?: string;
  /** The rejected line's bytes, when `scope` is `line`; valid until the handler returns. */
  readonly bytes?: Uint8Array;
  /** Their SHA-256, hexadecimal, where the line was too long to be kept. */
  readonly sha256?: string;
}

/** A line whose fate is known at once and is neither a rejection nor an entry of a session. */
export interface Fate {
  readonly kind: 'fate';
  readonly fate: 'blank' | `dropped:${string}`;
  readonly origin: Origin;
  readonly sessionId?: string;
  readonly timestamp?: bigint | undefined;
}

/** `reply-role`: a reply without a role is the assistant's. */
export type RepairName = 'split-objects' | 'json-document' | 'reply-role' | 'bare-nan';

/** A mend that was made so that a line could be read: counted, never silent. */
export interface Repair {
  readonly kind: 'repair';
  readonly repair: RepairName;
  readonly origin: Origin;
  /**
   * How many extra entries came out of the line; 1 for a line with NaN or Infinity where nothing is read, for a source that is a
   * document although its name says lines, and for a reply.
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

/** The end of one session: everything since the last one belongs together. */
export interface SessionEnd {
  readonly kind: 'session-end';
  /** Where the session ended: line and offset after its last line, length 0. */
  readonly origin: Origin;
  /** Is it also the end of its source? */
  readonly last: boolean;
  /** Set by parse at the end of a source: the dialect that it was read in; undefined when no dialect knew it. */
  readonly dialect?: string | undefined;
  /** Set by validate: the session's id, and where its validated entries lie. */
  readonly sessionId?: string | undefined;
  readonly entries?: EntryLog | undefined;
  /** Set by validate where its entry is a session of its own: no other line is part of it. */
  readonly alone?: true;
  /** Set by snapshot-select: what became of the session. */
  readonly fate?: SessionFate;
}

/** `none`: there was no session, only blank lines. */
export type SessionFate = 'written' | 'rejected' | 'empty' | 'none';

/** Positions of entries, packed: a session of millions of lines stays small. */
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
