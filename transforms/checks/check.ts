/**
 * The types of checks. A check gets one kind of element and reports findings; it never changes or stops anything. Each
 * check is one file; `npm run gen` puts it into the registry.
 */
import type { Conversation, Entry, Origin, SessionEnd, Severity, WrittenRecord } from '../model/element.ts';
import type { Place } from '../model/entry-log.ts';

/** A finding without its session: the check stage fills in the rest. */
export interface Found {
  readonly rule: string;
  readonly severity: Severity;
  /** Text for people: positions and names, never content of the log. */
  readonly message: string;
}

interface Named {
  /** File name = registry name. */
  readonly name: string;
  readonly summary: string;
  /** The rules that it can report. */
  readonly rules: readonly string[];
}

/** A finding about an earlier entry of the session. */
export interface PlacedFound extends Found {
  readonly place: Place;
}

/** The state of an entry check, which gets one session after the other. */
export interface EntryWatch {
  entry(entry: Entry): Iterable<Found>;
  /** Forgets the session. @returns what can be reported only at its end */
  sessionEnd(): Iterable<PlacedFound>;
}

/** Gets the validated entries of a session in order, and keeps at most one of them. */
export interface EntryCheck extends Named {
  readonly on: 'entry';
  /** Set if it reports entries that are lost because one conversation of the session is written. */
  readonly ofLast?: true;
  create(): EntryWatch;
}

/** Gets the canonical conversation, before the format. */
export interface ConversationCheck extends Named {
  readonly on: 'conversation';
  check(conversation: Conversation): Iterable<Found>;
}

/** Gets the record: the messages as written, the format, and the conversation. */
export interface RecordCheck extends Named {
  readonly on: 'record';
  check(record: WrittenRecord): Iterable<Found>;
}

/** Lines of a session that were rejected individually. */
export interface RejectedLines {
  readonly count: number;
  readonly last: Origin | undefined;
  /** Those of the whole source so far; at most the first 1,000. */
  readonly inSource: readonly Origin[];
  /** The first line of the conversations of the source that ended before; undefined if there are none. */
  readonly firstLine?: number | undefined;
  /** The last line of the source if it is not complete. Set for the session to which it belongs. */
  readonly unfinished?: Origin | undefined;
}

/** Gets the end of a session, with its fate, and the lines of it that were rejected. */
export interface SessionCheck extends Named {
  readonly on: 'session-end';
  check(end: SessionEnd, rejected: RejectedLines): Iterable<Found>;
}

export const NO_PLACED: readonly PlacedFound[] = [];

export type Check = EntryCheck | ConversationCheck | RecordCheck | SessionCheck;
