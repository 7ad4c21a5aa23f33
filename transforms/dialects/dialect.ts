/** What a dialect is: how one family of logs is read. One file each; `npm run gen` puts it into the registry. */
import type { Entry, Line, Rejection } from '../element.ts';
import type { Scanner } from '../json/scanner.ts';

export interface Dialect {
  /** File name = registry name = value of `--dialect`. */
  readonly name: string;
  readonly summary: string;
  /** Does the first line of a source that is not blank look like this dialect? Never throws. */
  detect(line: Uint8Array): boolean;
  /** @param scanner validates what is new; the plain one when left out */
  create(scanner?: Scanner): DialectReader;
}

/** Reads the lines of one source after the other; may remember what it has seen of the current one. */
export interface DialectReader {
  /** One entry for each object of the line, or why not. At least one element for a line that is not blank. */
  read(line: Line): readonly (Entry | Rejection)[];
  /** A new source begins. */
  forget(): void;
}
