/** Responses of the server. */
import type { SessionLine } from '../../dataset/schema/ledger.ts';
import type { QuarantineLine } from '../../dataset/schema/quarantine.ts';
import type { FindingLine } from '../../dataset/schema/reports.ts';
import type { Field } from './query.ts';

export interface Summary {
  readonly name: string;
  readonly explainWith: readonly string[];
  readonly kind: 'dataset' | 'log';
  readonly records: number;
  readonly sessions: number;
  readonly rejected: number;
  readonly hasLogs: boolean;
  readonly isReplaced: boolean;
  readonly lines: number;
}

/** A filter of a list, and the names that it can have. */
export interface Facet {
  readonly field: Field;
  readonly names: readonly FacetName[];
}

export interface FacetName {
  readonly name: string;
  /** Number of its rows, if it is known. */
  readonly count?: number;
}

/** Names of a row by field, as a filter names them. */
export type Terms = Readonly<Partial<Record<Field, readonly string[]>>>;

export interface Numbered {
  readonly i: number;
  /** In an exported page, the names that the row does not show. */
  readonly terms?: Terms;
}

/** The data of a record in its row of the list. */
export interface RecordSummary {
  /** The first message of the user, with white space collapsed. */
  readonly title: string;
  readonly messages: number;
  readonly roles: Readonly<Record<string, number>>;
  readonly calls: number;
  readonly tools: readonly string[];
}

export interface RecordRow extends Numbered, RecordSummary {
  readonly bytes: number;
  readonly session?: string | null;
  readonly finding?: 'error' | 'warning' | undefined;
  readonly sorted?: SortedValues | undefined;
}

/** Counts of the session of a row in a list that is sorted by one of them. */
export interface SortedValues {
  readonly turns: number;
  readonly errors: number;
}

export interface SessionRow extends Numbered, Pick<SessionLine, 'id' | 'source' | 'fate' | 'entries'> {
  readonly calls: number;
  readonly finding?: 'error' | 'warning';
  readonly sorted?: SortedValues;
}

export interface RejectedRow extends Numbered {
  readonly reason: string;
  readonly scope: string;
  readonly source: string;
  readonly line?: number;
}

export type Row = RecordRow | SessionRow | RejectedRow;

export interface ShownSegment {
  readonly kind: 'text' | 'think' | 'tool';
  readonly text: string;
  /** Activity line and name of a call. */
  readonly activity?: string;
  readonly name?: string;
}

export interface ShownPart {
  readonly segments: readonly ShownSegment[];
  readonly states: readonly string[];
}

/** How to display a message, in addition to its content. */
export interface Shown {
  /** The activity line of each call. */
  readonly calls?: readonly string[];
  /** Parts of the content other than plain text, by index. */
  readonly parts?: Readonly<Record<number, ShownPart>>;
  /** Set if the result reports an error. */
  readonly failed?: true;
}

export interface Call {
  readonly id?: unknown;
  readonly name?: unknown;
  readonly arguments?: unknown;
  readonly args?: unknown;
  readonly function?: { readonly name?: unknown; readonly arguments?: unknown };
}

export interface Message {
  readonly role?: unknown;
  readonly from?: unknown;
  readonly content?: unknown;
  readonly value?: unknown;
  readonly tool_calls?: unknown;
  readonly toolCalls?: unknown;
  readonly tool_call_id?: unknown;
  readonly toolCallId?: unknown;
  readonly reasoning_content?: unknown;
  readonly reasoningContent?: unknown;
  readonly reasoning?: unknown;
  readonly thinking?: unknown;
}

export interface Finding extends Pick<FindingLine, 'severity' | 'rule' | 'message' | 'entry'> {
  /** Number of the message of the record that it is about, if it is about one. */
  readonly at?: number;
}

export interface RecordAnswer {
  readonly i: number;
  readonly shard: string;
  /** Number of the record in the shard, from 1. */
  readonly line: number;
  /** Set if records of this shard have several lines. */
  readonly spansLines?: true;
  readonly bytes: number;
  readonly findings: readonly Finding[];
  readonly session?: SessionLine;
  readonly sessionNumber?: number;
  readonly shown: readonly Shown[];
  /** A JSON value: the record, the list of the lines of a trace, or the text of a table of a deck. */
  readonly record: unknown;
}

export interface SessionAnswer {
  readonly i: number;
  readonly line: SessionLine;
  readonly findings: readonly Finding[];
  readonly record?: number;
  /** Number of the record that contains it. */
  readonly container?: number;
  /** Meaning of the reason for the rejection. */
  readonly meaning?: string;
  /** The remedy of a session without a record, if there is one. */
  readonly todo?: string;
}

/** A session in a tree: a branch of the session that is shown, or one that begins as it does. */
export interface TreeMember extends Pick<SessionLine, 'id' | 'fate' | 'context'> {
  /** Number of the session; undefined if it is not part of an export. */
  readonly i?: number | undefined;
  /** Number of its first record. */
  readonly record?: number | undefined;
  /** Its source, if that is another one. */
  readonly source?: string;
  /** Number of its messages, if they were compared. */
  readonly messages?: number;
  /** Index of an earlier member, with which it shares this many first messages. */
  readonly parent?: number;
  readonly shared?: number;
  /** Set for the session that the tree was requested for. */
  readonly isShown?: true;
}

export interface TreeAnswer {
  readonly members: readonly TreeMember[];
  /** Whether only the nearest sessions are in the list. */
  readonly isCut: boolean;
  /** Whether the build compared its records. */
  readonly isCompared: boolean;
}

export interface RejectionAnswer {
  readonly i: number;
  readonly line: QuarantineLine;
  /** Meaning of the reason. */
  readonly meaning?: string;
  /** The remedy, if there is one. */
  readonly todo?: string;
  readonly length: number;
  readonly from?: number;
  readonly at?: number | null;
  readonly before?: string;
  readonly mark?: string;
  readonly after?: string;
}

export interface MessageTrail {
  readonly logged: number;
  readonly kept: number | null;
  readonly rule?: string;
  readonly before?: string;
  readonly after?: string;
}

/** The fate of a line of a log, and its messages. */
export interface ChangesAnswer {
  /** Set if the logs are not there. */
  readonly missing?: true;
  readonly messages?: readonly MessageTrail[];
  readonly fate?: string;
}

/** An entry of a followed log or, for an event log, new messages of a conversation. */
export interface FollowedEntry {
  /** Line of the entry, from 1; for an event log, its last line so far. */
  readonly line: number;
  /** Number of the entry within its line. */
  readonly part?: number;
  /** Id of the conversation in an event log. Its messages from number `shared` on replace those on the page. */
  readonly conversation?: string;
  readonly bytes: number;
  /** Number of messages of the entry, including its reply, or of the conversation. */
  readonly messages: number;
  /** Number of leading messages that are unchanged. */
  readonly shared: number;
  /** JSON texts of the other messages. */
  readonly fresh: readonly string[];
  readonly shown: readonly Shown[];
  /** Milliseconds since 1970, if the line has a time. */
  readonly time?: number;
  /** Why the line is not an entry. */
  readonly error?: string;
}
