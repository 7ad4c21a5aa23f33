/**
 * The interface of formats: each writes one kind of training record. Each is one file; `npm run gen` puts it into the
 * registry.
 */
import type { Conversation, Message, Severity } from '../model/element.ts';
import type { OptionSpecs } from '../stage.ts';
import type { Columns } from './columns.ts';
import type { ContextMarks } from './context-marks.ts';

/**
 * How records are separated in a file: in `jsonl` each is a line; in the others a record spans several lines and begins
 * with a header.
 */
export type FileKind = 'jsonl' | 'toml' | 'sts.jsonl';

/**
 * @typeParam Options values of the format's options. An option that several formats share must mean the same in all of
 * them.
 */
export interface Format<Options extends object = object> {
  /** File name = registry name = value of `--format`. */
  readonly name: string;
  readonly summary: string;
  /**
   * Rules of its findings, for all that it cannot represent and so changes or rejects (`--on-finding
   * RULE=reject|keep`).
   */
  readonly rules: readonly string[];
  /** Those of `rules` that no other format has; the meanings of the others are in `SESSION_REASONS`. */
  readonly ownRules?: Readonly<Record<string, OwnRule>>;
  /** Whether its records have `messages` that are exactly those in `written`. */
  readonly listsMessages?: true;
  /** Whether it writes calls and results as `<tool_call>` and `<tool_result>` in texts. */
  readonly tagsCalls?: true;
  /** Whether it rejects a conversation without an answer (`no-answer`), because its consumers cannot learn from it. */
  readonly needsAnswer?: true;
  /** Rest of a sentence of docs/reference/formats.md about contents that are a number, an object or a boolean. */
  readonly otherContent: string;
  /** Each option becomes a flag of the command. */
  readonly options: OptionSpecs<Options>;
  /** How its records are separated; `jsonl` by default. */
  readonly fileKind?: (options: Partial<Options>) => FileKind;
  /**
   * How `--meta` is written into a record: as an object, or as JSON in a string. Absent if the format cannot hold
   * metadata.
   */
  readonly metadata?: (options: Partial<Options>) => 'object' | 'string';
  /** Columns of its records without metadata. Absent, or undefined, if a record is not an object in JSON. */
  readonly columns?: (options: Partial<Options>) => Columns | undefined;
  /** Whether its records may have members that are not in `columns`. */
  readonly hasOtherMembers?: true;
  /** Name of the member with the metadata; `metadata` by default. */
  readonly metadataMember?: string;
  /** Set if its records have metadata of the log besides the model even without `--meta`. */
  readonly readsMeta?: true;
  /** Set if its records end in a call by design, so that no check reports the call as unanswered. */
  readonly endsInCall?: true;
  /** Says in a record which answers are context (`--copies mark`). Absent if the format cannot say it. */
  readonly context?: ContextMarks;
  /** Encodes a conversation. Absent options have their default values. */
  encode(conversation: Conversation, options?: Partial<Options>): EncodedRecord;
}

/** A rule of a single format. */
export interface OwnRule {
  /** When it applies, in a sentence, and whether it rejects the session by default. */
  readonly meaning: string;
}

export interface EncodedRecord {
  /** The record's JSON text on one line, without a newline; the record's lines if its `fileKind` is not `jsonl`. */
  readonly bytes: Uint8Array;
  /** The messages as they are in the record; empty if the record is a text. */
  readonly written: readonly Message[];
  readonly findings: readonly FormatFinding[];
  /** Further records, if the format writes several for one conversation. */
  readonly more?: readonly Uint8Array[];
}

/** Something in a conversation that the format could not represent unchanged. */
export interface FormatFinding {
  readonly rule: string;
  readonly severity: Severity;
  readonly message: string;
  /** Rejects the session by default, because the record would be useless; `--on-finding RULE=keep` writes it. */
  readonly rejects?: true;
}

export type Report = (finding: FormatFinding) => void;
