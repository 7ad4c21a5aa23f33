/** The description of a corpus, and its statistics once it is generated. */
import type { CorpusKind } from './shapes.ts';

/** Describes a corpus; the same order gives the same bytes. */
export interface CorpusOrder {
  readonly kind: CorpusKind;
  readonly bytes: number | undefined;
  readonly seed: number;
  readonly growthEntries: number;
}

/** Statistics of a corpus; the benchmarks compare the output of the contenders with them. Sizes are before gzip. */
export interface CorpusStats {
  readonly kind: CorpusKind;
  readonly seed: number;
  readonly bytes: number;
  readonly sessions: number;
  readonly entries: number;
  /** The largest number of request messages in one entry of a session, summed over all sessions. */
  readonly longestHistories: number;
  /** Bytes that do not repeat an earlier line of the session at the same position. */
  readonly distinctBytes: number;
  readonly longestLineBytes: number;
  /** Event logs only: bytes of the lines of the longest conversation. */
  readonly longestConversationBytes?: number;
}
