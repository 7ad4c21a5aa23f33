/** Defines a dialect: how one family of logs is read. Each has its own file; `npm run gen` registers it. */

import type { Scanner } from '../json/scanner.ts';
import type { Entry, Fate, Lack, Line, Rejection, Repair } from '../model/element.ts';

/** The values of the members of an object, as JSON text, by key; of a key that stands twice the last one. */
export type ObjectMembers = ReadonlyMap<string, Uint8Array>;

/** The element for one object of a line; a fate when the object is not part of a conversation. */
export type ReadElement = Entry | Rejection | Fate | Repair;

/**
 * The elements of a line. Those of several objects are read one by one: each is gone when the next one is asked for. An
 * object may give none, when its dialect keeps it for later, or several; `length` is the number of objects.
 */
export type LineObjects = Iterable<ReadElement> & { readonly length: number };

/** Does a source look like a dialect? `ask-next`: its next object will tell. */
export type Detected = 'yes' | 'no' | 'ask-next';

export interface Dialect {
  /** File name = registry name = value of `--dialect`. */
  readonly name: string;
  readonly summary: string;
  /** The members of its first object that `detect` looks for, in words; `marks` when left out. */
  readonly knownBy?: string;
  /** Members of its objects that tell it from other dialects: a source that none knows is compared with them. */
  readonly marks?: readonly string[];
  /** Does the first line of a source, which is not JSON, look like this dialect? Never throws. */
  readonly detectLine?: (line: Uint8Array) => boolean;
  /**
   * In a document that is one object: the member whose elements are read one by one, after the object without them. `detect` must
   * know the object by the members in front of it.
   */
  readonly inside?: string;
  /** Names what its logs never have; its entries carry it. */
  readonly lacks?: readonly Lack[];
  /** Does the first object of a source look like this dialect? Never throws. `true` is `yes`. */
  detect(first: ObjectMembers): boolean | Detected;
  /** @param scanner validates what is new; the plain one when left out */
  create(scanner?: Scanner, options?: ReadingOptions): DialectReader;
}

/** Which conversations of an event log become records: all of them, or without branches and what compactions replaced. */
export const FOLD_SELECTIONS = ['last', 'leaves'] as const;
export type FoldSelect = (typeof FOLD_SELECTIONS)[number];

/** Facts that a dialect may need beside the log. */
export interface ReadingOptions {
  /** The user's message before a response that was logged without its request. */
  readonly userTurn?: string | undefined;
  /** Is a session a source, or all that has one id? */
  readonly sessionBy?: 'file' | 'id' | undefined;
  /** Which of the conversations that are folded of events become records; `leaves` when left out. */
  readonly select?: FoldSelect | undefined;
  /** Bytes that open conversations may hold; 256 MiB when left out. */
  readonly maxConversation?: number | undefined;
  /** Keep reasoning that only its provider can read. */
  readonly keepSealed?: boolean | undefined;
  /** Is what the log says beside the messages wanted? Yes when left out. */
  readonly keepsMeta?: boolean | undefined;
}

/** Reads the lines of one source after the other; may remember what it has seen of the current one. */
export interface DialectReader {
  /** Elements for each object of the line: entries, or why there are none. Empty for a line that is held for later. */
  read(line: Line): LineObjects;
  /** Elements for the held lines of a source that ends. */
  end?(): Iterable<ReadElement>;
  /** Set when it holds lines for later: none may be read twice. */
  readonly holds?: true | undefined;
  /** Is the next line read as one of another dialect, because of a line before it? */
  readonly strays?: boolean;
  /** Reads a line without keeping anything of it for later; a line may be read so several times. */
  readApart?(line: Line): readonly ReadElement[];
  /** Takes what was read apart, as if it had been read. @returns what is not kept for later */
  gather?(entries: readonly ReadElement[]): readonly ReadElement[];
  /** A new source begins. */
  forget(): void;
}
