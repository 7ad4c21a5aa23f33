/**
 * What can differ from one corpus to another.
 */

/** A range, both ends included. */
export type Range = readonly [low: number, high: number];

/** The numbers of one kind; sizes are serialised bytes, chances are probabilities. */
export interface CorpusShape {
  readonly entriesPerSession: Range;
  readonly textBytes: Range;
  readonly callTextBytes: Range;
  readonly argumentBytes: Range;
  readonly resultBytes: Range;
  readonly systemBytes: Range;
  readonly toolsPerSet: number;
  readonly toolDescriptionBytes: Range;
  readonly toolTurnChance: number;
  readonly emptyContentChance: number;
  readonly volatileSystemChance: number;
  readonly infoMessageChance: number;
  readonly compactedEntryChance: number;
  readonly shorterLastChance: number;
  /** The history is compacted when it is longer. */
  readonly maxHistoryBytes: number;
  /** Set: every entry has wholly new messages and tools, of this many bytes together. */
  readonly freshEntryBytes: Range | undefined;
  /** Always one layout and no file per session: only the growth differs. */
  readonly uniform: boolean;
  readonly gzip: boolean;
  readonly defaultBytes: number;
  readonly maxSessions: number;
}
