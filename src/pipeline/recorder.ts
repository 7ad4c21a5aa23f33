/**
 * Takes outcomes in the order of the sources and writes them down: records, sessions, quarantine, findings, the ledger.
 * A source's outcomes are held until its report says that it counts; what does not fit in memory waits in a spool.
 */
import { placesOf } from '../../transforms/entry-log.ts';
import { addUsage, type UsageByGroup } from '../../transforms/tool-usage.ts';
import type { PackedCounts } from '../compression/packed-counts.ts';
import { TurnmillError } from '../errors.ts';
import type { FramingCounts } from '../framing/framer.ts';
import type { Listing, SkippedSource, SourceRef } from '../sources/source.ts';
import type { Destination, Location, Spool } from './destination.ts';
import { type Ledger, losesNothing } from './ledger.ts';
import {
  type Outcome,
  type Refusal,
  type RejectedLine,
  type RowOutcome,
  repairsOf,
  type SessionReport,
  type SourceReport,
  weightOf,
} from './outcome.ts';
import type { Settings } from './settings.ts';

/** The files beside the shards. */
export const FILES = {
  sources: 'ledger/sources.jsonl',
  sessions: 'ledger/sessions.jsonl',
  quarantine: 'quarantine/rejected.jsonl',
  integrity: 'reports/integrity.jsonl',
} as const;

const QUARANTINE_VERSION = 1;
const HELD_BYTES = 4 * 1024 * 1024;
const RAW_MAX_BYTES = 1024 * 1024;

/** Where a session's record in a format stands. */
interface RecordPlace extends Location {
  readonly format: string;
}

export interface Recorder {
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
  let held: Outcome[] = [];
  let heldBytes = 0;
  let largestBytes = 0; // of what is held: a giant record alone is not spooled, that would take a second copy of it
  let spool: Spool | undefined;
  let streaming = false; // this source's outcomes count at once
  let places: RecordPlace[] = []; // of the records that the session that comes next has
  let group = '';

  const uri = (ref: Pick<SourceRef, 'name' | 'nameBase64' | 'input'>): object => ({
    source: ref.name,
    ...(ref.nameBase64 === undefined ? {} : { source_b64: ref.nameBase64 }),
    ...(settings.inputs.length > 1 ? { input: ref.input } : {}),
  });

  function rejected(what: string, reason: string): void {
    if (settings.onReject === 'fail')
      throw new TurnmillError('rejected', `${what}: ${reason}`, { subject: what });
  }

  /** A quarantine record (reliability.md §1.3). */
  function quarantine(scope: string, ref: Pick<SourceRef, 'name' | 'input'>, fields: object): void {
    destination.line(FILES.quarantine, { v: QUARANTINE_VERSION, scope, ...uri(ref), ...fields });
  }

  function writeRejectedLine(ref: SourceRef, line: RejectedLine): void {
    const keep = line.raw !== undefined && line.raw.length <= RAW_MAX_BYTES;
    quarantine('line', ref, {
      reason: line.reason,
      stage: line.stage,
      line: line.line,
      byte_start: line.offset,
      byte_end: line.offset + line.length,
      raw_sha256: line.sha256,
      ...(keep ? { raw_b64: Buffer.from(line.raw as Uint8Array).toString('base64') } : {}),
      error: line.detail,
    });
    rejected(`${ref.name}:${line.line}`, line.reason);
  }

  function writeSession(ref: SourceRef, session: SessionReport): void {
    const { sessionId, outcome, snapshot, rejection, refusals = [] } = session;
    ledger.session(session);
    ledger.rewrites(session.changes);
    if (session.usage !== undefined) addUsage(usage, group, session.usage);
    destination.line(FILES.sessions, {
      id: sessionId ?? null,
      ...uri(ref),
      fate: rejection === undefined ? outcome : `rejected:${rejection.reason}`,
      ...(outcome === 'written' ? recordsOf(places, refusals) : {}),
      ...(snapshot === undefined ? {} : { origin: snapshot }),
      entries: session.entries,
      superseded: session.superseded,
      truncated: session.truncated,
      changes: Object.fromEntries(session.changes),
      tools: session.toolCounts ?? null,
    });
    places = [];
    if (rejection !== undefined) writeRejectedSession(ref, session, rejection);
    for (const refusal of refusals) writeRefusal(ref, session, refusal);
  }

  function writeRefusal(ref: SourceRef, { sessionId, snapshot }: SessionReport, refusal: Refusal): void {
    const { format, reason, stage, detail } = refusal;
    const { line, offset, length } = snapshot as NonNullable<SessionReport['snapshot']>;
    quarantine('record', ref, {
      reason,
      stage,
      format,
      line,
      byte_start: offset,
      byte_end: offset + length,
      session_key: sessionId ?? null,
      raw_sha256: null,
      error: detail,
    });
    rejected(`${ref.name}:${line}, format ${format}`, reason);
  }

  /** Of one format, as ever, its place; of several each one's, and those that refused. */
  function recordsOf(records: readonly RecordPlace[], refusals: readonly Refusal[]): object {
    const [{ shard, line }] = records as readonly [RecordPlace];
    if (settings.format.length === 1) return { shard, line };
    const refused = refusals.map(({ format, reason }) => ({ format, reason }));
    return { records, ...(refused.length === 0 ? {} : { refused }) };
  }

