/**
 * Takes results in the order of the sources and writes them: records, sessions, quarantine, findings, the ledger. The
 * results of a source are held until its report shows whether they count; those that do not fit in memory are held as
 * parts in a file.
 */

import { crc32 } from 'node:zlib';
import { refusalsIn } from '../../transforms/consumers/refusals.ts';
import { shapeOfRecord } from '../../transforms/formats/record-shape.ts';
import type { RecordShape } from '../../transforms/formats/shape-counter.ts';
import { decode } from '../../transforms/json/utf8.ts';
import { addUsage, addUsageRows, type UsageByGroup } from '../../transforms/model/tool-usage.ts';
import { wordSet } from '../../transforms/model/words.ts';
import { LINE_FILES, WORK_FILES } from '../dataset/layout.ts';
import type { SessionLine } from '../dataset/schema/ledger.ts';
import type { QuarantineLine } from '../dataset/schema/quarantine.ts';
import { TurnmillError } from '../errors.ts';
import { sizeInIdentity } from '../input/fingerprint.ts';
import type { Listing, SkippedSource, SourceRef } from '../input/sources/source.ts';
import type { ProfileCounter } from '../ledger/dataset-profile.ts';
import { type Ledger, losesNothing } from '../ledger/ledger.ts';
import { Redactor } from '../ledger/redactor.ts';
import {
  type FindingResult,
  type RecordResult,
  type RecordSeal,
  type Result,
  type SessionReport,
  type SourceBegin,
  type SourceReport,
  withoutFates,
} from '../ledger/result.ts';
import { ListedIds } from '../settings/listed-ids.ts';
import type { RecordSettings } from '../settings/settings.ts';
import { keepsPaths } from '../settings/split-shares.ts';
import { EarlierSources, seenSession } from './earlier-sources.ts';
import { HeldResults } from './held-results.ts';
import { quote } from './line-text.ts';
import type { Destination, Location } from './output.ts';
import { Quarantine } from './quarantine.ts';
import { NO_PLACE, type RecordedSources, type SourceNotes } from './recorded-sources.ts';
import { ReopenedSessions } from './reopened-sessions.ts';
import { type RecordPlace, SourceLines } from './source-lines.ts';

/** Sessions that resumed after their records had been written to standard output, which has only their first parts. */
export interface LateResumption {
  readonly sessions: number;
  /** `SOURCE:LINE` at which the first one resumed. */
  readonly first: string;
}

export interface RecorderOptions {
  readonly settings: RecordSettings;
  readonly listing: Listing;
  readonly destination: Destination;
  readonly ledger: Ledger;
  readonly usage: UsageByGroup;
  /** Counts the figures of the report, if one is written. */
  readonly profile?: ProfileCounter | undefined;
  /** Findings about all sources together, which are written with the first one. */
  readonly findings?: readonly FindingResult[] | undefined;
  /** Compares sessions with those of earlier sources; by default, all sources of the run are recorded here. */
  readonly earlier?: Pick<EarlierSources, 'see' | 'take'> | undefined;
}

export class Recorder {
  readonly #options: RecorderOptions;
  readonly #lines: SourceLines;
  readonly #held: HeldResults;
  readonly #earlier: Pick<EarlierSources, 'see' | 'take'>;
  readonly #quarantine: Quarantine;
  readonly listed: ListedIds | undefined;
  #source: SourceRef | undefined;
  #sourceIndex = -1;
  /** Identity of the opened file. */
  #identity: string | undefined;
  /** Size of a source that is reused, as its ledger has it. */
  #size: number | undefined;
  /** Whether the results of the source count immediately. */
  #isStreaming = false;
  /** Whether all results of the source may be withdrawn at its end. */
  #isProvisional = false;
  /** Undefined if the sessions of the source cannot resume. */
  #reopened: ReopenedSessions | undefined;
  #late: LateResumption | undefined;
  /** Places of the records of the next session report. */
  #places: RecordPlace[] = [];
  /** Shapes of those in the first format. */
  #shapes: (RecordShape | undefined)[] = [];
  #group = '';

