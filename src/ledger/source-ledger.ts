/**
 * The account of one source: turns the elements that leave the chain into results, and assigns a fate to every line. If
 * the account does not add up, that is a bug, and the run ends with status 70.
 */

import { crc32 } from 'node:zlib';
import { refusalsOf } from '../../transforms/consumers/refusals.ts';
import { shapeOfWritten } from '../../transforms/formats/record-shape.ts';
import { copyOf } from '../../transforms/json/keep.ts';
import type {
  EntryLog,
  Origin,
  ReadText,
  Rejection,
  SessionEnd,
  SessionFate,
  StreamElement,
  WrittenRecord,
} from '../../transforms/model/element.ts';
import { modelIn } from '../../transforms/model/meta.ts';
import { usageOf } from '../../transforms/model/tool-usage.ts';
import type { LastSession, ShortcutSession } from '../../transforms/shortcut/shortcut-session.ts';
import { TurnmillError } from '../errors.ts';
import { sha256 } from '../sha256.ts';
import { comparedPath, markAnswers } from './compared-path.ts';
import { NO_COUNTS, sortedCounts, Tally } from './counts.ts';
import { FindingLimit } from './finding-limit.ts';
import { type Redactor, withRedactions } from './redactor.ts';
import { RejectionLimit } from './rejection-limit.ts';
import {
  eachFate,
  type RecordRejection,
  type RecordResult,
  type RecordSeal,
  type RejectedLine,
  type Result,
  recordRejectionOf,
  type SessionReport,
  type SourceReport,
} from './result.ts';

/** The fates and repairs of a source that has ended. */
export type SourceTotals = Pick<SourceReport, 'lines' | 'fates' | 'repairs' | 'dialect' | 'text'>;

export interface SourceLedgerOptions {
  /** Returns whether to keep the bytes of a rejected line of this length. */
  readonly keepRaw: (length: number) => boolean;
  /** Returns the gzip member that a byte of the source came from. */
  readonly memberAt?: ((offset: number) => number | undefined) | undefined;
  readonly onResult: (result: Result) => void;
  /** Returns whether a session of the current source may resume after its end. */
  readonly mayReopen?: (() => boolean) | undefined;
  /** Whether to seal records: code of plug-ins may keep and change their bytes. */
  readonly seals?: boolean | undefined;
  /** Whether to compute the paths of the conversations. */
  readonly paths?: boolean | undefined;
  /** Replaces secrets in records and in lines that are kept. */
  readonly redactor?: Redactor | undefined;
  /** Returns whether the run has reached its limit of sessions. */
  readonly full?: (() => boolean) | undefined;
}

/** The only dialect whose sessions take the shortcut. */
export const SHORTCUT_DIALECT = 'exchange';

const NO_ENTRIES: EntryLog = { count: 0, packed: new Uint8Array(0) };

export class SourceLedger {
  readonly #options: SourceLedgerOptions;
  readonly #fates = new Tally();
  readonly #repairs = new Tally();
  readonly #findings: FindingLimit;
  readonly #rejections: RejectionLimit;
  #records: WrittenRecord[] = [];
  /** One for each of `#records`, if records are sealed. */
  #seals: RecordSeal[] = [];
  #recordRejections: RecordRejection[] = [];
  #rejection: Rejection | undefined;
  #sessions = 0;
  #dialect: string | undefined;
  #text: ReadText | undefined;

  constructor(options: SourceLedgerOptions) {
    this.#options = options;
    this.#findings = new FindingLimit(options.onResult);
    this.#rejections = new RejectionLimit(options.onResult);
  }

  /** Sessions of the source that have ended so far. */
  get sessions(): number {
    return this.#sessions;
  }

  /** Whether the run has reached its limit of sessions; what comes after that is not counted. */
  get isFull(): boolean {
    return this.#options.full?.() === true;
  }

