/** Defines a dialect: how one family of logs is read. Each has its own file; `npm run gen` registers it. */

import type { Scanner } from '../json/scanner.ts';
import type { Entry, Fate, Lack, Line, Rejection, Repair } from '../model/element.ts';

/** The values of an object's members as JSON text, by key; for a duplicate key the last one. */
export type ObjectMembers = ReadonlyMap<string, Uint8Array>;

/** The element for one object of a line; a fate if the object is not part of a conversation. */
export type ReadElement = Entry | Rejection | Fate | Repair;

/**
 * The elements of a line. Those of several objects are read one by one: each is valid until the next one is requested.
 * An object may yield none, if its dialect keeps it for later, or several; `length` is the number of objects.
 */
export type LineObjects = Iterable<ReadElement> & { readonly length: number };

/** Does a source look like a dialect? `ask-next` if its next object has to tell. */
export type Detected = 'yes' | 'no' | 'ask-next';

export interface Dialect {
  /** File name = registry name = value of `--dialect`. */
  readonly name: string;
  readonly summary: string;
  /** Describes the members of the first object that `detect` looks for; `marks` by default. */
  readonly knownBy?: string;
  /** Members by which its objects differ from other dialects, used to describe a source that no dialect recognises. */
  readonly marks?: readonly string[];
  /** Does the first line of a source, if it is not JSON, look like this dialect? Must not throw. */
  readonly detectLine?: (line: Uint8Array) => boolean;
  /**
   * In a document that is one object: the member whose elements are read one by one, after the object without them.
   * `detect` must recognise the object by the members before it.
   */
  readonly inside?: string;
  /** Names what its logs never have; copied to its entries. */
  readonly lacks?: readonly Lack[];
  /** Does the first object of a source look like this dialect? Must not throw. `true` means `yes`. */
  detect(first: ObjectMembers): boolean | Detected;
  /** @param scanner validates new text; the plain one by default */
  create(scanner?: Scanner, options?: ReadingOptions): DialectReader;
}

/**
 * Which conversations of an event log become records: all of them, or all except abandoned branches and what
 * compactions replaced.
 */
export const FOLD_SELECTIONS = ['last', 'leaves'] as const;
export type FoldSelect = (typeof FOLD_SELECTIONS)[number];

/** Facts that a dialect may need besides the log. */
export interface ReadingOptions {
  /** The user message for a response that was logged without its request. */
  readonly userTurn?: string | undefined;
  /** Is a session a source, or all entries with one id? */
  readonly sessionBy?: 'file' | 'id' | undefined;
  /** Which conversations folded from events become records; `leaves` by default. */
  readonly select?: FoldSelect | undefined;
  /** Bytes that open conversations may hold; 256 MiB by default. */
  readonly maxConversation?: number | undefined;
  /** Keep encrypted reasoning. */
  readonly keepSealed?: boolean | undefined;
  /** Is metadata besides the messages wanted? Yes by default. */
  readonly keepsMeta?: boolean | undefined;
}

/** Reads the lines of one source after the other; may remember what it has seen of the current one. */
export interface DialectReader {
  /** Elements for each object of the line: entries, or reasons why there are none. Empty for a line held for later. */
  read(line: Line): LineObjects;
  /** Elements for the held lines at the end of a source. */
  end?(): Iterable<ReadElement>;
  /** Set if it holds lines for later, so that none may be read twice. */
  readonly holds?: true | undefined;
  /** Set if it folds lines to conversations. */
  readonly folds?: true | undefined;
  /** Did a previous line make the next one be read in another dialect? */
  readonly strays?: boolean;
  /** Reads a line without keeping any of it; may be called several times for a line. */
  readApart?(line: Line): readonly ReadElement[];
  /** Takes what was read apart, as if it had just been read. @returns elements that are not kept for later */
  gather?(entries: readonly ReadElement[]): readonly ReadElement[];
  /** Starts a new source. */
  forget(): void;
}
