/** The interface of dialects: how one family of logs is read. Each has its own file; `npm run gen` registers it. */

import type { Scanner } from '../json/scanner.ts';
import type { Entry, Fate, Lack, Line, Message, Rejection, Repair } from '../model/element.ts';

/** The values of an object's members as JSON text, by key; for a duplicate key the last one. */
export type ObjectMembers = ReadonlyMap<string, Uint8Array>;

/** An element for one object of a line; a fate if the object is not part of a conversation. */
export type ReadElement = Entry | Rejection | Fate | Repair;

/**
 * The elements of a line, read one by one if the line has several objects: each is valid until the next one is
 * requested. An object may yield none, if its dialect holds it for later, or several. `length` is the number of
 * objects.
 */
export type LineObjects = Iterable<ReadElement> & { readonly length: number };

/**
 * Whether a source is of a dialect; `ask-next` if only its next object can decide; `unless-next` if it is, unless that
 * object is of another dialect; `unless-later` if it is, unless one of the later objects is of another dialect.
 */
export type Detected = 'yes' | 'no' | 'ask-next' | 'unless-next' | 'unless-later';

export interface Dialect {
  /** File name = registry name = value of `--dialect`: lower-case letters, digits and hyphens. */
  readonly name: string;
  /** One line for `turnmill list dialects`. */
  readonly summary: string;
  /** Completes "known by: ..." with the members of the first object that `detect` looks for; `marks` by default. */
  readonly knownBy?: string;
  /** Members that objects of other dialects do not have; used to say which dialect an unrecognised source resembles. */
  readonly marks?: readonly string[];
  /** Whether the first line of a source, if it is not JSON, is of this dialect. Must not throw. */
  readonly detectLine?: (line: Uint8Array) => boolean;
  /**
   * In a document that is one object, the member whose elements are read one by one, after the object up to this member
   * with an empty list in its place. `detect` must recognise the object by the members before it.
   */
  readonly inside?: string;
  /**
   * Set if every object is its own session, regardless of `--session-by`, so that `--select` has no choice. A rejected one
   * gets an id from its place.
   */
  readonly alone?: true;
  /** Names what its logs never have, so that no check reports it as missing. */
  readonly lacks?: readonly Lack[];
  /** Cleanup rules for texts that its client adds, such as reminders: `--cleanup auto` applies them to its entries. */
  readonly clientRules?: readonly string[];
  /** Whether the first object of a source is of this dialect; `true` means `yes`. Must not throw. */
  detect(first: ObjectMembers): boolean | Detected;
  /** Whether it certainly is, so that no other dialect has to be asked. Must not throw. */
  isCertain?(first: ObjectMembers): boolean;
  /** @param scanner validates new text; the plain one by default */
  create(scanner?: Scanner, options?: ReadingOptions): DialectReader;
}

/**
 * Which conversations of an event log become records: `leaves`, all of them; `last`, all except abandoned branches and
 * conversations that a compaction replaced.
 */
export const FOLD_SELECTIONS = ['last', 'leaves'] as const;
export type FoldSelect = (typeof FOLD_SELECTIONS)[number];

/** Default of `maxConversation`. */
export const MAX_CONVERSATION_BYTES: number = 256 * 1024 * 1024;

/** Default of `maxBranches`. */
export const MAX_BRANCHES = 1000;

/** Settings of a run that reading may depend on. */
export interface ReadingOptions {
  /** The user message for a response that was logged without its request. */
  readonly userTurn?: string | undefined;
  /** Whether a session is one source, or a run of entries with one id. */
  readonly sessionBy?: 'file' | 'run' | undefined;
  /** Whether a call must be later than the one before it to continue it. */
  readonly strictTime?: boolean | undefined;
  /** `leaves` by default. */
  readonly select?: FoldSelect | undefined;
  /** Bytes that open conversations may hold; 256 MiB by default. */
  readonly maxConversation?: number | undefined;
  /** Branches of a session that are written; 1,000 by default. */
  readonly maxBranches?: number | undefined;
  /** Messages of an entry; undefined for no limit. */
  readonly maxMessages?: number | undefined;
  /**
   * Returns messages as cleanup leaves them; the same list if it changes none. No cleanup by default.
   * `from`: index of the first one that it may change.
   */
  readonly cleaned?: ((messages: readonly Message[], from: number) => readonly Message[]) | undefined;
  /** Whether encrypted reasoning is kept. */
  readonly keepSealed?: boolean | undefined;
  /** Whether metadata besides the model is read. True by default. */
  readonly keepsMeta?: boolean | undefined;
}

/** Reads the lines of sources, one source after the other. May keep state about the current source. */
export interface DialectReader {
  /** Elements for each object of the line: entries, rejections or fates. Empty for a line held for later. */
  read(line: Line): LineObjects;
  /** Called at the end of a source. Elements for the lines held for later. */
  end?(): Iterable<ReadElement>;
  /** Set if it holds lines for later: such a reader must not read a line twice. */
  readonly holds?: true | undefined;
  /** Set if it folds lines to conversations. */
  readonly folds?: true | undefined;
  /** Whether the next line is read as another dialect than the first one, because the lines since had another API. */
  readonly strays?: boolean;
  /**
   * Reads a line without holding it or changing state; may be called several times for a line.
   * @param onChain called with the `CallChain` (shared/history.ts) of an entry that continues calls by id; the entry then
   * lists only its own messages. Without it, it lists all, which takes time that grows with the conversation
   */
  readApart?(line: Line, onChain?: (chain: object) => void): LineObjects;
  /** Takes elements that `readApart` returned as if `read` had. @returns those that are not held for later */
  gather?(entries: readonly ReadElement[]): readonly ReadElement[];
  /** Drops all state, before a new source. */
  forget(): void;
}