  constructor(options: RecorderOptions) {
    const { settings, listing, destination, profile } = options;
    const write = (record: QuarantineLine): void => {
      profile?.quarantined(record);
      destination.line(LINE_FILES.quarantine, JSON.stringify(record));
    };
    this.#options = options;
    this.listed = settings.only && new ListedIds(settings.only);
    this.#lines = new SourceLines(destination, settings.inputs.length > 1, profile);
    this.#held = new HeldResults(destination);
    this.#earlier = options.earlier ?? new EarlierSources(listing);
    const redactor = settings.redaction && new Redactor(settings.redaction);
    this.#quarantine = new Quarantine({ settings, write: destination.streams ? undefined : write, redactor });
  }

  /** Returns the sessions that resumed after their records had been written, if there are any. */
  reopened(): LateResumption | undefined {
    return this.#late;
  }

  accept(result: Result): Promise<void> | void {
    if (result.kind === 'source-begin') return this.#begin(result);
    if (result.kind === 'source') return this.#endSource(result);
    this.#reopened?.see(result);
    return this.#isStreaming || this.#endsRun(result) ? this.#apply(result) : this.#held.add(result);
  }

  /** Writes sources that a worker thread has recorded, and what depends on other sources. */
  async add(recorded: RecordedSources): Promise<void> {
    const { ledger, usage, profile, destination } = this.#options;
    const places = await this.#writeRecords(recorded);
    this.#addPaths(recorded, places);
    for (const [i, notes] of recorded.notes.entries()) this.#writeNotes(recorded.first + i, notes);
    const sessions = withPlaces(decode(recorded.sessions), places);
    if (this.listed !== undefined) for (const { id } of sessionsIn(sessions)) this.listed.see(id);
    writeLines(destination, LINE_FILES.sessions, sessions);
    writeLines(destination, LINE_FILES.sources, decode(recorded.sources));
    writeLines(destination, WORK_FILES.fingerprints, decode(recorded.fingerprints));
    ledger.add(recorded.counts);
    addUsageRows(usage, recorded.usage);
    profile?.add(recorded.profile);
  }

