/** Results of a task, in the order of its sources: plain data for the ledger, the quarantine and the writers. */

import type { RecordShape } from '../../transforms/formats/shape-counter.ts';
import type {
  EntryLog,
  Finding,
  ReadText,
  Rejection,
  SessionFate,
  ToolCounts,
} from '../../transforms/model/element.ts';
import type { ToolUsage } from '../../transforms/model/tool-usage.ts';
import type { SessionLine } from '../dataset/schema/ledger.ts';
import type { PackedCounts } from '../input/decompress/members.ts';
import type { Compression } from '../input/decompress/sniff.ts';
import type { FramingCounts } from '../input/framing/framer.ts';
import type { CountList } from './counts.ts';

export interface SourceBegin {
  readonly kind: 'source-begin';
  /** Index in the listing. */
  readonly source: number;
  /**
   * Whether the results of the source may be withdrawn at its end: a file may have changed, a gzip stream may be
   * corrupt. Those of a plain pipe are final.
   */
  readonly provisional: boolean;
  /** Set if a session may resume after its end. If one does, its earlier part is withdrawn at the end of the source. */
  readonly mayReopen?: true;
  /** Identity of the file that was opened (src/input/fingerprint.ts); another one after a change. */
  readonly identity?: string | undefined;
  /** Size of a reused source, as the quarantine or the ledger of its dataset has it. */
  readonly size?: number | undefined;
  /** Set if the source is read again, because it may have been rewritten: its results so far are withdrawn. */
  readonly again?: true | undefined;
}

export interface RecordResult {
  readonly kind: 'record';
  readonly group: string;
  readonly format: string;
  readonly bytes: Uint8Array;
  /** Set in a run with plug-ins, whose code may keep the bytes: what they were as the record left the stages. */
  readonly seal?: RecordSeal | undefined;
  /** Set for a record in the first format, if that has messages; in a reused one, if the session has no other in this format. */
  readonly shape?: RecordShape | undefined;
  /** Rules by which the usual consumer of the format refuses it. Absent in a reused record. */
  readonly refusals?: readonly string[] | undefined;
}

/** Says which bytes a record had, and whose it is, to notice that they changed before they were written. */
export interface RecordSeal {
  readonly crc32: number;
  readonly sessionId?: string | undefined;
}

/** The refusal of a session by one format, while another format wrote it. */
export interface RecordRejection {
  readonly format: string;
  readonly reason: string;
  readonly stage: string;
  readonly detail: string;
}

export function recordRejectionOf({ format = '', reason, stage, detail }: Rejection): RecordRejection {
  return { format, reason, stage, detail };
}

/** The first messages of a record that an earlier one has too, if there is an answer among them. */
export interface Context {
  readonly messages: number;
  readonly answers: number;
}

/** The bytes of a rejected entry. */
export interface RejectedContent {
  /** SHA-256, hexadecimal; null if they could not be read again. */
  readonly sha256: string | null;
  /** Undefined if they were not kept. */
  readonly bytes?: Uint8Array | undefined;
  /** Gzip member in which they begin. */
  readonly member?: number | undefined;
  /** Set if a dataset did not keep the bytes because its quarantine was full. */
  readonly isLeftOut?: true | undefined;
}

/** The end of a session, after its records. */
export interface SessionReport
  extends Pick<SessionLine, 'entries' | 'superseded' | 'truncated' | 'folded' | 'root' | 'model'> {
  readonly kind: 'session';
  readonly sessionId: string | undefined;
  /** `contained`: its records lie inside another one, so they are not written (docs/copies.md). */
  readonly fate: Exclude<SessionFate, 'none'> | 'contained';
  /**
   * With `--copies drop` or `mark`, or `--split`: the hashes of the messages of a written or contained session, 16 bytes each; none if it has
   * several conversations.
   */
  readonly path?: Uint8Array | undefined;
  /** Which of the run's paths belongs to the record that contains this session, once that is decided. From 0. */
  readonly container?: number | undefined;
  /** How the record begins like an earlier one, with `--copies mark`, once that is decided. */
  readonly context?: Context | undefined;
  /** Place of the snapshot of a written session. */
  readonly snapshot?: { readonly line: number; readonly offset: number; readonly length: number } | undefined;
  readonly changes: CountList;
  readonly toolCounts?: ToolCounts | undefined;
  readonly usage?: ToolUsage | undefined;
  /** Refusals by formats, if another format wrote the session. */
  readonly recordRejections?: readonly RecordRejection[] | undefined;
  /**
   * The bytes at the places of rejected entries, by offset, as the quarantine of a previous run has them: their hash, and
   * the bytes if it kept them. Without it, the source is read again.
   */
  readonly contents?: ReadonlyMap<number, RejectedContent> | undefined;
  /** Places of the entries of a written session that may still resume. */
  readonly entryLog?: EntryLog | undefined;
  /** Why a session was rejected, and where its entries are. */
  readonly rejection?:
    | {
        readonly reason: string;
        readonly stage: string;
        readonly detail: string;
        /** Line of the violation. */
        readonly line: number;
        readonly log: EntryLog;
      }
    | undefined;
}

