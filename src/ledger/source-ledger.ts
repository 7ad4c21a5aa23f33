/**
 * The books of one lane: every element that leaves the chain becomes an outcome, and every line of the source gets its
 * fate. What does not add up is a bug: the run ends with status 70.
 */

import { copyOf } from '../../transforms/json/keep.ts';
import type {
  EntryLog,
  Origin,
  Rejection,
  Row,
  SessionEnd,
  SessionOutcome,
  StreamElement,
} from '../../transforms/model/element.ts';
import { usageOf } from '../../transforms/model/tool-usage.ts';
import { TurnmillError } from '../errors.ts';
import { sha256 } from '../sha256.ts';
import { FindingLimit } from './finding-limit.ts';
import { RejectionLimit } from './rejection-limit.ts';
import {
  fatesOfSession,
  type Outcome,
  type Refusal,
  type RejectedLine,
  refusalOf,
  type SessionReport,
} from './result.ts';

export interface Collector {
  accept(element: StreamElement): void;
  /** Ends the source: its fates and repairs. */
  endSource(): SourceBooks;
  /** Sessions that have ended in this source so far. */
  readonly sessions: number;
}

export interface SourceBooks {
  readonly lines: number;
  readonly fates: readonly (readonly [string, number])[];
  readonly repairs: readonly (readonly [string, number])[];
}

export interface CollectorOptions {
  readonly keepRaw: (length: number) => boolean;
  /** The gzip member that a byte of the source came out of. */
  readonly memberAt?: ((offset: number) => number | undefined) | undefined;
  readonly onOutcome: (outcome: Outcome) => void;
  /** May a session of the source that is read come back after it has ended? */
  readonly mayReopen?: (() => boolean) | undefined;
  /** Is the run's limit of sessions reached? What comes then is not counted. */
  readonly full?: (() => boolean) | undefined;
}

const NO_LINES: readonly (readonly [string, number])[] = [];
const NO_ENTRIES: EntryLog = { count: 0, packed: new Uint8Array(0) };

export function createCollector(options: CollectorOptions): Collector {
  const fates = new Map<string, number>();
  const repairs = new Map<string, number>();
  const findings = new FindingLimit(options.onOutcome);
  const rejections = new RejectionLimit(options.onOutcome);
  let rows: Row[] = [];
  let refusals: Refusal[] = [];
  let rejection: Rejection | undefined;
  let sessions = 0;

  const add = (counts: Map<string, number>, key: string, n: number): void => {
    if (n > 0) counts.set(key, (counts.get(key) ?? 0) + n);
  };

  function rejectLine(rejected: Rejection): void {
    const { reason, origin } = rejected;
    add(fates, `rejected:${reason}`, 1);
    rejections.take(origin.line, reason, () => rejectedLine(rejected, options));
  }

  function endSession(end: SessionEnd): void {
    findings.end();
    const outcome = rejection === undefined ? (end.outcome as SessionOutcome) : 'rejected';
    if (outcome !== 'none') {
      sessions++;
      const mayReopen = end.alone !== true && options.mayReopen?.() === true;
      const report = reportOf(end, outcome, { rows, refusals, rejection, mayReopen });
      bookEntries(report);
      for (const { group, format, bytes } of rows) options.onOutcome({ kind: 'row', group, format, bytes });
      options.onOutcome(report);
    }
    rows = [];
    refusals = [];
    rejection = undefined;
  }

  function bookEntries(report: SessionReport): void {
    let booked = 0;
    for (const [fate, n] of fatesOfSession(report)) {
      add(fates, fate, n);
      booked += n;
    }
    const { entries } = report;
    if (booked !== entries) {
      throw new TurnmillError('unbalanced', `a session has ${entries} entries, but ${booked} got a fate`);
    }
  }

  return {
    accept(element) {
      if (options.full?.() === true) return;
      switch (element.kind) {
        case 'row':
          rows.push(element);
          break;
        case 'fate':
          add(fates, element.fate, 1);
          break;
        case 'rejection':
          if (element.scope === 'session') rejection ??= element;
          else if (element.scope === 'record') refusals.push(refusalOf(element));
          else rejectLine(element);
          break;
        case 'repair':
          add(repairs, element.repair, element.count);
          break;
        case 'finding':
          findings.take(element);
          break;
        case 'session-end':
          endSession(element);
          break;
        default:
          throw new TurnmillError('unbalanced', `an element of kind ${element.kind} left the last stage`);
      }
    },
    endSource() {
      rejections.end();
      findings.forget();
      let lines = 0;
      for (const n of fates.values()) lines += n;
      const books: SourceBooks = { lines, fates: sorted(fates), repairs: sorted(repairs) };
      fates.clear();
      repairs.clear();
      rows = [];
      refusals = [];
      rejection = undefined;
      sessions = 0;
      return books;
    },
    get sessions() {
      return sessions;
    },
  };
}

function sorted(counts: ReadonlyMap<string, number>): readonly (readonly [string, number])[] {
  return counts.size === 0 ? NO_LINES : [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
}

function rejectedLine(rejected: Rejection, { keepRaw, memberAt }: CollectorOptions): RejectedLine {
  const { reason, stage, detail, origin, bytes } = rejected;
  const { line, offset, length } = origin;
  const hash = rejected.sha256 ?? sha256(bytes ?? '');
  const kept = bytes !== undefined && keepRaw(bytes.length) ? { raw: copyOf(bytes) } : {};
  const member = memberAt?.(offset);
  const inMember = member === undefined ? {} : { member };
  return {
    kind: 'rejected-line',
    reason,
    stage,
    detail,
    line,
    offset,
    length,
    ...inMember,
    sha256: hash,
    ...kept,
  };
}

/** What a session left when it ended. */
interface SessionParts {
  readonly rows: readonly Row[];
  readonly refusals: readonly Refusal[];
  readonly rejection: Rejection | undefined;
  readonly mayReopen: boolean;
}

function reportOf(
  end: SessionEnd,
  outcome: SessionReport['outcome'],
  { rows, refusals, rejection, mayReopen }: SessionParts,
): SessionReport {
  const { sessionId, entries: log = NO_ENTRIES } = end;
  const conversation = rejection === undefined ? rows[0]?.conversation : undefined;
  return {
    kind: 'session',
    sessionId,
    outcome,
    snapshot: conversation && placeOf(conversation.origin),
    entries: log.count,
    superseded: conversation?.superseded ?? 0,
    truncated: conversation?.truncated ?? 0,
    changes: conversation === undefined ? NO_LINES : sorted(conversation.changes),
    toolCounts: conversation?.toolCounts,
    usage: conversation && usageOf(conversation),
    refusals: conversation !== undefined && refusals.length > 0 ? refusals : undefined,
    entryLog: mayReopen && outcome === 'written' ? log : undefined,
    rejection: rejection && whyOf(rejection, log),
  };
}

const placeOf = ({ line, offset, length }: Origin): SessionReport['snapshot'] => ({ line, offset, length });

function whyOf({ reason, stage, detail, origin }: Rejection, log: EntryLog): SessionReport['rejection'] {
  return { reason, stage, detail, line: origin.line, log };
}
