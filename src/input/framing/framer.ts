/**
 * Cuts the bytes of a source into lines. The caller writes bytes into the framer's space and gets elements; how the
 * bytes are chunked makes no difference.
 */
import type { Line, Rejection } from '../../../transforms/model/element.ts';

/** Accounts for every byte of a source: `bytes` is the sum of the others. */
export interface FramingCounts {
  /** Bytes that were passed to the framer. */
  readonly bytes: number;
  readonly bomBytes: number;
  readonly lineBytes: number;
  /** Line feeds and carriage returns before them; in documents, the bytes between elements. */
  readonly terminatorBytes: number;
  readonly lines: number;
  readonly crlf: number;
  /** Whether the last line has no line feed. */
  readonly noFinalNewline: boolean;
}

export interface Framer {
  /** Returns space for the next bytes, valid until `filled`. It is never empty. */
  space(): Uint8Array;
  /** Takes `count` new bytes in the space and yields the complete elements. Exhaust it before the next call. */
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
