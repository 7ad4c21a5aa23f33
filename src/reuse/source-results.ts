/**
 * Recreates the results of a source from the files of a previous run, so that the result writer treats them like those
 * of a worker (docs/contributing/decisions/0013-update.md).
 */

import { createEntryLog, type Place } from '../../transforms/model/entry-log.ts';
import { LINE_FILES } from '../dataset/layout.ts';
import type { LineFileName } from '../dataset/parse-line.ts';
import type { PackedLine, RecordPlace, SourceLine } from '../dataset/schema/ledger.ts';
import type { QuarantineLine } from '../dataset/schema/quarantine.ts';
import type { FindingLine } from '../dataset/schema/reports.ts';
import type { PackedCounts } from '../input/decompress/members.ts';
import { identityIn } from '../input/fingerprint.ts';
import type { FramingCounts } from '../input/framing/framer.ts';
import type { SourceKey } from '../input/sources/source.ts';
import {
  type FindingResult,
  type RecordRejection,
  type RejectedContent,
  type RejectedLine,
  rejectionReason,
  type SessionReport,
  type SourceReport,
} from '../ledger/result.ts';
import { damaged } from './checked-lines.ts';
import { LedgerFiles, type PathedSession } from './ledger-files.ts';
import type { PreviousRun } from './previous-run.ts';
import type { Step } from './reuse.ts';
import { ShardRecords, type ShardRecordsOptions } from './shard-records.ts';

export interface SourceResultsOptions extends Omit<ShardRecordsOptions, 'readsAll'> {
  /** The first format: that of records whose line names none, because the run has only one. */
  readonly format: string;
  /** Whether the run compared its records, so that its sessions have paths. */
  readonly hasPaths: boolean;
  /** Set for a dataset to be merged: its sources may be elsewhere, so only its files say anything about them. */
  readonly merged?: {
    /** Most bytes of rejected lines that the dataset keeps. */
    readonly quarantineSize: number;
  };
}

export interface ReusedSource extends SourceKey {
  /** Index in the listing of this run. */
  readonly index: number;
  /** The current fingerprint, for the next run. */
  readonly fingerprint: string;
}

type Contents = Map<number, RejectedContent>;

/** The message of a rejected session ends with the line of its violation. */
const VIOLATION = /^(.*) \(line (\d+)\)$/s;

export class SourceResults {
  readonly #run: PreviousRun;
  readonly #files: LedgerFiles;
  readonly #records: ShardRecords;
  readonly #format: string;
  readonly #isMerged: boolean;
  /** Number of bytes of rejected lines that the run had room for, after those so far. */
  #leftBytes: number;
  /** Offset of the last rejected bytes that were counted: several formats may refuse the same line. */
  #counted = -1;

  constructor(run: PreviousRun, options: SourceResultsOptions) {
    this.#run = run;
    this.#files = new LedgerFiles(run, options.hasPaths);
    this.#isMerged = options.merged !== undefined;
    this.#records = new ShardRecords(run, { ...options, readsAll: this.#isMerged });
    this.#format = options.format;
    this.#leftBytes = options.merged?.quarantineSize ?? Number.POSITIVE_INFINITY;
  }

  /**
   * Yields the results of a source. Call it in the order of the listing.
   * @throws TurnmillError `invalid-dataset` if the files contradict each other
   */
  *of(source: ReusedSource): Generator<Step> {
    const { sessions, quarantine, findings } = this.#files;
    this.#files.seek(source);
    const report = this.#reportOf(source);
    const identity = this.#isMerged ? undefined : identityIn(source.fingerprint);
    const rejected = quarantine.peek();
    const size = rejected === undefined ? report.readBytes : rejected.source.size;
    this.#counted = -1;
    yield { kind: 'source-begin', source: source.index, provisional: false, identity, size };
    for (let line = findings.take(); line !== undefined; line = findings.take()) yield findingOf(line);
    // rejected lines, sessions and records keep the order of the quarantine
    for (let line = quarantine.peek(); line !== undefined; line = quarantine.peek()) {
      if (line.scope === 'source') break;
      if (line.scope === 'line') yield this.#rejectedLineOf(this.#takeRejection());
      else yield* this.#nextSession();
    }
    while (sessions.peek() !== undefined) yield* this.#nextSession();
    yield withCode(report, quarantine.take()); // the quarantine record of the source itself
  }