  function writeRejectedSession(
    ref: SourceRef,
    { sessionId }: SessionReport,
    { reason, stage, detail, line: violation, log }: NonNullable<SessionReport['rejection']>,
  ): void {
    for (const { line, offset, length } of placesOf(log)) {
      quarantine('session', ref, {
        reason,
        stage,
        line,
        byte_start: offset,
        byte_end: offset + length,
        session_key: sessionId ?? null,
        raw_sha256: null,
        error: `${detail} (line ${violation})`,
      });
    }
    rejected(`${ref.name}:${violation}`, reason);
  }

  function writeSource(ref: SourceRef, report: SourceReport): void {
    ledger.source(report);
    const { rejection } = report;
    const size = sizeOf(ref, report);
    destination.line(FILES.sources, {
      ...uri(ref),
      status: report.status,
      ...(rejection === undefined ? {} : { reason: rejection.reason, detail: rejection.detail }),
      size,
      compression: report.compression,
      ...(report.packed && { packed: packedLine(report, report.packed, size) }),
      bytes: report.framing.bytes,
      parts: partsOf(report.framing),
      framed: report.framing.lines,
      lines: report.lines,
      fates: Object.fromEntries(report.fates),
      repairs: Object.fromEntries(repairsOf(report)),
    });
    if (rejection === undefined) return;
    quarantine('source', ref, { reason: rejection.reason, stage: 'source', error: rejection.detail });
    rejected(ref.name, rejection.reason);
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

  function apply(outcome: Outcome): Promise<void> | void {
    const ref = source as SourceRef;
    switch (outcome.kind) {
      case 'row':
        return writeRow(outcome);
      case 'session':
        return writeSession(ref, outcome);
      case 'rejected-line':
        return writeRejectedLine(ref, outcome);
      case 'finding': {
        const { severity, rule, sessionId, line, message } = outcome;
        ledger.finding(outcome);
        const finding = { severity, rule, session: sessionId ?? null, ...uri(ref), entry: line, message };
        return destination.line(FILES.integrity, finding);
      }
      case 'source':
        return writeSource(ref, outcome);
      default:
        return;
    }
  }

  function hold(outcome: Outcome): void {
    held.push(outcome);
    const weight = weightOf(outcome);
    heldBytes += weight;
    largestBytes = Math.max(largestBytes, weight);
    if (heldBytes - largestBytes <= HELD_BYTES) return;
    spool ??= destination.openSpool();
    if (spool === undefined) return;
    spool.write(held);
    held = [];
    heldBytes = largestBytes = 0;
  }

  async function applyHeld(): Promise<void> {
    if (spool !== undefined) for (const outcome of spool.read()) await apply(outcome as Outcome);
    for (const outcome of held) {
      const done = apply(outcome);
      if (done !== undefined) await done;
    }
  }

  async function endSource(report: SourceReport): Promise<void> {
    const takenBack = report.status === 'rejected' && !streaming;
    if (!takenBack) await applyHeld();
    spool?.close();
    spool = undefined;
    held = [];
    heldBytes = largestBytes = 0;
    writeSource(source as SourceRef, takenBack ? withoutFates(report) : report);
  }

  return {
    accept(outcome) {
      if (outcome.kind === 'source-begin') {
        source = listing.sources[outcome.source] as SourceRef;
        streaming = destination.streams || !outcome.provisional;
        return;
      }
      if (outcome.kind === 'source') return endSource(outcome);
      return streaming ? apply(outcome) : hold(outcome);
    },
    skipped(sources) {
      for (const skipped of sources) {
        destination.line(FILES.sources, {
          ...uri(skipped),
          status: 'skipped',
          reason: skipped.reason,
          lines: 0,
          fates: {},
        });
        if (losesNothing(skipped.reason)) continue;
        quarantine('source', skipped, {
          reason: skipped.reason,
          stage: 'source',
          error: 'it was passed over',
        });
        rejected(skipped.name, skipped.reason);
      }
    },
  };
}

/** Bytes of the file: those that were read, unless it was not read to its end. */
function sizeOf(ref: SourceRef, { status, readBytes }: SourceReport): number {
  const whole = status === 'read' || status === 'empty' || ref.path === undefined;
  return whole ? readBytes : ref.sizeBytes;
}

/** Where the bytes went (I1); the rest is what was read of a source that was given up, or left at a limit. */
function partsOf({ bytes, bomBytes, lineBytes, terminatorBytes }: FramingCounts): Record<string, number> {
  const rest = bytes - bomBytes - lineBytes - terminatorBytes;
  return { bom: bomBytes, lines: lineBytes, terminators: terminatorBytes, rest };
}

/** Where the bytes of a packed source went: members, padding, and what belongs to neither (I1). */
function packedLine({ rejection }: SourceReport, packed: PackedCounts, size: number): object {
  const { members, memberBytes, paddingBytes } = packed;
  const trailing = rejection?.reason === 'trailing-data' ? size - memberBytes - paddingBytes : 0;
  return { members, member_bytes: memberBytes, padding_bytes: paddingBytes, trailing_bytes: trailing };
}

/** The report of a source of which nothing counts: all its lines share its fate. */
function withoutFates(report: SourceReport): SourceReport {
  const { lines } = report.framing;
  const fates = lines === 0 ? [] : [[`rejected:${report.rejection?.reason}`, lines] as const];
  return { ...report, lines, fates, repairs: [] };
}
