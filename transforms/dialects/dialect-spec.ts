/** The description of a dialect for `defineDialect`, and the context that its `read` gets. */
import type { JsonView } from '../json/json-view.ts';
import type {
  Changes,
  Entry,
  EntryTraits,
  Fate,
  Lack,
  Message,
  Origin,
  Rejection,
  ToolDefinition,
} from '../model/element.ts';
import type { Meta } from '../model/meta.ts';
import type { LineReason } from '../model/reasons.ts';
import type { Detected, Dialect, ReadingOptions } from './dialect.ts';
import type { Fold } from './fold/fold.ts';
import type { CallChain } from './shared/history.ts';

/** @typeParam Memory state that `read` keeps for one source */
export interface DialectSpec<Memory = undefined>
  extends Pick<
    Dialect,
    'name' | 'summary' | 'knownBy' | 'marks' | 'inside' | 'alone' | 'lacks' | 'clientRules'
  > {
  /**
   * Whether the first object of a source is of this dialect; `ask-next` leaves the decision to the next object. Must
   * not throw.
   */
  readonly detect: (first: FirstObject) => boolean | Detected;
  /** Creates the memory of `read` for one source. */
  readonly memory?: (options: ReadingOptions) => Memory;
  /**
   * Path of the list of messages (`messages`, `request.messages`): messages that repeat from line to line are compared
   * instead of read again.
   */
  readonly messages?: string;
  /** Path of the tool definitions: a list, or a string that holds one as JSON. */
  readonly tools?: string;
  /**
   * Other top-level keys that `read` uses. An object with a duplicate of one of these, or of a key in the two paths, is
   * rejected.
   */
  readonly keys?: readonly string[];
  /** Set if `read` uses every key, so that any duplicate key rejects the object. */
  readonly allKeys?: true;
  /** Set if its objects are events, which `context.fold` collects until their conversation ends. */
  readonly folds?: true;
  /**
   * Set if its objects are calls whose sessions may interleave. Entries are then gathered by session id until the
   * source ends, and each conversation that no other call of its session continues becomes a record. An entry without
   * an id is held until the next one.
   */
  readonly gathers?: true;
  /** Set if the calls that it gathers share no messages in memory: they are then held as bytes. */
  readonly packs?: true;
  /** Set if its messages are copies: an unknown role or content is then a finding, not a rejection. */
  readonly copies?: true;
  /**
   * Reads one object.
   * @returns the entry; a rejection (`context.reject`); a fate (`context.drop`) for an object that is not part of a
   * conversation; undefined if `context.fold` took the object; or a list if the object holds several of these, which
   * then count as that many lines
   */
  readonly read: (
    json: JsonView,
    context: ReadContext,
    memory: Memory,
  ) => ObjectPart | readonly ObjectPart[] | undefined;
  /**
   * Called at the end of the source, before the conversations in `context.fold` end.
   * @returns the rejection of a source of which something that was said belongs to no conversation
   */
  readonly end?: (context: ReadContext, memory: Memory) => Rejection | undefined;
}

/** The conversation of one object, or of a part of it. */
export type ObjectPart = EntryFields | Rejection | Fate;

/** The members of a source's first object. */
export interface FirstObject {
  /** The value of a member; undefined if there is none. */
  get(key: string): JsonView | undefined;
}

/** The result of reading one object. A rejection in place of messages or tools rejects the object. */
export interface EntryFields {
  /** The messages that were sent. */
  readonly messages: readonly Message[] | Rejection;
  /**
   * The model's answer, if the log has one. An empty answer is counted and left out; one without a role gets the role
   * assistant.
   */
  readonly reply?: Message | undefined;
  readonly tools?: readonly ToolDefinition[] | Rejection | undefined;
  /** Without an id the object is its own session, named after its line. */
  readonly sessionId?: string | undefined;
  /**
   * Set if the session id may be that of this call only (a trace id): the call joins another session if it continues a
   * conversation of that session.
   */
  readonly joins?: boolean | undefined;
  /** Id of the call, if the log may have it again: a later version with other messages replaces the former one. */
  readonly callId?: string | undefined;
  /** Nanoseconds since 1970 (`context.time`); entries without one keep the order of the log. */
  readonly timestamp?: bigint | undefined;
  /** Whether it is its own session, regardless of `--session-by`. The dialect's `alone` by default. */
  readonly alone?: boolean | undefined;
  /** Names what this object lacks; the dialect's `lacks` by default. */
  readonly lacks?: readonly Lack[] | undefined;
  /** For a grader's sample: its members besides the messages, as JSON text. Its empty answers are kept. */
  readonly sample?: ReadonlyMap<string, Uint8Array> | undefined;
  /** Metadata under a closed list of names (`metaOf`). */
  readonly meta?: Meta | undefined;
  /** Number of changes that `read` made to the messages, by rule. */
  readonly changes?: Changes | undefined;
  /** Why its session is rejected; it then has no messages. */
  readonly refused?: Entry['refused'];
  /**
   * For a refused call whose conversation may begin later in the source: called when the source ends, to read the call
   * again, or to drop it if another object has it by then. Returns undefined if the beginning is still missing. Must not
   * reject.
   */
  readonly later?: (() => LateFields) | undefined;
  /** Id of the response without which `later` returns undefined. */
  readonly awaits?: string | undefined;
  /** Id of the call's response, which other calls may await. */
  readonly responseId?: string | undefined;
  /** Set if the call continues others: `messages` lacks theirs. */
  readonly chain?: CallChain | undefined;
}

/** The part of an object that is read when the source ends. */
export type LateFields = EntryFields | Fate | undefined;

/** Passed to `read`. Messages and definitions that it returns own their bytes. */
export interface ReadContext {
  /** Position of the object. */
  readonly origin: Origin;
  /** Collects events into conversations; those still open at the end of the source end there. */
  readonly fold: Fold;
  /** `--user-turn`: the user message for a response that was logged without its request. */
  readonly userTurn: string | undefined;
  /**
   * The messages at the path `messages`, or a rejection if the value is not a list of objects with a string `role`.
   */
  messages(): readonly Message[] | Rejection;
  /** The definitions at the path `tools`: none if absent or null, a rejection if the value is not a list of objects. */
  tools(): readonly ToolDefinition[] | Rejection;
  /** The object as a message, byte for byte; undefined for anything but an object with a string `role`. */
  message(json: JsonView | undefined): Message | undefined;
  /** Builds a message. A view keeps its bytes, a string becomes a JSON string, undefined is left out. */
  makeMessage(role: string, members: Readonly<Record<string, JsonView | string | undefined>>): Message;
  /** Splits a whole conversation into the fields of an entry: a last message of the assistant becomes the reply. */
  replyLast(messages: readonly Message[]): Pick<EntryFields, 'messages' | 'reply'>;
  /** Parses RFC 3339, or seconds or milliseconds since 1970, to nanoseconds since 1970; undefined for anything else. */
  time(json: JsonView | undefined): bigint | undefined;
  /**
   * Rejects the object.
   * @param detail positions and names, never content
   * @param at the offending value
   */
  reject(reason: LineReason, detail: string, at?: JsonView): Rejection;
  /**
   * Drops an object that is not part of a conversation; counted as `dropped:NAME`.
   * @param form the object, if nothing in it says that it is none; if it carries content, it counts as not read
   */
  drop(name: string, form?: JsonView): Fate;
}

/** The members that all entries of a dialect share. */
export const traitsOf = ({ lacks, clientRules }: EntryTraits): EntryTraits => ({
  ...(lacks && { lacks }),
  ...(clientRules && { clientRules }),
});
