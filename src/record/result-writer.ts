/**
 * Takes outcomes in the order of the sources and writes them down: records, sessions, quarantine, findings, the ledger.
 * A source's outcomes are held until its report says that it counts; what does not fit in memory waits in a spool.
 */

import { addUsage, type UsageByGroup } from '../../transforms/model/tool-usage.ts';
import { LINE_FILES, WORK_FILES } from '../dataset/layout.ts';
import type { PackedCounts } from '../input/decompress/packed-counts.ts';
import { sizeOfStamp } from '../input/fingerprint.ts';
import type { FramingCounts } from '../input/framing/framer.ts';
import type { Listing, SkippedSource, SourceRef } from '../input/sources/source.ts';
import { type Ledger, losesNothing } from '../ledger/ledger.ts';
import {
  type FindingOutcome,
  type Outcome,
  type Refusal,
  type RowOutcome,
  repairsOf,
  type SessionReport,
  type SourceBegin,
  type SourceReport,
} from '../ledger/result.ts';
import type { Settings } from '../settings/settings.ts';
import { HeldOutcomes } from './held-results.ts';
import type { Destination, Location } from './output.ts';
import { createQuarantine } from './quarantine.ts';
import { ReopenedSessions } from './reopened-sessions.ts';
import { SESSION_IN_PARTS, SessionParts } from './session-parts.ts';

/** Where a session's record in a format stands. */
interface RecordPlace extends Location {
  readonly format: string;
}

/** Sessions whose records are out, but came back: only their first parts were written. */
export interface CameBack {
  readonly sessions: number;
  /** SOURCE:LINE where the first one came back. */
  readonly first: string;
}

export interface Recorder {
  /** Undefined where there are none, or all could be taken back. */
  reopened(): CameBack | undefined;
  accept(outcome: Outcome): Promise<void> | void;
  /** Writes down the sources that were passed over. */
  skipped(sources: readonly SkippedSource[]): void;
}

export interface RecorderParts {
  readonly settings: Settings;
  readonly listing: Listing;
  readonly destination: Destination;
  readonly ledger: Ledger;
  readonly usage: UsageByGroup;
}

