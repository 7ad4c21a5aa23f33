/** Follows the objects of one line through the stages until the end of their session decides their fate. */
import { lineId } from '../../transforms/dialects/shared/line-id.ts';
import type {
  Entry,
  EntryLog,
  Finding,
  Origin,
  Rejection,
  SessionEnd,
  StreamElement,
  WrittenRecord,
} from '../../transforms/model/element.ts';
import { placesOf } from '../../transforms/model/entry-log.ts';
import { TurnmillError } from '../errors.ts';
import { type RecordRejection, recordRejectionOf } from '../ledger/result.ts';
import type { Tap } from './inspect.ts';
import { type MessageTrail, traceMessages } from './message-trail.ts';

/** The explanation of one object of a line, or of the line itself if it has none. */
export interface Explanation {
  readonly source: string;
  readonly line: number;
  /** Offset of its first byte, after decompression, and its length; undefined if the source could not be read. */
  readonly offset?: number;
  readonly length?: number;
  readonly fate: string;
  /** Stage that rejected it, and its message. */
  readonly stage?: string;
  readonly detail?: string;
  /** Line that caused the rejection of its session. */
  readonly violationLine?: number;
  /** Line that a written session was taken from, and the group of its record. */
  readonly snapshotLine?: number;
  readonly group?: string;
  /** Set for a snapshot that was folded from several lines, of which this is the first. */
  readonly isFolded?: true;
  /** Formats that refused the session while others wrote it. */
  readonly recordRejections?: readonly RecordRejection[];
  readonly session?: string;
  readonly sessionFate: SessionEnd['fate'] | 'contained';
  /** Fate of each of its messages, the reply last. */
  readonly messages?: readonly MessageTrail[];
  /** Number of messages that each rule changed or dropped. */
  readonly changes: Readonly<Record<string, number>>;
  readonly findings: readonly FindingNote[];
  /** The first hundred findings about other lines of the session. */
  readonly sessionFindings: readonly FindingNote[];
}

export type { MessageTrail } from './message-trail.ts';

export type FindingNote = Pick<Finding, 'severity' | 'rule' | 'message'> & { readonly line: number };

const MAX_SESSION_FINDINGS = 100;

/** One of the line's objects. */
interface Subject {
  readonly origin: Origin;
  readonly logged?: Entry;
  /** Fate of the line if it is one of several lines of an entry, and not the one at the entry's origin. */
  readonly apart?: 'folded' | 'superseded' | undefined;
  cleaned?: Entry;
  fate?: string;
  /** Set when it has left cleanup: objects of one line may share their offset. */
  isCleaned?: true;
  rejection?: Rejection;
}

interface Session {
  readonly subjects: Subject[];
  /** Offsets of its entries and of the lines that they come from, in their order: `--session-by id` orders them by time. */
  readonly offsets: number[];
  readonly findings: FindingNote[];
  /** Findings about its end, which are at the last line of the source, but not about that line. */
  readonly endFindings: FindingNote[];
  readonly recordRejections: RecordRejection[];
  rejection?: Rejection;
  record?: WrittenRecord;
}

const newSession = (): Session => ({
  subjects: [],
  offsets: [],
  findings: [],
  endFindings: [],
  recordRejections: [],
});

export interface TrailOptions {
  readonly line: number;
  readonly cleanup: readonly string[];
  /** Whether to include the texts of the messages. */
  readonly withTexts?: boolean | undefined;
}

/** Follows one line through the stages, with the session that it belongs to. */
export class LineTrail {
  readonly answers: Explanation[] = [];
  readonly #line: number;
  readonly #trailOf: (logged: Entry, record: WrittenRecord | undefined) => readonly MessageTrail[];
  #session: Session = newSession();
  /** Whether the whole source was rejected. */
  #isRefused = false;
  /** Explanations of entries of a written session, which may still be withdrawn. */
  readonly #written: number[] = [];

  constructor({ line, cleanup, withTexts = false }: TrailOptions) {
    this.#line = line;
    this.#trailOf = (logged, record) => traceMessages(logged, record, { cleanup, withTexts });
  }

