/**
 * Writes the lines of the dataset's files about sources, sessions and findings. The members that name the source are
 * repeated in each: spreading an object with these into every line took a tenth of a run over small files.
 */
import type { RecordShape } from '../../transforms/formats/shape-counter.ts';
import { LINE_FILES } from '../dataset/layout.ts';
import type {
  ByteParts,
  ContainerPlace,
  Counts,
  PackedLine,
  RefusedFormat,
  SessionLine,
  SourceLine,
} from '../dataset/schema/ledger.ts';
import type { FindingLine } from '../dataset/schema/reports.ts';
import type { PackedCounts } from '../input/decompress/members.ts';
import type { FramingCounts } from '../input/framing/framer.ts';
import type { SkippedSource, SourceRef } from '../input/sources/source.ts';
import type { CountList } from '../ledger/counts.ts';
import type { ProfileCounter } from '../ledger/dataset-profile.ts';
import {
  type FindingResult,
  type RecordRejection,
  repairsOf,
  type SessionReport,
  type SourceReport,
} from '../ledger/result.ts';
import { findingText, sessionText, sourceText } from './line-text.ts';
import type { Destination, Location } from './output.ts';

/** Place of a session's record in a format. */
export interface RecordPlace extends Location {
  readonly format: string;
}

export class SourceLines {
  readonly #destination: Pick<Destination, 'line'>;
  readonly #hasSeveralInputs: boolean;
  readonly #profile: ProfileCounter | undefined;

  /**
   * @param hasSeveralInputs whether the run has several inputs, so that the lines name the input of each source
   * @param profile counts the lines
   */
  constructor(destination: Pick<Destination, 'line'>, hasSeveralInputs: boolean, profile?: ProfileCounter) {
    this.#destination = destination;
    this.#hasSeveralInputs = hasSeveralInputs;
    this.#profile = profile;
  }

  skipped(skipped: SkippedSource): void {
    const line: SourceLine = {
      source: skipped.name,
      source_b64: skipped.nameBase64,
      input: this.#inputOf(skipped),
      status: 'skipped',
      reason: skipped.reason,
      lines: 0,
      fates: {},
    };
    this.#destination.line(LINE_FILES.sources, sourceText(line));
  }

  source(ref: SourceRef, report: SourceReport, size: number): void {
    const { rejection } = report;
    const line: SourceLine = {
      source: ref.name,
      source_b64: ref.nameBase64,
      input: this.#inputOf(ref),
      status: report.status,
      reason: rejection?.reason,
      detail: rejection?.detail,
      dialect: report.dialect,
      size,
      compression: report.compression,
      packed: report.packed && packedLine(report, report.packed, size),
      bytes: report.framing.bytes,
      parts: partsOf(report.framing),
      framed: report.framing.lines,
      lines: report.lines,
      fates: countsOf(report.fates),
      repairs: countsOf(repairsOf(report)),
    };
    this.#profile?.source(line);
    this.#destination.line(LINE_FILES.sources, sourceText(line));
  }

  /**
   * Writes the line of a session.
   * @param group group of its records
   * @param shape of its only record in the first format
   * @param hasOneFormat if true, the line has only the place of the record; otherwise, records and refusals by format
   */
  session(
    ref: SourceRef,
    session: SessionReport,
    places: readonly RecordPlace[],
    group: string,
    shape: RecordShape | undefined,
    hasOneFormat: boolean,
  ): void {
    const { sessionId, fate, snapshot, rejection, recordRejections = [], container = 0 } = session;
    const only = hasOneFormat && places.length === 1 ? places[0] : undefined;
    const isWritten = fate === 'written';
    const isContained = fate === 'contained';
    const hasSeveral = isWritten && only === undefined;
    const line: SessionLine = {
      id: sessionId ?? null,
      source: ref.name,
      source_b64: ref.nameBase64,
      input: this.#inputOf(ref),
      fate: rejection === undefined ? fate : `rejected:${rejection.reason}`,
      shard: isWritten ? only?.shard : undefined,
      line: isWritten ? only?.line : undefined,
      records: hasSeveral ? places : undefined,
      refused:
        (hasSeveral || isContained) && recordRejections.length > 0
          ? recordRejections.map(refused)
          : undefined,
      in: isContained ? pendingPlace(container) : undefined,
      context: session.context?.messages,
      origin: snapshot,
      entries: session.entries,
      superseded: session.superseded,
      truncated: session.truncated,
      folded: session.folded,
      root: session.root,
      model: session.model,
      messages: shape?.roles,
      calls: shape?.calls,
      changes: countsOf(session.changes),
      tools: session.toolCounts ?? null,
      usage: session.usage,
    };
    this.#profile?.session(line, places.length > 0 ? group : undefined);
    this.#destination.line(LINE_FILES.sessions, sessionText(line));
  }

  finding(ref: SourceRef, finding: FindingResult): void {
    const { severity, rule, sessionId, line, message, count, acrossSources } = finding;
    const findingLine: FindingLine = {
      severity,
      rule,
      session: sessionId ?? null,
      source: ref.name,
      source_b64: ref.nameBase64,
      input: this.#inputOf(ref),
      entry: line,
      message,
      count,
      across_sources: acrossSources,
    };
    this.#profile?.finding(findingLine);
    this.#destination.line(LINE_FILES.findings, findingText(findingLine));
  }

  /** Returns the number of the input that a source was found in, if there are several. */
  #inputOf({ input }: Pick<SourceRef, 'input'>): number | undefined {
    return this.#hasSeveralInputs ? input : undefined;
  }
}

const NO_COUNTS: Counts = {};

/** Does the same as `Object.fromEntries`, which takes longer than the rest of a line. */
function countsOf(counts: CountList): Counts {
  if (counts.length === 0) return NO_COUNTS;
  const result: Record<string, number> = {};
  for (const [name, n] of counts) result[name] = n;
  return result;
}

/** The place of a record that may not be written yet: its number among the paths takes the place of its line. */
export const pendingPlace = (path: number): ContainerPlace => ({ shard: '', line: path });

const refused = ({ format, reason }: RecordRejection): RefusedFormat => ({ format, reason });

/** Breaks down the bytes of a source. `rest` are those that were read but not used: after a fault, or beyond a limit. */
function partsOf({ bytes, bomBytes, lineBytes, terminatorBytes }: FramingCounts): ByteParts {
  const rest = bytes - bomBytes - lineBytes - terminatorBytes;
  return { bom: bomBytes, lines: lineBytes, terminators: terminatorBytes, rest };
}

/** Breaks down the bytes of a compressed source: members, padding, and bytes that belong to neither. */
function packedLine({ rejection }: SourceReport, packed: PackedCounts, size: number): PackedLine {
  const { members, memberBytes, paddingBytes } = packed;
  const trailing = rejection?.reason === 'trailing-data' ? size - memberBytes - paddingBytes : 0;
  return { members, member_bytes: memberBytes, padding_bytes: paddingBytes, trailing_bytes: trailing };
}