export function createRecorder({ settings, listing, destination, ledger, usage }: RecorderParts): Recorder {
  let source: SourceRef | undefined;
  let stamp: string | undefined; // of the file that was opened
  let streaming = false; // this source's outcomes count at once
  let provisional = false; // the source's end may take everything back
  let reopened: ReopenedSessions | undefined; // of a source whose sessions may come back
  let sourceIndex = -1;
  let cameBack: CameBack | undefined;
  let places: RecordPlace[] = []; // of the records that the session that comes next has
  let group = '';

  /**
   * The number of the input that a source was found in, where there are several. Each line spells out how it names its source:
   * to spread that into the lines of every session took a tenth of a run over small files.
   */
  const inputOf = ({ input }: Pick<SourceRef, 'input'>): number | undefined =>
    settings.inputs.length > 1 ? input : undefined;
  const write = (record: object): void => destination.line(LINE_FILES.quarantine, record);
  const held = new HeldOutcomes(destination);
  const parts = new SessionParts(listing);
  const quarantine = createQuarantine({ settings, write: destination.streams ? undefined : write });

  function writeSession(ref: SourceRef, session: SessionReport): Promise<void> | undefined {
    const { sessionId, outcome, snapshot, rejection, refusals = [] } = session;
    // of the one record that a written session mostly has, its place; of several each one's, and the formats that refused
    const only = settings.format.length === 1 && places.length === 1 ? places[0] : undefined;
    const isWritten = outcome === 'written';
    const several = isWritten && only === undefined;
    ledger.session(session);
    if (settings.integrity) parts.see(sourceIndex, session);
    ledger.rewrites(session.changes);
    if (session.usage !== undefined) addUsage(usage, group, session.usage);
    destination.line(LINE_FILES.sessions, {
      id: sessionId ?? null,
      source: ref.name,
      source_b64: ref.nameBase64,
      input: inputOf(ref),
      fate: rejection === undefined ? outcome : `rejected:${rejection.reason}`,
      shard: isWritten ? only?.shard : undefined,
      line: isWritten ? only?.line : undefined,
      records: several ? places : undefined,
      refused: several && refusals.length > 0 ? refusals.map(refused) : undefined,
      origin: snapshot,
      entries: session.entries,
      superseded: session.superseded,
      truncated: session.truncated,
      changes: Object.fromEntries(session.changes),
      tools: session.toolCounts ?? null,
      usage: session.usage,
    });
    for (const format of new Set(places.map((place) => place.format))) ledger.wrote(format);
    places = [];
    return rejection === undefined && refusals.length === 0 ? undefined : writeRejected(session);
  }

  const refused = ({ format, reason }: Refusal): object => ({ format, reason });

  async function writeRejected(session: SessionReport): Promise<void> {
    const { rejection, refusals = [] } = session;
    if (rejection !== undefined) await quarantine.session(session, rejection);
    for (const refusal of refusals) await quarantine.refusal(session, refusal);
  }

  function writeSource(ref: SourceRef, report: SourceReport): void {
    ledger.source(report);
    const { rejection } = report;
    const size = sizeOf(ref, stamp, report);
    destination.line(LINE_FILES.sources, {
      source: ref.name,
      source_b64: ref.nameBase64,
      input: inputOf(ref),
      status: report.status,
      reason: rejection?.reason,
      detail: rejection?.detail,
      size,
      compression: report.compression,
      packed: report.packed && packedLine(report, report.packed, size),
      bytes: report.framing.bytes,
      parts: partsOf(report.framing),
      framed: report.framing.lines,
      lines: report.lines,
      fates: Object.fromEntries(report.fates),
      repairs: Object.fromEntries(repairsOf(report)),
    });
    destination.line(WORK_FILES.fingerprints, lasts(rejection?.reason) ? (report.proof ?? '') : '');
    if (rejection !== undefined) quarantine.source(ref, rejection, size);
  }

  function writeRow(row: RowOutcome): Promise<void> | void {
    const { format } = row;
    group = row.group;
    ledger.record(format);
    const note = (at: Location): void => {
      places.push({ format, ...at });
    };
    const wrote = destination.record(row);
    return wrote instanceof Promise ? wrote.then(note) : note(wrote);
  }

  function writeFinding(ref: SourceRef, finding: FindingOutcome): void {
    const { severity, rule, sessionId, line, message, count } = finding;
    ledger.finding(finding);
    destination.line(LINE_FILES.findings, {
      severity,
      rule,
      session: sessionId ?? null,
      source: ref.name,
      source_b64: ref.nameBase64,
      input: inputOf(ref),
      entry: line,
      message,
      count,
    });
  }

  function apply(outcome: Outcome): Promise<void> | void {
    const ref = source as SourceRef;
    switch (outcome.kind) {
      case 'row':
        return writeRow(outcome);
      case 'session':
        return writeSession(ref, outcome);
      case 'rejected-line':
        return quarantine.line(outcome);
      case 'finding':
        // one that an earlier run wrote: which sources come before this one may have changed
        return outcome.rule === SESSION_IN_PARTS ? undefined : writeFinding(ref, outcome);
      case 'source':
        return writeSource(ref, outcome);
      default:
        return;
    }
  }

  async function applyHeld(): Promise<void> {
    const outcomes = reopened === undefined ? held.all() : reopened.amend(() => held.all());
    for (const outcome of outcomes) {
      const done = apply(outcome);
      if (done !== undefined) await done;
    }
  }

  async function endSource(report: SourceReport): Promise<void> {
    const ref = source as SourceRef;
    const takenBack = report.status === 'rejected' && provisional && !destination.streams;
    // nothing of a stream is written down before its end, so its records can tell its size as those of files do
    if (ref.stream !== undefined) quarantine.sized(report.readBytes);
    if (!takenBack) await applyHeld();
    for (const finding of parts.take()) writeFinding(ref, finding);
    noteReopened(ref);
    held.clear();
    writeSource(ref, takenBack ? withoutFates(report) : (reopened?.amendReport(report) ?? report));
    await quarantine.end();
  }

  /** Do the source's outcomes count as they come? */
  function isStreamed({ mayReopen }: SourceBegin): boolean {
    if (destination.streams) return !destination.discards || mayReopen !== true;
    return !provisional && mayReopen !== true;
  }

  /** With `--on-reject fail` a pipe is not read to its end for the first rejection: nothing can take that back. */
  function endsAtOnce(outcome: Outcome): boolean {
    if (provisional || settings.onReject !== 'fail') return false;
    if (outcome.kind === 'session') return outcome.rejection !== undefined || outcome.refusals !== undefined;
    return outcome.kind === 'rejected-line';
  }

  /** Notes the sessions of a source that came back when their records could not be taken back any more. */
  function noteReopened({ name }: SourceRef): void {
    if (reopened?.first === undefined || !destination.streams || destination.discards) return;
    const { sessions = 0, first = `${name}:${reopened.first}` } = cameBack ?? {};
    cameBack = { sessions: sessions + reopened.count, first };
  }

  return {
    reopened: () => cameBack,
    accept(outcome) {
      if (outcome.kind === 'source-begin') {
        sourceIndex = outcome.source;
        source = listing.sources[sourceIndex] as SourceRef;
        provisional = outcome.provisional;
        reopened = outcome.mayReopen ? new ReopenedSessions() : undefined;
        streaming = isStreamed(outcome);
        stamp = outcome.stamp;
        if (outcome.again === true) held.clear();
        quarantine.begin(source, stamp);
        return;
      }
      if (outcome.kind === 'source') return endSource(outcome);
      reopened?.see(outcome);
      return streaming || endsAtOnce(outcome) ? apply(outcome) : held.add(outcome);
    },
    skipped(sources) {
      for (const skipped of sources) {
        destination.line(LINE_FILES.sources, {
          source: skipped.name,
          source_b64: skipped.nameBase64,
          input: inputOf(skipped),
          status: 'skipped',
          reason: skipped.reason,
          lines: 0,
          fates: {},
        });
        if (losesNothing(skipped.reason)) continue;
        quarantine.source(skipped, { reason: skipped.reason, detail: 'it was passed over' }, undefined);
      }
    },
  };
}

