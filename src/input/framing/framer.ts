/**
 * Cuts a source's bytes into lines: the caller puts bytes into its room and gets elements, however the bytes are
 * chunked.
 */
import type { Line, Rejection } from '../../../transforms/model/element.ts';

/** Accounts for every byte of a source: `bytes` is the sum of the others. */
export interface FramingCounts {
  /** Bytes put in. */
  readonly bytes: number;
  readonly bomBytes: number;
  readonly lineBytes: number;
  /** Line feeds, carriage returns before them, and in documents the bytes between elements. */
  readonly terminatorBytes: number;
  readonly lines: number;
  readonly crlf: number;
  /** Did the last line end without a line feed? */
  readonly noFinalNewline: boolean;
}

export interface Framer {
  /** Room for the next bytes; valid until `filled`. Never empty. */
  space(): Uint8Array;
  /** Reports `count` new bytes in the room and yields the complete elements. Exhaust it before the next call. */
  filled(count: number): Iterable<Line | Rejection>;
  /** Ends the input and yields the last element, if there is one. */
  end(): Iterable<Line | Rejection>;
  counts(): FramingCounts;
}

/** Counts of a source that could not be opened. */
export const NO_BYTES: FramingCounts = {
  bytes: 0,
  bomBytes: 0,
  lineBytes: 0,
  terminatorBytes: 0,
  lines: 0,
  crlf: 0,
  noFinalNewline: false,
};
