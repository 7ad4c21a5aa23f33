/** Defines a format: how one kind of training record is written. Each has its own file; `npm run gen` registers it. */
import type { Conversation, Message, Severity } from '../model/element.ts';
import type { OptionSpecs } from '../stage.ts';

/**
 * How records are separated: `jsonl` has one per line; records of the others may span lines, and begin with a header.
 */
export type FileKind = 'jsonl' | 'toml' | 'sts.jsonl';

/**
 * @typeParam Options every option of the format, as plain values; an option that several formats share means the same
 * in all of them.
 */
export interface Format<Options extends object = object> {
  /** File name = registry name = value of `--format`. */
  readonly name: string;
  readonly summary: string;
  /** Rules by which the format may change or reject what it cannot represent; `--on-finding RULE=reject|keep`. */
  readonly rules: readonly string[];
  /** Treatment of a content that is a number, an object or a boolean (`content-not-text`): ends a sentence of docs/formats.md. */
  readonly otherContent: string;
  /** Options, each of which becomes a flag of the command. */
  readonly options: OptionSpecs<Options>;
  /** Kind of its files, if a record is not always one line of JSON. */
  readonly fileKind?: (options: Partial<Options>) => FileKind;
  /**
   * How a record holds the `metadata` of `--meta`: as an object, or as a JSON string. Absent for formats that cannot
   * hold it.
   */
  readonly metadata?: (options: Partial<Options>) => 'object' | 'string';
  /** The member for it; `metadata` by default. */
  readonly metadataMember?: string;
  /** Encodes a conversation, with defaults for options that are left out. */
  encode(conversation: Conversation, options?: Partial<Options>): EncodedRecord;
}

export interface EncodedRecord {
  /** The record's JSON text, one line, without a newline; for other kinds of files its lines. */
  readonly bytes: Uint8Array;
  /** The messages as written in the record. */
  readonly written: readonly Message[];
  readonly findings: readonly FormatFinding[];
  /** Further records of the same conversation, if a format makes several of one. */
  readonly more?: readonly Uint8Array[];
}

/** Something in a conversation that the format could not represent unchanged. */
export interface FormatFinding {
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  /** Rejects the session, unless `--on-finding RULE=keep` is given: the record would be useless. */
  readonly rejects?: true;
}
