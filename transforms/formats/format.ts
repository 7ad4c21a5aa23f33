/** What a format is: how one kind of training row is written (formats.md). One file each; `npm run gen` registers it. */
import type { Conversation, Message, Severity } from '../element.ts';

export interface Format {
  /** File name = registry name = value of `--format`. */
  readonly name: string;
  readonly summary: string;
  /** Rules by which the format may change or reject what it cannot represent; `--on-finding RULE=reject|keep`. */
  readonly rules: readonly string[];
  encode(conversation: Conversation): EncodedRow;
}

export interface EncodedRow {
  /** The record's JSON text, one line, without a newline. */
  readonly bytes: Uint8Array;
  /** The messages as they stand in the record. */
  readonly written: readonly Message[];
  readonly findings: readonly FormatFinding[];
}

/** Something in a conversation that the format could not represent as it is. */
export interface FormatFinding {
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  /** Rejects the session unless the user keeps it (--on-finding RULE=keep). */
  readonly rejects?: true;
}