  async #writeRecords({ series, records }: RecordedSources): Promise<readonly Location[]> {
    const places: Location[] = [];
    let at = 0;
    for (const { group, format, lengths } of series) {
      for (const length of lengths) {
        const bytes = records.subarray(at, at + length);
        const place = this.#options.destination.record({ kind: 'record', group, format, bytes });
        places.push(place instanceof Promise ? await place : place);
        at += length;
      }
    }
    return places;
  }

  #addPaths({ paths, pathRows }: RecordedSources, places: readonly Location[]): void {
    let at = 0;
    for (const [bytes, formats, records] of pathRows) {
      const hashes = paths.subarray(at, at + bytes);
      this.#options.destination.path({ hashes, formats, place: places[records] });
      at += bytes;
    }
  }

  #writeNotes(index: number, { findings, sessions }: SourceNotes): void {
    for (const session of sessions) this.#earlier.see(index, session);
    const own = findings.filter((finding) => !EarlierSources.decides(finding));
    const all = [...own, ...this.#lastFindings(index)];
    if (all.length === 0) return;
    const ref = this.#options.listing.sources.at(index) as SourceRef;
    for (const finding of all) this.#writeFinding(ref, finding);
  }

  /** Returns the findings that follow those of a source. */
  #lastFindings(index: number): readonly FindingResult[] {
    const { findings = [] } = this.#options;
    return index === 0 ? [...this.#earlier.take(), ...findings] : this.#earlier.take();
  }

  /** Records the sources that were skipped. */
  skipped(sources: readonly SkippedSource[]): void {
    for (const skipped of sources) {
      this.#lines.skipped(skipped);
      if (losesNothing(skipped.reason)) continue;
      const why = { reason: skipped.reason, detail: 'it was skipped' };
      this.#quarantine.source(skipped, why, undefined);
    }
  }

  #begin(begin: SourceBegin): void {
    this.#sourceIndex = begin.source;
    this.#source = this.#options.listing.sources.at(begin.source) as SourceRef;
    this.#isProvisional = begin.provisional;
    this.#reopened = begin.mayReopen ? new ReopenedSessions() : undefined;
    this.#isStreaming = this.#isFinal || (!this.#isProvisional && begin.mayReopen !== true);
    this.#identity = begin.identity;
    this.#size = begin.size;
    if (begin.again === true) this.#held.clear();
    this.#quarantine.begin(this.#source, begin.identity);
    if (begin.size !== undefined) this.#quarantine.setSize(begin.size);
  }

  /** Whether nothing can be withdrawn, because records leave the process at once. A run that writes nothing counts as a build does. */
  get #isFinal(): boolean {
    const { streams, discards } = this.#options.destination;
    return streams && !discards;
  }

  /**
   * Returns whether the result ends the run: with `--on-reject fail`, the rest of a pipe is not read after a rejection,
   * because its results cannot be withdrawn.
   */
  #endsRun(result: Result): boolean {
    if (this.#isProvisional || this.#options.settings.onReject !== 'fail') return false;
    if (result.kind === 'session')
      return result.rejection !== undefined || result.recordRejections !== undefined;
    return result.kind === 'rejected-line';
  }

  #endSource(report: SourceReport): Promise<void> | void {
    const ref = this.#source as SourceRef;
    const isWithdrawn = report.status === 'rejected' && this.#isProvisional && !this.#isFinal;
    // nothing of a stream or a folder is written before its end, so its quarantine records can have its size, like those of files
    if (ref.stream !== undefined || ref.parts !== undefined) this.#quarantine.setSize(report.readBytes);
    if (isWithdrawn || this.#held.isEmpty) return this.#closeSource(ref, report, isWithdrawn);
    return this.#applyHeld().then(() => this.#closeSource(ref, report, false));
  }

  #closeSource(ref: SourceRef, report: SourceReport, isWithdrawn: boolean): Promise<void> | void {
    for (const finding of this.#lastFindings(this.#sourceIndex)) this.#writeFinding(ref, finding);
    this.#noteReopened(ref);
    this.#held.clear();
    const amended = this.#reopened?.amendReport(report) ?? report;
    this.#writeSource(ref, isWithdrawn ? withoutFates(report) : amended);
    return this.#quarantine.end();
  }

  async #applyHeld(): Promise<void> {
    const held = (): Iterable<Result> => this.#held.all();
    for (const result of this.#reopened === undefined ? held() : this.#reopened.amend(held)) {
      const done = this.#apply(result);
      if (done !== undefined) await done;
    }
  }

  /** Remembers the sessions that resumed after their records could no longer be withdrawn. */
  #noteReopened({ name }: SourceRef): void {
    const reopened = this.#reopened;
    if (reopened?.first === undefined || !this.#isFinal) return;
    const { sessions = 0, first = `${name}:${reopened.first}` } = this.#late ?? {};
    this.#late = { sessions: sessions + reopened.count, first };
  }

  #apply(result: Result): Promise<void> | void {
    const ref = this.#source as SourceRef;
    switch (result.kind) {
      case 'record':
        return this.#writeRecord(result);
      case 'session':
        return this.#writeSession(ref, result);
      case 'rejected-line':
        return this.#quarantine.line(result);
      case 'finding':
        return EarlierSources.decides(result) ? undefined : this.#writeFinding(ref, result);
      default:
        return;
    }
  }

  #writeRecord(record: RecordResult): Promise<void> | void {
    const { format } = record;
    if (record.seal !== undefined) checkSeal(record, record.seal, this.#source?.name);
    this.#group = record.group;
    const isFirst = format === this.#options.settings.format[0];
    const shape = isFirst ? (record.shape ?? shapeOfRecord(record.bytes, format)) : undefined;
    this.#options.ledger.record(format, record.refusals ?? refusalsIn(record.bytes, format, shape));
    this.#options.profile?.record(record.bytes, isFirst ? { shape } : undefined);
    if (isFirst) this.#shapes.push(shape);
    const location = this.#options.destination.record(record);
    if (location instanceof Promise) return location.then((at) => this.#note(format, at));
    this.#note(format, location);
  }

  #note(format: string, at: Location): void {
    this.#places.push({ format, shard: at.shard, line: at.line });
  }

  #writeSession(ref: SourceRef, session: SessionReport): Promise<void> | undefined {
    const { settings, ledger, usage } = this.#options;
    const places = this.#places;
    ledger.session(session);
    this.listed?.see(session.sessionId);
    const seen = settings.integrity ? seenSession(session, ref) : undefined;
    if (seen !== undefined) this.#earlier.see(this.#sourceIndex, seen);
    ledger.rewrites(session.changes);
    if (session.usage !== undefined) addUsage(usage, this.#group, session.usage);
    const shape = this.#shapes.length === 1 ? this.#shapes[0] : undefined;
    this.#lines.session(ref, session, places, this.#group, shape, settings.format.length === 1);
    if (places.length === 1) ledger.wrote((places[0] as RecordPlace).format);
    else for (const format of new Set(places.map((place) => place.format))) ledger.wrote(format);
    if (keepsPaths(settings)) this.#writePath(session);
    this.#places = [];
    this.#shapes = [];
    const { rejection, recordRejections = [] } = session;
    return rejection === undefined && recordRejections.length === 0
      ? undefined
      : this.#writeRejected(session);
  }

  /** Writes the path of a session that has records, or would have. */
  #writePath({ fate, path, sessionId, recordRejections = [] }: SessionReport): void {
    if (fate !== 'written' && fate !== 'contained') return;
    if (path === undefined) throw new TurnmillError('unbalanced', `session ${sessionId} has no path`);
    const refused = new Set(recordRejections.map(({ format }) => format));
    let formats = 0;
    for (const [bit, name] of this.#options.settings.format.entries())
      if (!refused.has(name)) formats += 2 ** bit;
    this.#options.destination.path({ hashes: path, formats, place: this.#places[0] });
  }

  async #writeRejected(session: SessionReport): Promise<void> {
    const { rejection, recordRejections = [] } = session;
    if (rejection !== undefined) await this.#quarantine.session(session, rejection);
    for (const recordRejection of recordRejections)
      await this.#quarantine.recordRejection(session, recordRejection);
  }

  #writeFinding(ref: SourceRef, finding: FindingResult): void {
    this.#options.ledger.finding(finding);
    this.#lines.finding(ref, finding);
  }

  #writeSource(ref: SourceRef, report: SourceReport): void {
    this.#options.ledger.source(report);
    const { rejection } = report;
    const size = this.#size ?? sizeOf(ref, this.#identity, report);
    this.#lines.source(ref, report, size);
    const fingerprint = isLasting(rejection?.reason) ? (report.fingerprint ?? '') : '';
    this.#options.destination.line(WORK_FILES.fingerprints, quote(fingerprint));
    if (rejection !== undefined) this.#quarantine.source(ref, rejection, size);
  }
}