/** Bytes of the file when it was opened, or listed; of standard input and streams those that were read. */
function sizeOf(ref: SourceRef, stamp: string | undefined, { readBytes }: SourceReport): number {
  if (ref.path === undefined) return readBytes;
  return stamp === undefined ? ref.sizeBytes : sizeOfStamp(stamp);
}

/** Where the bytes went; the rest is what was read of a source that was given up, or left at a limit. */
function partsOf({ bytes, bomBytes, lineBytes, terminatorBytes }: FramingCounts): Record<string, number> {
  const rest = bytes - bomBytes - lineBytes - terminatorBytes;
  return { bom: bomBytes, lines: lineBytes, terminators: terminatorBytes, rest };
}

/** Where the bytes of a packed source went: members, padding, and what belongs to neither. */
function packedLine({ rejection }: SourceReport, packed: PackedCounts, size: number): object {
  const { members, memberBytes, paddingBytes } = packed;
  const trailing = rejection?.reason === 'trailing-data' ? size - memberBytes - paddingBytes : 0;
  return { members, member_bytes: memberBytes, padding_bytes: paddingBytes, trailing_bytes: trailing };
}

/** Reasons that may not be in the bytes of the file (a program that unpacks it may have been killed): another day it may be read. */
const PASSING = new Set<string>([
  ...['unreadable', 'changed-while-read', 'not-regular', 'vanished', 'worker-crash', 'corrupt-zstd'],
]);

const lasts = (reason: string | undefined): boolean => reason === undefined || !PASSING.has(reason);

/** The report of a source of which nothing counts: all its lines share its fate. */
function withoutFates(report: SourceReport): SourceReport {
  const { lines } = report.framing;
  const fates = lines === 0 ? [] : [[`rejected:${report.rejection?.reason}`, lines] as const];
  return { ...report, lines, fates, repairs: [] };
}