  /** Receives the elements that leave each stage. */
  readonly see: Tap = (stage, element) => {
    if (stage === 'parse') this.#addSubjects(element);
    else if (element.origin.line !== this.#line) return;
    else if (stage === 'cleanup') this.#cleaned(element);
  };

  /** Receives the elements that leave the last stage. */
  leave(element: StreamElement): void {
    const session = this.#session;
    if (element.kind === 'rejection' && element.scope === 'session') {
      session.rejection ??= element;
      if (element.reason === 'session-reopened') this.#withdraw(element);
    } else if (element.kind === 'rejection' && element.scope === 'record')
      session.recordRejections.push(recordRejectionOf(element));
    else if (element.kind === 'record') session.record ??= element;
    else if (element.kind === 'finding') this.#note(element);
    else if (element.kind === 'session-end') this.#endSession(element);
  }

  #endSession(end: SessionEnd): void {
    const session = this.#session;
    this.#session = newSession();
    for (const subject of session.subjects) {
      if (isOfLater(subject, end)) this.#session.subjects.push(subject);
      else {
        if (end.alone !== true && subject.fate === undefined) this.#written.push(this.answers.length);
        this.answers.push(answerFor(subject, session, end, this.#trailOf));
      }
    }
    if (this.#session.subjects.length > 0)
      this.#session.findings.push(...session.findings.filter(({ line }) => line === this.#line));
  }

  #addSubjects(element: StreamElement): void {
    const { origin } = element;
    const { subjects, offsets } = this.#session;
    if (element.kind === 'entry' && element.lines === undefined) offsets.push(origin.offset);
    if (element.kind === 'rejection' && element.scope === 'source') this.#refuseAll(element);
    else if (element.kind === 'entry' && element.lines !== undefined) this.#addPlaces(element, element.lines);
    else if (origin.line !== this.#line) return;
    else if (element.kind === 'entry') subjects.push({ origin, logged: element });
    else if (element.kind === 'fate') subjects.push({ origin, fate: element.fate });
    else if (element.kind === 'rejection') {
      const { bytes: _bytes, ...rejection } = element; // the bytes are only valid during this call
      subjects.push({ origin, fate: `rejected:${element.reason}`, rejection });
    }
  }

  /** Adds the objects on the line that the entry comes from. One may occur several times, if it has several calls. */
  #addPlaces(entry: Entry, lines: EntryLog): void {
    const gathered = entry.alone === true ? 'superseded' : undefined; // else its session decides
    const apart = entry.isGathered === true ? gathered : 'folded';
    let hasOwn = false;
    for (const place of placesOf(lines)) {
      const isOwn: boolean = !hasOwn && place.offset === entry.origin.offset;
      hasOwn ||= isOwn;
      this.#session.offsets.push(place.offset);
      if (place.line !== this.#line) continue;
      const subject = { origin: { ...entry.origin, ...place }, logged: entry };
      this.#session.subjects.push(isOwn ? subject : { ...subject, apart });
    }
  }

  /** Handles the rejection of the whole source because of its first lines: no finding of it counts. */
  #refuseAll({ bytes: _bytes, ...refusal }: Rejection): void {
    const rejection = { ...refusal, stage: 'source' };
    this.#isRefused = true;
    for (const subject of this.#session.subjects)
      Object.assign(subject, { fate: `rejected:${rejection.reason}`, rejection });
  }

  #cleaned(element: StreamElement): void {
    const { kind, origin } = element;
    if (kind !== 'entry' && kind !== 'fate') return;
    const open = this.#session.subjects.filter(
      (subject) => subject.origin.offset === origin.offset && subject.isCleaned !== true,
    );
    const dropped = kind === 'fate' ? open.find(({ fate }) => fate === element.fate) : undefined;
    const subject = dropped ?? open.find(({ fate }) => fate === undefined);
    if (subject === undefined) return;
    subject.isCleaned = true;
    if (kind === 'entry') subject.cleaned = element;
    else subject.fate = element.fate;
  }

  #note({ origin, severity, rule, message }: Finding): void {
    if (this.#isRefused) return;
    const { findings: own, endFindings } = this.#session;
    const findings = origin.length === 0 ? endFindings : own;
    if (origin.line !== this.#line && findings.length >= MAX_SESSION_FINDINGS) return;
    findings.push({ severity, rule, message, line: origin.line });
  }

  /** Handles a session that resumed after its end: its first part, which looked complete, is rejected too. */
  #withdraw({ sessionId, stage, reason, origin }: Rejection): void {
    for (const index of this.#written) {
      const answer = this.answers[index] as Explanation;
      if (answer.session !== sessionId || answer.sessionFate !== 'written') continue;
      const { snapshotLine: _line, group: _group, recordRejections: _recordRejections, ...kept } = answer;
      const detail = 'the id came back after the session had ended';
      const rejected = { fate: `rejected:${reason}`, stage, detail, violationLine: origin.line } as const;
      this.answers[index] = {
        ...kept,
        ...rejected,
        sessionFate: 'rejected',
        findings: [],
        sessionFindings: [],
      };
    }
  }
}

/** Whether an entry is in another conversation of its session than the one that ends. */
function isOfLater({ origin, logged, fate }: Subject, { alone, last, entries }: SessionEnd): boolean {
  if (logged === undefined || fate !== undefined || alone !== true || last || entries === undefined)
    return false;
  for (const { offset } of placesOf(entries)) if (offset === origin.offset) return false;
  return true;
}

function answerFor(
  subject: Subject,
  session: Session,
  { sessionId, fate: ended, alone }: SessionEnd,
  trailOf: (logged: Entry, record: WrittenRecord | undefined) => readonly MessageTrail[],
): Explanation {
  const { origin, logged, cleaned } = subject;
  const { line, offset } = origin;
  const isApart = subject.rejection?.sessionId !== undefined || (alone === true && logged === undefined);
  if (isApart) return answerForItself(subject, session);
  const ofEntry = alone === true && subject.fate === undefined ? sessionId : logged?.sessionId;
  const id = ofEntry ?? (subject.fate === 'blank' ? undefined : sessionId);
  const own = session.record?.origin.offset === offset ? session.record : undefined;
  const changes = own === undefined ? cleaned?.changes : own.conversation.changes;
  const messages = logged && trailOf(logged, own);
  const all = [...session.findings, ...session.endFindings];
  return {
    ...origin,
    ...(subject.fate === undefined
      ? entryFate(subject, session, alone)
      : lineFate(subject.fate, subject.rejection)),
    ...(id === undefined ? {} : { session: id }),
    ...(messages === undefined ? {} : { messages }),
    sessionFate: session.rejection === undefined ? ended : 'rejected',
    changes: Object.fromEntries(changes ?? []),
    findings: all.filter((finding) => finding.line === line),
    sessionFindings: all.filter((finding) => finding.line !== line),
  };
}

/** Explains a line that is not part of the open session, in a log in which each line is a conversation. */
function answerForItself({ origin, fate = '', rejection }: Subject, { findings }: Session): Explanation {
  return {
    ...origin,
    ...lineFate(fate, rejection),
    ...(rejection !== undefined && { session: rejection.sessionId ?? lineId(origin, 0) }),
    sessionFate: rejection === undefined ? 'none' : 'rejected',
    changes: {},
    findings: findings.filter(({ line }) => line === origin.line),
    sessionFindings: [],
  };
}

type Fate = Pick<
  Explanation,
  'fate' | 'stage' | 'detail' | 'violationLine' | 'snapshotLine' | 'group' | 'isFolded' | 'recordRejections'
>;

/** Explains a line whose fate depends on no other line. */
function lineFate(fate: string, rejection: Rejection | undefined): Fate {
  return { fate, ...(rejection && { stage: rejection.stage, detail: rejection.detail }) };
}

/** Explains an entry, whose fate depends on its session. */
function entryFate(
  { origin: { line, offset }, apart }: Subject,
  { offsets, rejection, record, recordRejections }: Session,
  alone: true | undefined,
): Fate {
  if (rejection !== undefined) {
    const { reason, stage, detail, origin } = rejection;
    return { fate: `rejected:${reason}`, stage, detail, violationLine: origin.line };
  }
  if (record === undefined) throw new TurnmillError('unbalanced', `the entry at line ${line} got no fate`);
  const snapshot = record.origin.offset;
  const isEarlier = offsets.indexOf(offset) < offsets.indexOf(snapshot);
  const shorter = isEarlier || alone === true ? 'superseded' : 'truncated';
  const fate = apart ?? (offset === snapshot ? 'snapshot' : shorter);
  const refused = recordRejections.length === 0 ? {} : { recordRejections };
  const isFolded = fate === 'snapshot' && (record.conversation.folded ?? 0) > 0;
  return {
    fate,
    snapshotLine: record.origin.line,
    group: record.group,
    ...(isFolded && { isFolded }),
    ...refused,
  };
}
