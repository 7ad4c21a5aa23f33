/**
 * Sources that a worker thread has recorded: their records, their lines as the dataset gets them, and sums. What
 * depends on other sources is left to the main thread: the places of the records, and findings about earlier sources.
 */
import type { UsageRow } from '../../transforms/model/tool-usage.ts';
import type { ProfileCounts } from '../ledger/dataset-profile.ts';
import type { LedgerCounts } from '../ledger/ledger.ts';
import { PartCodec, RESULT_BYTES } from '../ledger/part.ts';
import type { FindingResult, Result } from '../ledger/result.ts';
import type { SeenSession } from './earlier-sources.ts';

export interface RecordedSources {
  readonly kind: 'recorded';
  /** Index of the first source. The others follow it in the listing. */
  readonly first: number;
  readonly readBytes: number;
  /** One element for each source. */
  readonly notes: readonly SourceNotes[];
  /** Group, format and length of each record. */
  readonly series: readonly RecordSeries[];
  /** The records, one after the other. */
  readonly records: Uint8Array;
  /** The paths of the conversations that are compared, one after the other, and a row for each. */
  readonly paths: Uint8Array;
  readonly pathRows: readonly PathRow[];
  /** Lines of the ledger; those of sessions have `NO_PLACE` for each record, in the order of the records. */
  readonly sessions: Uint8Array;
  readonly sources: Uint8Array;
  readonly fingerprints: Uint8Array;
  readonly counts: LedgerCounts;
  readonly usage: readonly UsageRow[];
  readonly profile: ProfileCounts;
}

/** Consecutive records of a group and a format. */
export interface RecordSeries {
  readonly group: string;
  readonly format: string;
  readonly lengths: readonly number[];
}

/** Bytes of a path, the formats of its records, and how many records came before it. */
export type PathRow = readonly [bytes: number, formats: number, records: number];

/** Results of a source that are not written yet. */
export interface SourceNotes {
  readonly findings: readonly FindingResult[];
  readonly sessions: readonly SeenSession[];
}

/** `NOWHERE` in the line of a session, for a record whose place is not known yet. A quote inside a text of the line has a backslash, so it matches nowhere else. */
export const NO_PLACE = '"shard":"","line":0';

/** A result, or recorded sources: workers hand over both. */
export type HandedOver = Result | RecordedSources;

const codec = new PartCodec<HandedOver>({
  ...RESULT_BYTES,
  recorded: { records: true, paths: true, sessions: true, sources: true, fingerprints: true },
});

/** Encodes the items of a delivery as one part. See `PartCodec`. */
export function encodeHandedOver(items: readonly HandedOver[]): readonly Uint8Array[] {
  return codec.encode(items);
}

/** Decodes a part from `encodeHandedOver`. See `PartCodec`. */
export function decodeHandedOver(pieces: readonly Uint8Array[]): HandedOver[] {
  return codec.decode(pieces);
}