  /**
   * Ends the reading after the last source.
   * @throws TurnmillError `invalid-dataset` if there are records that no session names
   */
  end(): void {
    this.#files.end();
    this.#records.end();
  }

  *#nextSession(): Generator<Step> {
    const line = this.#present(LINE_FILES.sessions, this.#files.sessions.take());
    const { messages: roles, calls = {} } = line;
    const first = roles && { roles, calls };
    for (const { format, shard, line: number } of this.#placesOf(line)) {
      const opening = this.#records.open(shard);
      if (opening !== undefined) yield opening;
      const bytes = this.#records.at(shard, number);
      const shape = format === this.#format ? first : undefined;
      yield { kind: 'record', group: this.#records.groupOf(shard), format, bytes, shape };
    }
    yield this.#sessionOf(line);
  }

  #placesOf({ records, shard, line }: PathedSession): readonly RecordPlace[] {
    if (records !== undefined) return records;
    return shard === undefined || line === undefined ? [] : [{ format: this.#format, shard, line }];
  }

  #sessionOf(line: PathedSession): SessionReport {
    const { id, fate, origin, entries, superseded, truncated, folded, root, model, path } = line;
    const { changes, tools, usage, refused } = line;
    const reason = rejectionReason(fate);
    const contents = new Map<number, RejectedContent>();
    const recordRejections = refused?.map(() => this.#nextRecordRejection(contents));
    const rejection = reason === undefined ? undefined : this.#rejectionOf(reason, entries, contents);
    return {
      kind: 'session',
      sessionId: id ?? undefined,
      fate: reason === undefined ? this.#fateOf(fate) : 'rejected',
      ...(origin && { snapshot: origin }),
      entries,
      superseded,
      truncated,
      changes: Object.entries(changes),
      ...(folded !== undefined && { folded }),
      ...(root !== undefined && { root }),
      ...(model !== undefined && { model }),
      ...(tools && { toolCounts: tools }),
      ...(usage && { usage }),
      ...(path !== undefined && { path }),
      ...(recordRejections && { recordRejections }),
      ...(rejection && { rejection }),
      ...(contents.size > 0 && { contents }),
    };
  }

  #fateOf(fate: string): 'written' | 'empty' | 'contained' {
    if (fate === 'written' || fate === 'empty' || fate === 'contained') return fate;
    throw damaged(
      this.#run.pathOf(LINE_FILES.sessions),
      `has a session with the fate ${JSON.stringify(fate)}`,
    );
  }

  /** Takes the next refusal: the quarantine has a record for each format that refused the session. */
  #nextRecordRejection(contents: Contents): RecordRejection {
    const rejected = this.#takeRejection();
    const { format, reason, stage, error } = rejected;
    this.#keepContent(rejected, contents);
    return { format: this.#present(LINE_FILES.quarantine, format), reason, stage, detail: error.message };
  }

  /** Takes the records of a rejected session: the quarantine has one for each entry. */
  #rejectionOf(reason: string, entries: number, contents: Contents): NonNullable<SessionReport['rejection']> {
    const log = createEntryLog();
    let [stage, detail, violation] = ['', '', 0];
    for (let n = 0; n < entries; ) {
      const rejected = this.#takeRejection();
      this.#keepContent(rejected, contents);
      const count = 1 + (rejected.rest?.[reason] ?? 0);
      // unlisted entries have only a line: they are added with the place of the listed one
      for (let i = 0; i < count; i++) log.add({ source: '', ...this.#placeOf(rejected) });
      n += count;
      const [, text = '', line] = VIOLATION.exec(rejected.error.message) ?? [];
      [stage, detail, violation] = [rejected.stage, text, Number(line)];
    }
    return { reason, stage, detail, line: violation, log: log.take() };
  }

  /** Adds the bytes at a place, so that the source need not be read again. */
  #keepContent(rejected: QuarantineLine, contents: Contents): void {
    const { raw_sha256 = null, raw_b64, member } = rejected;
    const bytes = raw_b64 === undefined ? undefined : Buffer.from(raw_b64, 'base64');
    const isLeftOut = this.#isLeftOut(rejected);
    const content = { sha256: raw_sha256, bytes, member, ...(isLeftOut && { isLeftOut }) };
    contents.set(this.#placeOf(rejected).offset, content);
  }

  /** Counts the bytes of a rejection. Returns true if they were not kept because the quarantine was full. */
  #isLeftOut(rejected: QuarantineLine): true | undefined {
    const { offset, length } = this.#placeOf(rejected);
    if (rejected.raw_b64 === undefined) return length > this.#leftBytes ? true : undefined;
    if (offset !== this.#counted) this.#leftBytes -= length;
    this.#counted = offset;
    return undefined;
  }

  #rejectedLineOf(rejected: QuarantineLine): RejectedLine {
    const isLeftOut = this.#isLeftOut(rejected);
    const { reason, stage, error, member, raw_sha256, raw_b64, rest } = rejected;
    return {
      kind: 'rejected-line',
      reason,
      stage,
      detail: error.message,
      ...(error.at !== undefined && { at: error.at }),
      ...this.#placeOf(rejected),
      ...(member !== undefined && { member }),
      sha256: this.#present(LINE_FILES.quarantine, raw_sha256 ?? undefined),
      ...(raw_b64 !== undefined && { raw: Buffer.from(raw_b64, 'base64') }),
      ...(rest !== undefined && { rest: Object.entries(rest) }),
      ...(isLeftOut && { isLeftOut }),
    };
  }

