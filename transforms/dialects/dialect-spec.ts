/** The description of a dialect that `defineDialect` takes, and what its `read` can ask for. */
import type { JsonView } from '../json/json-view.ts';
import type {
  Changes,
  Entry,
  Fate,
  Lack,
  Message,
  Origin,
  Rejection,
  ToolDefinition,
} from '../model/element.ts';
import type { Meta } from '../model/meta.ts';
import type { LineReason } from '../model/rejection.ts';
import type { Detected, ReadingOptions } from './dialect.ts';
import type { Fold } from './fold/fold.ts';

/** @typeParam Memory what `read` remembers about a source */
export interface DialectSpec<Memory = undefined> {
  /** Value of `--dialect`: lower-case letters, digits and hyphens. */
  readonly name: string;
  /** One line for `turnmill list dialects`. */
  readonly summary: string;
  /** Does the first object of a source look like this dialect? `ask-next` waits for the next object. Must not throw. */
  readonly detect: (first: FirstObject) => boolean | Detected;
  /** Describes what `detect` looks for, to follow "known by:"; `marks` by default. */
  readonly knownBy?: string;
  /** Members by which its objects differ from other dialects, used to describe a source that no dialect recognises. */
  readonly marks?: readonly string[];
  /**
   * In a document that is one object: the member whose elements are read one by one. `read` first gets the object, with
   * an empty list and without what follows it, and then each element. `detect` must recognise the object by the members
   * before the list.
   */
  readonly inside?: string;
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
   * Other top-level keys that `read` uses. A duplicate of one of these, or of a key of the two paths, rejects the
   * object.
   */
  readonly keys?: readonly string[];
  /** Count every key as one that `read` uses? */
  readonly allKeys?: true;
  /** Are its objects events, which `context.fold` keeps until their conversation ends? */
  readonly folds?: true;
  /**
   * Are its objects calls whose sessions may interleave? Entries are then gathered by their session ids until the
   * source ends, and each conversation that is not a prefix of another call of its session becomes a record. One
   * without an id is held until the next one.
   */
  readonly gathers?: true;
  /** Is every object a session, regardless of `--session-by`? A rejected one then gets its place as its id. */
  readonly alone?: true;
  /** Names what logs of this dialect never have, so that no check reports it as missing. */
  readonly lacks?: readonly Lack[];
  /**
   * Reads one object.
   * @returns the entry, a rejection (`context.reject`), or a fate (`context.drop`) for an object that is not part of a
   * conversation; nothing for one that `context.fold` has taken; a list for an object that holds several of these,
   * which then counts as that many lines
   */
  readonly read: (
    json: JsonView,
    context: ReadContext,
    memory: Memory,
  ) => ObjectPart | readonly ObjectPart[] | undefined;
  /** Called at the end of the source; the conversations in `context.fold` end after this. */
  readonly end?: (context: ReadContext, memory: Memory) => void;
}

/** The conversation of one object, or of a part of it. */
export type ObjectPart = EntryFields | Rejection | Fate;

/** The members of a source's first object. */
export interface FirstObject {
  /** The value of a member; undefined if there is none. */
  get(key: string): JsonView | undefined;
}

/** The result of reading one object. A rejection instead of messages or tools rejects the object. */
export interface EntryFields {
  /** The messages that were sent. */
  readonly messages: readonly Message[] | Rejection;
  /**
   * The model's answer, if the log has one. An empty one is counted and left out; one without a role becomes the
   * assistant's.
   */
  readonly reply?: Message | undefined;
  readonly tools?: readonly ToolDefinition[] | Rejection | undefined;
  /** Without an id the object is its own session, named after its line. */
  readonly sessionId?: string | undefined;
  /**
   * Is the id possibly that of this call only? If the call continues a conversation of another session, it joins that
   * one.
   */
  readonly joins?: boolean | undefined;
  /** Nanoseconds since 1970 (`context.time`); entries without one keep the order of the log. */
  readonly timestamp?: bigint | undefined;
  /** Is it its own session, regardless of `--session-by`? The dialect's `alone` by default. */
  readonly alone?: boolean | undefined;
  /** Names what this object lacks; the dialect's `lacks` by default. */
  readonly lacks?: readonly Lack[] | undefined;
  /** Members of a grader's sample besides its messages, as JSON text; its empty answers are kept. */
  readonly sample?: ReadonlyMap<string, Uint8Array> | undefined;
  /** Metadata besides the messages, by a closed list of names (`metaOf`). */
  readonly meta?: Meta | undefined;
  /** Number of changes that reading made to the messages, by rule. */
  readonly changes?: Changes | undefined;
  /** Why its session is rejected; it then has no messages. */
  readonly refused?: Entry['refused'];
  /**
   * For a refused call whose conversation may begin later in the source: reads it again when the source ends; undefined
   * if that beginning is still missing. Must not reject.
   */
  readonly later?: (() => EntryFields | undefined) | undefined;
}

/** Passed to `read`. Messages and definitions own their bytes. */
export interface ReadContext {
  /** Position of the object. */
  readonly origin: Origin;
  /** Collects events into conversations; those still open at the end of the source end there. */
  readonly fold: Fold;
  /** `--user-turn`: the user message for a response that was logged without its request. */
  readonly userTurn: string | undefined;
  /**
   * The messages at the path `messages`, or a rejection if they are not a list of objects with a string `role` each.
   */
  messages(): readonly Message[] | Rejection;
  /** The definitions at the path `tools`: none if absent or null, a rejection if it is not a list of objects. */
  tools(): readonly ToolDefinition[] | Rejection;
  /** An object with a string `role` as a message, byte for byte; undefined for anything else. */
  message(json: JsonView | undefined): Message | undefined;
  /** Builds a message from values: a view stays as logged, a text becomes a JSON string, undefined is left out. */
  makeMessage(role: string, members: Readonly<Record<string, JsonView | string | undefined>>): Message;
  /** A whole conversation as the fields of an entry: if its last message is the model's, it is the reply. */
  replyLast(messages: readonly Message[]): Pick<EntryFields, 'messages' | 'reply'>;
  /** Parses RFC 3339, or seconds or milliseconds since 1970, to nanoseconds; undefined for anything else. */
  time(json: JsonView | undefined): bigint | undefined;
  /**
   * Rejects the object.
   * @param detail positions and names, never content
   * @param at the offending value
   */
  reject(reason: LineReason, detail: string, at?: JsonView): Rejection;
  /** Drops an object that is not part of a conversation; counted as `dropped:NAME`. */
  drop(name: string): Fate;
}