  accept(element: StreamElement): void {
    if (element.kind === 'session-end') this.#dialect = element.dialect ?? this.#dialect;
    if (this.isFull) return;
    switch (element.kind) {
      case 'record':
        this.#records.push(element);
        if (this.#options.seals === true)
          this.#seals.push({ crc32: crc32(element.bytes), sessionId: element.sessionId });
        break;
      case 'fate':
        this.#fates.add(element.fate);
        break;
      case 'rejection':
        this.#reject(element);
        break;
      case 'repair':
        this.#repairs.add(element.repair, element.count);
        break;
      case 'finding':
        this.#findings.take(element);
        break;
      case 'session-end':
        this.#endSession(element);
        break;
      default:
        throw new TurnmillError('unbalanced', `an element of kind ${element.kind} left the last stage`);
    }
  }

  /** Counts lines whose fate the caller has decided. */
  countFate(fate: string, lines: number): void {
    this.#fates.add(fate, lines);
  }

  /** Rejects the lines of the source that have no fate yet. @param lines all lines that were framed */
  rejectRest(reason: string, lines: number): void {
    const rest = lines + this.#repairs.get('split-objects') - this.#fates.sum();
    if (rest > 0) this.#fates.add(`rejected:${reason}`, rest);
  }

  /** Adds a conversation that took the shortcut, with its only record. */
  takeShortcut(session: ShortcutSession, record: RecordResult): void {
    if (this.isFull) return;
    this.#dialect = SHORTCUT_DIALECT;
    this.#findings.end();
    this.#sessions++;
    const { mayReopen, paths = false } = this.#options;
    const report = shortcutReport(session, { mayReopen: mayReopen?.() === true, paths });
    this.#addEntries(report);
    this.#hand([record], report);
  }

  /** Ends the source and returns its account. The next element belongs to another source. */
  endSource(): SourceTotals {
    this.#rejections.end();
    this.#findings.forget();
    const totals: SourceTotals = {
      lines: this.#fates.sum(),
      fates: this.#fates.sorted(),
      repairs: this.#repairs.sorted(),
      dialect: this.#dialect,
      text: this.#text,
    };
    this.#fates.clear();
    this.#repairs.clear();
    this.#forgetSession();
    this.#sessions = 0;
    this.#dialect = this.#text = undefined;
    return totals;
  }

  #reject(rejected: Rejection): void {
    const { scope, reason, origin } = rejected;
    if (scope === 'session') this.#rejection ??= rejected;
    else if (scope === 'record') this.#recordRejections.push(recordRejectionOf(rejected));
    else {
      this.#fates.add(`rejected:${reason}`);
      this.#rejections.take(origin.line, reason, () => rejectedLine(rejected, this.#options));
    }
  }

  #endSession(end: SessionEnd): void {
    this.#text = end.text;
    this.#findings.end();
    const fate = this.#rejection === undefined ? (end.fate as SessionFate) : 'rejected';
    if (fate !== 'none') this.#report(end, fate);
    this.#forgetSession();
  }

  #report(end: SessionEnd, fate: SessionReport['fate']): void {
    const { mayReopen, paths = false } = this.#options;
    this.#sessions++;
    const facts = {
      records: this.#records,
      recordRejections: this.#recordRejections,
      rejection: this.#rejection,
      mayReopen: end.alone !== true && mayReopen?.() === true,
      paths,
    };
    if (fate === 'written' && this.#records.length + this.#recordRejections.length === 0)
      throw new TurnmillError('unbalanced', 'a session has neither a record nor a rejection');
    const report = reportOf(end, fate, facts);
    this.#addEntries(report);
    const first = this.#records[0]?.format;
    const results = this.#records.map((record, i): RecordResult => {
      const { group, format, bytes } = record;
      const shape = format === first ? shapeOfWritten(record) : undefined;
      const seal = this.#seals[i];
      const refusals = refusalsOf(record);
      return { kind: 'record', group, format, bytes, shape, refusals, ...(seal && { seal }) };
    });
    this.#hand(results, report);
  }

  /** Hands out the records of a session and its report. */
  #hand(records: readonly RecordResult[], report: SessionReport): void {
    const { onResult, redactor } = this.#options;
    if (redactor === undefined) {
      for (const record of records) onResult(record);
      onResult(report);
      return;
    }
    const counts = new Map<string, number>();
    for (const record of records) onResult(redacted(record, redactor, counts));
    const path = report.path && redactor.keyPath(report.path);
    onResult({ ...report, changes: withRedactions(report.changes, counts), ...(path && { path }) });
  }

  #addEntries(report: SessionReport): void {
    let counted = 0;
    eachFate(report, (fate, n) => {
      this.#fates.add(fate, n);
      counted += n;
    });
    const { entries } = report;
    if (counted !== entries)
      throw new TurnmillError('unbalanced', `a session has ${entries} entries, but ${counted} got a fate`);
  }

  #forgetSession(): void {
    this.#records = [];
    this.#seals = [];
    this.#recordRejections = [];
    this.#rejection = undefined;
  }
}

