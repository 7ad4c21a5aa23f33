/** Type of the lines in `quarantine/`: what was kept out, why, and where its bytes are. */
import type { Counts } from './ledger.ts';

/** A line of `quarantine/rejected.jsonl`: something that was rejected, and where its bytes are. */
export interface QuarantineLine {
  /** Version of this line type. @example 2 */
  readonly v: number;
  /** Kind of thing rejected: a `line`, an entry of a `session`, a `source`, or a `record` in one of several formats. @example "line" */
  readonly scope: 'line' | 'session' | 'source' | 'record';
  /** Reason, from the closed list (rejections.md). @example "invalid-json" */
  readonly reason: string;
  /** Stage that rejected it. @example "parse" */
  readonly stage: string;
  /** The source that it came from. */
  readonly source: QuarantineSource;
  /** Line number; absent for a source. @unit from 1 @example 4 */
  readonly line?: number | undefined;
  /** First byte in the source, after decompression. @unit bytes @example 8350 */
  readonly byte_start?: number | undefined;
  /** First byte after it. @unit bytes @example 11606 */
  readonly byte_end?: number | undefined;
  /** Gzip member that the line begins in. @unit from 1 @example 2 */
  readonly member?: number | undefined;
  /** Id of the session, if a session or a record was rejected. @example "build-watch-1768401720884000000" */
  readonly session_key?: string | null | undefined;
  /** Format that refused the session, if a record was rejected. @example "trl" */
  readonly format?: string | undefined;
  /** SHA-256 of the bytes, hexadecimal; null if they could not be read a second time. @example "a0abee3d5b89…" */
  readonly raw_sha256?: string | null | undefined;
  /** Where the source has the bytes, if they are not kept here. */
  readonly raw_ref?: ByteRange | undefined;
  /** The bytes, if they are kept (`--quarantine-content raw`, or a source that cannot be read twice). @unit base64 @example "eyJhIjo=" */
  readonly raw_b64?: string | undefined;
  /** The error. */
  readonly error: QuarantineError;
  /** Objects of the line that this record covers, including its own: on the last record of a line with more than 100. @unit objects @example 1901 */
  readonly count?: number | undefined;
  /** Objects among them without a record, by reason. @unit objects @example {"bad-timestamp":1900} */
  readonly rest?: Counts | undefined;
}

/** The source of a quarantine record. */
export interface QuarantineSource {
  /** Name of the source, as in `sources.jsonl`. @example "2026-01-13/invoice.jsonl" */
  readonly uri: string;
  /** The name's bytes, if they are not valid UTF-8. @unit base64 @example "bG9n/w==" */
  readonly uri_b64?: string | undefined;
  /** Index of the input, if there are several. @unit from 0 @example 1 */
  readonly input?: number | undefined;
  /** Size of the file when it was opened. @unit bytes @example 11606 */
  readonly size?: number | undefined;
}

/** A range of bytes of a source, after decompression. */
export interface ByteRange {
  /** First byte. @unit bytes @example 8350 */
  readonly offset: number;
  /** Number of bytes. @unit bytes @example 3256 */
  readonly length: number;
}

/** Description of an error. */
export interface QuarantineError {
  /** The reason, or the error of the operating system. @example "invalid-json" */
  readonly code: string;
  /** One sentence with the position, never content of the log. @example "not JSON at byte 3256 of the line (11606 of the source)" */
  readonly message: string;
  /** Offset of the error from the start of the line, if one byte is to blame. @unit bytes @example 3256 */
  readonly at?: number | undefined;
}
