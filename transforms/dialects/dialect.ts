/** Defines a dialect: how one family of logs is read. Each has its own file; `npm run gen` registers it. */

import type { Scanner } from '../json/scanner.ts';
import type { Entry, Fate, Lack, Line, Rejection } from '../model/element.ts';

/** The values of the members of an object, as JSON text, by key; of a key that stands twice the last one. */
export type ObjectMembers = ReadonlyMap<string, Uint8Array>;

/** What becomes of one object of a line: a fate is that of an object that is not part of a conversation. */
export type ReadElement = Entry | Rejection | Fate;

/** The elements of a line. Those of several objects are read one by one: each is gone when the next one is asked for. */
export type LineObjects = Iterable<ReadElement> & { readonly length: number };

export interface Dialect {
  /** File name = registry name = value of `--dialect`. */
  readonly name: string;
  readonly summary: string;
  /** What its logs never have: its entries carry it. */
  readonly lacks?: readonly Lack[];
  /** Does the first object of a source look like this dialect? Never throws. */
  detect(first: ObjectMembers): boolean;
  /** @param scanner validates what is new; the plain one when left out */
  create(scanner?: Scanner, options?: ReadingOptions): DialectReader;
}

/** What a dialect may have to know beside the log. */
export interface ReadingOptions {
  /** What the user said before a response that was logged without its request. */
  readonly userTurn?: string | undefined;
}

/** Reads the lines of one source after the other; may remember what it has seen of the current one. */
export interface DialectReader {
  /** One entry for each object of the line, or why not. At least one element for a line that is not blank. */
  read(line: Line): LineObjects;
  /** A new source begins. */
  forget(): void;
}
