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

/** @typeParam Memory what `read` remembers of a source */
export interface DialectSpec<Memory = undefined> {
  /** Value of `--dialect`: lower-case letters, digits and hyphens. */
  readonly name: string;
  /** One line for `turnmill list dialects`. */
  readonly summary: string;
  /** Does the first object of a source look like this dialect? `ask-next` waits for the next object. Must not throw. */
  readonly detect: (first: FirstObject) => boolean | Detected;
  /** Describes what `detect` looks for, in words that follow "known by:"; `marks` when left out. */
  readonly knownBy?: string;
  /** Members of its objects that tell it from other dialects: a source that none knows is compared with them. */
  readonly marks?: readonly string[];
  /**
   * In a document that is one object: the member whose elements are read one by one. `read` gets the object first, with an empty
   * list and without what follows it, and then each element. `detect` must know the object by the members in front of the list.
   */
  readonly inside?: string;
  /** Makes what `read` remembers of one source. */
  readonly memory?: (options: ReadingOptions) => Memory;
  /** Path of the list of messages (`messages`, `request.messages`): what repeats from line to line is compared, not read again. */
  readonly messages?: string;
  /** Path of the tool definitions: a list, or a string that holds one as JSON. */
  readonly tools?: string;
  /** Other top-level keys that `read` asks for. A key of these, or of the two paths, that occurs twice rejects the object. */
  readonly keys?: readonly string[];
  /** Does every key count as one that `read` asks for? */
  readonly allKeys?: true;
  /** Are its objects events, which `context.fold` keeps until their conversation is over? */
  readonly folds?: true;
  /**
   * Are its objects calls whose sessions may interleave? Entries are then gathered by their session ids until the source ends, and
   * each conversation that no other call of its session includes is a record. One without an id is held until the next one.
   */
  readonly gathers?: true;
  /** Every object is a session of its own, whatever `--session-by` says; a rejected one then has its place as its id. */
  readonly alone?: true;
  /** Names what logs of this dialect never have, so that no check reports it as missing. */
  readonly lacks?: readonly Lack[];
  /**
   * Reads one object.
   * @returns the entry, a rejection (`context.reject`), or a fate (`context.drop`) for an object that is not part of a
   *   conversation; nothing for one that `context.fold` has taken; a list for an object that holds several of these, which
   *   then counts as that many lines
   */
  readonly read: (
    json: JsonView,
    context: ReadContext,
    memory: Memory,
  ) => ObjectPart | readonly ObjectPart[] | undefined;
  /** The source is over; the conversations that `context.fold` holds end after this. */
  readonly end?: (context: ReadContext, memory: Memory) => void;
}

/** The conversation that one object gives, or a part of it. */
export type ObjectPart = EntryFields | Rejection | Fate;

/** The members of a source's first object. */
export interface FirstObject {
  /** The value of a member; undefined when there is none. */
  get(key: string): JsonView | undefined;
}

/** The result of reading one object. A rejection in place of messages or tools rejects the object. */
export interface EntryFields {
  /** The messages that were sent. */
  readonly messages: readonly Message[] | Rejection;
  /** The model's answer, if the log has one. An empty one is counted and left out; one without a role is the assistant's. */
  readonly reply?: Message | undefined;
  readonly tools?: readonly ToolDefinition[] | Rejection | undefined;
  /** Without an id the object is a session of its own, named after its line. */
  readonly sessionId?: string | undefined;
  /** The id may be that of this call only: when it goes on with a conversation of another session, it is part of that one. */
  readonly joins?: boolean | undefined;
  /** Nanoseconds since 1970 (`context.time`); entries without one keep the order of the log. */
  readonly timestamp?: bigint | undefined;
  /** A session of its own, whatever `--session-by` says; the dialect's `alone` when left out. */
  readonly alone?: boolean | undefined;
  /** Names what this object lacks; the dialect's `lacks` when left out. */
  readonly lacks?: readonly Lack[] | undefined;
  /** Members of a grader's sample beside its messages, as JSON text; its empty answers are kept. */
  readonly sample?: ReadonlyMap<string, Uint8Array> | undefined;
  /** Facts beside the messages, by a closed list of names (`metaOf`). */
  readonly meta?: Meta | undefined;
  /** Changes that reading made to the messages, counted by rule. */
  readonly changes?: Changes | undefined;
  /** Why its session is rejected: then it has no messages. */
  readonly refused?: Entry['refused'];
}

/** Passed to `read`. Messages and definitions own their bytes. */
export interface ReadContext {
  /** Where the object is. */
  readonly origin: Origin;
  /** Makes conversations of events; those still open at the end of the source end there. */
  readonly fold: Fold;
  /** `--user-turn`: what the user said before a response that was logged alone. */
  readonly userTurn: string | undefined;
  /** The messages at the path `messages`, or a rejection when they are not a list of objects that each have a string `role`. */
  messages(): readonly Message[] | Rejection;
  /** The definitions at the path `tools`: none when it is absent or null, a rejection when it is not a list of objects. */
  tools(): readonly ToolDefinition[] | Rejection;
  /** An object with a string `role` as a message, byte for byte; undefined for anything else. */
  message(json: JsonView | undefined): Message | undefined;
  /** A message from values: a view stays as it was logged, a text becomes a JSON string, undefined is left out. */
  makeMessage(role: string, members: Readonly<Record<string, JsonView | string | undefined>>): Message;
  /** A whole conversation as the fields of an entry: its last message is the reply, if it is the model's. */
  replyLast(said: readonly Message[]): Pick<EntryFields, 'messages' | 'reply'>;
  /** RFC 3339, or seconds or milliseconds since 1970, as nanoseconds; undefined when it is none of these. */
  time(json: JsonView | undefined): bigint | undefined;
  /**
   * Keeps the object out of the dataset.
   * @param detail positions and names, never content
   * @param at the value that is wrong
   */
  reject(reason: LineReason, detail: string, at?: JsonView): Rejection;
  /** Drops an object that is not part of a conversation; it is counted as `dropped:NAME`. */
  drop(name: string): Fate;
}