export interface RejectedLine {
  readonly kind: 'rejected-line';
  readonly reason: string;
  readonly stage: string;
  readonly detail: string;
  /** Index of the offending byte in the line, if there is one. */
  readonly at?: number;
  readonly line: number;
  readonly offset: number;
  readonly length: number;
  /** SHA-256 of the line's bytes, in hexadecimal. */
  readonly sha256: string;
  /** The gzip member that the line begins in. */
  readonly member?: number;
  /** The line's bytes, if the quarantine keeps them. */
  readonly raw?: Uint8Array;
  /** Number of further rejected objects of the line that are not listed, by reason. */
  readonly rest?: CountList;
  /** Set if a dataset did not keep the bytes because its quarantine was full. */
  readonly isLeftOut?: true | undefined;
}

export interface FindingResult {
  readonly kind: 'finding';
  readonly severity: Finding['severity'];
  readonly rule: string;
  readonly sessionId: string | undefined;
  readonly line: number;
  readonly message: string;
  /** Number of findings that this one represents, if they are not reported one by one. */
  readonly count?: number;
  /** Set if it depends on earlier sources: it is decided where the results of all sources are combined. */
  readonly acrossSources?: true;
}

/** The end of a source. The results of the source do not count before it. */
export interface SourceReport {
  readonly kind: 'source';
  readonly source: number;
  /** `limited`: the run reached its `--limit` of sessions in this source. */
  readonly status: 'read' | 'empty' | 'rejected' | 'limited';
  readonly rejection?:
    | {
        readonly reason: string;
        readonly detail: string;
        /** Error code of the system call that failed, if one did. */
        readonly code?: string;
      }
    | undefined;
  /** Dialect of the source; undefined if none recognised it, or if the source is reused. */
  readonly dialect?: string | undefined;
  readonly compression: Compression;
  /** Counts of a compressed source, as far as it was read. */
  readonly packed?: PackedCounts | undefined;
  /** The fingerprint of the file (src/input/fingerprint.ts), if it has one. */
  readonly fingerprint?: string | undefined;
  /** Bytes that were read from the file. */
  readonly readBytes: number;
  readonly framing: FramingCounts;
  /** Sum of the fates: a line of n objects counts n times. */
  readonly lines: number;
  readonly fates: CountList;
  readonly repairs: CountList;
  /** How much of its text was read, if that was measured. */
  readonly text?: ReadText | undefined;
}

export type Result = SourceBegin | RecordResult | SessionReport | RejectedLine | FindingResult | SourceReport;

/** The fate of the entries of a contained session. */
export const CONTAINED_ENTRY = 'dropped:contained';

const REJECTED = 'rejected:';

/** Returns the reason of a fate such as `rejected:invalid-json`; undefined for any other fate. */
export function rejectionReason(fate: string): string | undefined {
  return fate.startsWith(REJECTED) ? fate.slice(REJECTED.length) : undefined;
}

/** Calls `take` with each fate of a session's entries, and with the number of entries. */
export function eachFate(session: SessionReport, take: (fate: string, entries: number) => void): void {
  const { fate, entries, superseded, truncated, folded = 0, rejection } = session;
  if (fate === 'rejected') take(`${REJECTED}${rejection?.reason}`, entries);
  if (fate === 'contained') take(CONTAINED_ENTRY, entries);
  if (fate !== 'written') return;
  take('snapshot', 1);
  take('superseded', superseded);
  take('truncated', truncated);
  take('folded', folded);
}

/** Returns all repairs of a source, including those of its framing. */
export function repairsOf({ repairs, framing }: SourceReport): CountList {
  const { bomBytes, crlf, noFinalNewline } = framing;
  if (bomBytes === 0 && crlf === 0 && !noFinalNewline) return repairs;
  const ofFraming = [
    ['bom', bomBytes > 0 ? 1 : 0],
    ['crlf', crlf],
    ['no-final-newline', noFinalNewline ? 1 : 0],
  ] as const;
  return [...ofFraming.filter(([, n]) => n > 0), ...repairs];
}

/** Measured memory of a rejected line, which has a message, a hash and four objects. */
const REJECTION_BYTES = 1024;

/** Returns the approximate memory of a result, in bytes. */
export function weightOf(result: Result): number {
  const base = 256;
  switch (result.kind) {
    case 'record':
      return base + result.bytes.length;
    case 'rejected-line':
      return REJECTION_BYTES + (result.raw?.length ?? 0);
    case 'finding':
      return base + (result.sessionId?.length ?? 0) + result.message.length;
    case 'session':
      return base + sessionWeight(result);
    default:
      return base;
  }
}

/** Counts the texts too: a session id or the name of a tool may be as long as a line. */
function sessionWeight(session: SessionReport): number {
  const { sessionId = '', root = '', usage, rejection, entryLog, path } = session;
  const places = (rejection?.log.packed.length ?? 0) + (entryLog?.packed.length ?? 0) + (path?.length ?? 0);
  const weight = sessionId.length + root.length + places;
  return weight + (usage === undefined ? 0 : namesWeight(usage.definitions));
}

/** Sessions with the same tools share the list of their names. */
const weights = new WeakMap<readonly string[], number>();

function namesWeight(names: readonly string[]): number {
  let weight = weights.get(names);
  if (weight === undefined) {
    weight = names.reduce((sum, { length }) => sum + length, 0);
    weights.set(names, weight);
  }
  return weight;
}

export function weightOfAll(results: readonly Result[]): number {
  return results.reduce((sum, result) => sum + weightOf(result), 0);
}

/** Returns the report of a rejected source: all its lines have its fate. */
export function withoutFates(report: SourceReport): SourceReport {
  const { lines } = report.framing;
  const fates = lines === 0 ? [] : [[`rejected:${report.rejection?.reason}`, lines] as const];
  return { ...report, lines, fates, repairs: [] };
}