const sessionsIn = (lines: string): readonly SessionLine[] =>
  lines.split('\n').flatMap((line) => (line === '' ? [] : (JSON.parse(line) as SessionLine)));

/** Fills in the places of records. */
function withPlaces(lines: string, places: readonly Location[]): string {
  const [first = '', ...pieces] = lines.split(NO_PLACE);
  if (pieces.length !== places.length)
    throw new TurnmillError('unbalanced', `${places.length} records, but sessions name ${pieces.length}`);
  let text = first;
  for (const [i, piece] of pieces.entries()) {
    const { shard, line } = places[i] as Location;
    text += `"shard":${quote(shard)},"line":${line}${piece}`;
  }
  return text;
}

/** Appends lines, each of which ends with a line feed. */
function writeLines(destination: Destination, file: string, lines: string): void {
  if (lines !== '') destination.line(file, lines.slice(0, -1), lines.split('\n').length - 1);
}

/** @throws TurnmillError `record-changed` if the bytes are not those that left the stages */
function checkSeal({ bytes, format }: RecordResult, seal: RecordSeal, source = ''): void {
  if (crc32(bytes) === seal.crc32) return;
  const session = seal.sessionId === undefined ? 'a session' : `session ${seal.sessionId}`;
  throw new TurnmillError(
    'record-changed',
    `${session} of ${source}: its record (${format}) changed after it was formatted: a stage of a plug-in must not change the bytes of a record that it has passed on`,
    { subject: source },
  );
}

/**
 * Returns the size of a file when it was opened, or else when it was listed; for standard input, streams and folders,
 * the number of bytes that were read.
 */
function sizeOf(ref: SourceRef, identity: string | undefined, { readBytes }: SourceReport): number {
  if (ref.path === undefined || ref.parts !== undefined) return readBytes;
  return identity === undefined ? ref.sizeBytes : sizeInIdentity(identity);
}

/**
 * Reasons that may have nothing to do with the bytes of the file, so that the next run may be able to read it. (A killed
 * decompressor looks like corrupt zstd.)
 */
const TRANSIENT: ReadonlySet<string> = wordSet(`
  unreadable changed-while-read not-regular vanished worker-crash internal-error corrupt-zstd
`);

/** Returns whether the fingerprint of a source that was rejected for this reason is valid for later runs. */
const isLasting = (reason: string | undefined): boolean => reason === undefined || !TRANSIENT.has(reason);