/** Returns the record without secrets; if its bytes changed, without what depends on them. */
function redacted(record: RecordResult, redactor: Redactor, counts: Map<string, number>): RecordResult {
  const bytes = redactor.redact(record.bytes, counts);
  if (bytes === record.bytes) return record;
  const { seal, shape: _shape, refusals: _refusals, ...same } = record;
  return { ...same, bytes, ...(seal && { seal: { ...seal, crc32: crc32(bytes) } }) };
}

function rejectedLine(
  rejected: Rejection,
  { keepRaw, memberAt, redactor }: SourceLedgerOptions,
): RejectedLine {
  const { reason, stage, detail, at, origin, bytes } = rejected;
  const { line, offset, length } = origin;
  const hash = rejected.sha256 ?? sha256(bytes ?? '');
  const kept = bytes !== undefined && keepRaw(bytes.length) ? { raw: keptOf(bytes, redactor) } : {};
  const member = memberAt?.(offset);
  const inMember = member === undefined ? {} : { member };
  return {
    kind: 'rejected-line',
    reason,
    stage,
    detail,
    ...(at !== undefined && { at }),
    line,
    offset,
    length,
    ...inMember,
    sha256: hash,
    ...kept,
  };
}

function keptOf(bytes: Uint8Array, redactor: Redactor | undefined): Uint8Array {
  const kept = redactor?.redact(bytes) ?? bytes;
  return kept === bytes ? copyOf(bytes) : kept;
}

/** Facts for the report of a session that its end does not have. */
interface SessionFacts {
  readonly records: readonly WrittenRecord[];
  readonly recordRejections: readonly RecordRejection[];
  readonly rejection: Rejection | undefined;
  readonly mayReopen: boolean;
  /** Whether to compute the path of its conversation. */
  readonly paths: boolean;
}

function reportOf(
  end: SessionEnd,
  fate: SessionReport['fate'],
  { records, recordRejections, rejection, mayReopen, paths }: SessionFacts,
): SessionReport {
  const { sessionId, entries: log = NO_ENTRIES } = end;
  const conversation = rejection === undefined ? records[0]?.conversation : undefined;
  return {
    kind: 'session',
    sessionId,
    fate,
    snapshot: conversation && placeOf(conversation.origin),
    entries: log.count,
    superseded: conversation?.superseded ?? 0,
    truncated: conversation?.truncated ?? 0,
    folded: conversation?.folded,
    root: conversation?.root,
    model: modelIn(conversation?.meta),
    changes: conversation === undefined ? NO_COUNTS : sortedCounts(conversation.changes),
    toolCounts: conversation?.toolCounts,
    usage: conversation && usageOf(conversation),
    recordRejections:
      conversation !== undefined && recordRejections.length > 0 ? recordRejections : undefined,
    entryLog: mayReopen && fate === 'written' ? log : undefined,
    rejection: rejection && whyOf(rejection, log),
    ...(paths && conversation !== undefined && { path: pathIn(records) }),
  };
}

function shortcutReport(
  session: ShortcutSession,
  { mayReopen, paths }: Pick<SessionFacts, 'mayReopen' | 'paths'>,
): SessionReport {
  const { sessionId, origin, entries, superseded, truncated, changes, tools } = session.facts;
  return {
    kind: 'session',
    sessionId,
    fate: 'written',
    snapshot: placeOf(origin),
    entries,
    superseded,
    truncated,
    folded: session.isLeaf ? 0 : undefined,
    root: undefined,
    model: modelIn(session.facts.meta),
    changes: sortedCounts(changes),
    toolCounts: tools.counts,
    usage: session.usage(),
    recordRejections: undefined,
    entryLog: mayReopen && !session.isLeaf ? session.places() : undefined,
    rejection: undefined,
    ...(paths && { path: shortcutPath(session.facts.source) }),
  };
}

function shortcutPath(session: LastSession): Uint8Array {
  const path = session.path();
  if (path === undefined) return comparedPath(session.shownMessages());
  return markAnswers(path, (index) => session.isAnswer(index));
}

const NO_PATH = new Uint8Array(0);

/** Returns the path of the conversation that all records were made from; an empty one if a plug-in made several of it. */
function pathIn(records: readonly WrittenRecord[]): Uint8Array {
  const conversation = records[0]?.conversation;
  const isOne = conversation !== undefined && records.every((record) => record.conversation === conversation);
  return isOne ? comparedPath(conversation.messages) : NO_PATH;
}

const placeOf = ({ line, offset, length }: Origin): SessionReport['snapshot'] => ({ line, offset, length });

function whyOf({ reason, stage, detail, origin }: Rejection, log: EntryLog): SessionReport['rejection'] {
  return { reason, stage, detail, line: origin.line, log };
}
