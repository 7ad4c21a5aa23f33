/** What a corpus is to be, and what it turned out to be. */
import type { CorpusKind } from './shapes.ts';

/** Describes a corpus; the same order gives the same bytes. */
export interface CorpusOrder {
  readonly kind: CorpusKind;
  readonly bytes: number | undefined;
  readonly seed: number;
  readonly growthEntries: number;
}

/** Statistics of a corpus, which the benchmarks check their contenders against. Sizes are before gzip. */
export interface CorpusStats {
  readonly kind: CorpusKind;
  readonly seed: number;
  readonly bytes: number;
  readonly sessions: number;
  readonly entries: number;
  /** Sum over all sessions of the largest number of request messages in one entry. */
  readonly longestHistories: number;
  /** Bytes that an earlier line of the session does not have at the same place. */
  readonly distinctBytes: number;
  readonly longestLineBytes: number;
  /** Event logs only: the longest conversation, as bytes of its lines. */
  readonly longestConversationBytes?: number;
}