  #placeOf({ line, byte_start, byte_end }: QuarantineLine): Place {
    const offset = this.#present(LINE_FILES.quarantine, byte_start);
    const end = this.#present(LINE_FILES.quarantine, byte_end);
    return { line: this.#present(LINE_FILES.quarantine, line), offset, length: end - offset };
  }

  #takeRejection(): QuarantineLine {
    return this.#present(LINE_FILES.quarantine, this.#files.quarantine.take());
  }

  #reportOf({ index, fingerprint, name }: ReusedSource): SourceReport {
    const line = this.#present(LINE_FILES.sources, this.#files.sources.take());
    const { status, reason, detail = '', dialect, packed } = line;
    if (status === 'skipped')
      throw damaged(this.#run.pathOf(LINE_FILES.sources), `says that ${name} was skipped`);
    const { bom: _bom, crlf: _crlf, 'no-final-newline': _end, ...repairs } = line.repairs ?? {};
    return {
      kind: 'source',
      source: index,
      status,
      ...(reason !== undefined && { rejection: { reason, detail } }),
      ...(dialect !== undefined && { dialect }),
      compression: this.#present(LINE_FILES.sources, line.compression),
      fingerprint,
      ...(packed && { packed: packedOf(packed) }),
      readBytes: this.#present(LINE_FILES.sources, line.size),
      framing: this.#framingOf(line),
      lines: line.lines,
      fates: Object.entries(line.fates),
      repairs: Object.entries(repairs),
    };
  }

  #framingOf(line: SourceLine): FramingCounts {
    const { bom, lines, terminators } = this.#present(LINE_FILES.sources, line.parts);
    return {
      bytes: this.#present(LINE_FILES.sources, line.bytes),
      bomBytes: bom,
      lineBytes: lines,
      terminatorBytes: terminators,
      lines: this.#present(LINE_FILES.sources, line.framed),
      crlf: line.repairs?.crlf ?? 0,
      noFinalNewline: (line.repairs?.['no-final-newline'] ?? 0) > 0,
    };
  }

  /** Returns the value. Throws if it is missing, which means that the dataset is damaged. */
  #present<T>(file: LineFileName, value: T | undefined): T {
    if (value === undefined)
      throw damaged(this.#run.pathOf(file), 'does not have all lines and members of a source');
    return value;
  }
}

/** Adds the error code to the report of a source that could not be read. */
function withCode(report: SourceReport, quarantined: QuarantineLine | undefined): SourceReport {
  const { rejection } = report;
  const code = quarantined?.error.code;
  if (rejection === undefined || code === undefined || code === rejection.reason) return report;
  return { ...report, rejection: { ...rejection, code } };
}

function findingOf(found: FindingLine): FindingResult {
  const { severity, rule, session, entry, message, count, across_sources: acrossSources } = found;
  const finding = { severity, rule, sessionId: session ?? undefined, line: entry, message };
  const optional = { ...(count !== undefined && { count }), ...(acrossSources && { acrossSources }) };
  return { kind: 'finding', ...finding, ...optional };
}

function packedOf({ members, member_bytes, padding_bytes }: PackedLine): PackedCounts {
  return { members, memberBytes: member_bytes, paddingBytes: padding_bytes };
}
