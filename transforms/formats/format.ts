/** Defines a format: how one kind of training record is written. Each has its own file; `npm run gen` registers it. */
import type { Conversation, Message, Severity } from '../model/element.ts';
import type { OptionSpecs } from '../stage.ts';

/** How the records of a file are told apart: `jsonl` has one a line; those of the others may have several, and begin with a header. */
export type FileKind = 'jsonl' | 'toml' | 'sts.jsonl';

/** @typeParam Options every option of the format, as plain values; a name that several formats have means the same in all. */
export interface Format<Options extends object = object> {
  /** File name = registry name = value of `--format`. */
  readonly name: string;
  readonly summary: string;
  /** Rules by which the format may change or reject what it cannot represent; `--on-finding RULE=reject|keep`. */
  readonly rules: readonly string[];
  /** Treatment of a content that is a number, an object or a boolean (`content-not-text`): ends a sentence of docs/formats.md. */
  readonly otherContent: string;
  /** Each is a flag of the command, specified once. */
  readonly options: OptionSpecs<Options>;
  /** Kind of its files, where a record is not always one line of JSON. */
  readonly fileKind?: (options: Partial<Options>) => FileKind;
  /** How a record holds `metadata`, what `--meta` asks for: as an object, or as a JSON string. Formats without it have no place for it. */
  readonly metadata?: (options: Partial<Options>) => 'object' | 'string';
  /** The member that holds it; `metadata` when left out. */
  readonly metadataMember?: string;
  /** Options that are left out have their defaults. */
  encode(conversation: Conversation, options?: Partial<Options>): EncodedRecord;
}

export interface EncodedRecord {
  /** The record's JSON text, one line, without a newline; for other kinds of files the lines of the record. */
  readonly bytes: Uint8Array;
  /** The messages as they stand in the record. */
  readonly written: readonly Message[];
  readonly findings: readonly FormatFinding[];
  /** Further records of the same conversation, where a format makes several of one. */
  readonly more?: readonly Uint8Array[];
}

/** Something in a conversation that the format could not represent as it is. */
export interface FormatFinding {
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  /** The record is of no use like that: the session is rejected, unless `--on-finding RULE=keep`. */
  readonly rejects?: true;
}
