/** Results: everything that a task finds out, in the order of its sources, as plain data. The ledger, the quarantine and the writers take them. */
import type {
  EntryLog,
  Finding,
  Rejection,
  SessionFate,
  ToolCounts,
} from '../../transforms/model/element.ts';
import type { RecordShape } from '../../transforms/model/record-shape.ts';
import type { ToolUsage } from '../../transforms/model/tool-usage.ts';
import type { PackedCounts } from '../input/decompress/packed-counts.ts';
import type { Compression } from '../input/decompress/sniff.ts';
import type { FramingCounts } from '../input/framing/framer.ts';

/** A source begins. */
export interface SourceBegin {
  readonly kind: 'source-begin';
  /** Index in the listing. */
  readonly source: number;
  /** Can the results of the source be taken back at its end? A file may have changed, a gzip stream may be corrupt; a plain pipe just ends. */
  readonly provisional: boolean;
  /** Set when a session may come back after it has ended. Its earlier part is then taken back at the end of the source. */
  readonly mayReopen?: true;
  /** Size, time and inode of the file that was opened. The same when the file is read again unchanged. */
  readonly identity?: string | undefined;
  /** Set when the source is read once more because it may have been rewritten meanwhile: its results so far do not count. */
  readonly again?: true | undefined;
}

export interface RecordResult {
  readonly kind: 'record';
  readonly group: string;
  readonly format: string;
  readonly bytes: Uint8Array;
  /** Set for a record in the first format that wrote the session, where it lists messages. A record that is reused has none. */
  readonly shape?: RecordShape | undefined;
}

/** A format that refused a session which another format wrote. */
export interface RecordRejection {
  readonly format: string;
  readonly reason: string;
  readonly stage: string;
  readonly detail: string;
}

export function recordRejectionOf({ format = '', reason, stage, detail }: Rejection): RecordRejection {
  return { format, reason, stage, detail };
}

/** The end of a session; comes after its records. */
export interface SessionReport {
  readonly kind: 'session';
  readonly sessionId: string | undefined;
  readonly fate: Exclude<SessionFate, 'none'>;
  /** Place of the snapshot of a written session. */
  readonly snapshot?: { readonly line: number; readonly offset: number; readonly length: number } | undefined;
  readonly entries: number;
  readonly superseded: number;
  readonly truncated: number;
  /** Lines beside the snapshot that the conversation was folded of; undefined when it is one line's. */
  readonly folded?: number | undefined;
  readonly changes: readonly (readonly [string, number])[];
  readonly toolCounts?: ToolCounts | undefined;
  readonly usage?: ToolUsage | undefined;
  /** The formats that refused a session that was written in another format. */
  readonly recordRejections?: readonly RecordRejection[] | undefined;
  /** Places of the entries of a written session that may yet come back. */
  readonly entryLog?: EntryLog | undefined;
  /** Why a session was rejected, and the places of its entries. */
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

/** A rejected line. */
export interface RejectedLine {
  readonly kind: 'rejected-line';
  readonly reason: string;
  readonly stage: string;
  readonly detail: string;
  /** Index in the line of the byte that is wrong, where one is. */
  readonly at?: number;
  readonly line: number;
  readonly offset: number;
  readonly length: number;
  /** SHA-256 of the line's bytes, in hexadecimal. */
  readonly sha256: string;
  /** The gzip member that the line begins in. */
  readonly member?: number;
  /** The line's bytes, when quarantine keeps them. */
  readonly raw?: Uint8Array;
  /** Rejected objects of the same line that are not listed one by one: their number by reason. */
  readonly rest?: readonly (readonly [string, number])[];
}

export interface FindingResult {
  readonly kind: 'finding';
  readonly severity: Finding['severity'];
  readonly rule: string;
  readonly sessionId: string | undefined;
  readonly line: number;
  readonly message: string;
  /** How many findings this one counts for, when they are not reported one by one. */
  readonly count?: number;
}

/** The end of a source. Nothing of the source counts before it. */
export interface SourceReport {
  readonly kind: 'source';
  readonly source: number;
  /** `limited`: the run's `--limit` of sessions was reached in it. */
  readonly status: 'read' | 'empty' | 'rejected' | 'limited';
  readonly rejection?:
    | {
        readonly reason: string;
        readonly detail: string;
        /** errno of the system call that failed, if one did. */
        readonly code?: string;
      }
    | undefined;
  /** The dialect that it was read in; undefined when none knew it, or it is reused. */
  readonly dialect?: string | undefined;
  readonly compression: Compression;
  /** Counts of a compressed source, as far as it was read. */
  readonly packed?: PackedCounts | undefined;
  /** The fingerprint of the file (src/input/fingerprint.ts), if it has one. */
  readonly fingerprint?: string | undefined;
  /** Bytes read from the file. */
  readonly readBytes: number;
  readonly framing: FramingCounts;
  /** The sum of the fates: a line of n objects counts n times. */
  readonly lines: number;
  readonly fates: readonly (readonly [string, number])[];
  readonly repairs: readonly (readonly [string, number])[];
}

export type Result = SourceBegin | RecordResult | SessionReport | RejectedLine | FindingResult | SourceReport;

/** Hands over the fates of a session's entries. */
export function eachFate(session: SessionReport, take: (fate: string, entries: number) => void): void {
  const { fate, entries, superseded, truncated, folded = 0, rejection } = session;
  if (fate === 'rejected') take(`rejected:${rejection?.reason}`, entries);
  if (fate !== 'written') return;
  take('snapshot', 1);
  take('superseded', superseded);
  take('truncated', truncated);
  take('folded', folded);
}

/** Returns all repairs of a source, those of its framing included. */
export function repairsOf({ repairs, framing }: SourceReport): readonly (readonly [string, number])[] {
  const { bomBytes, crlf, noFinalNewline } = framing;
  if (bomBytes === 0 && crlf === 0 && !noFinalNewline) return repairs;
  const ofFraming = [
    ['bom', bomBytes > 0 ? 1 : 0],
    ['crlf', crlf],
    ['no-final-newline', noFinalNewline ? 1 : 0],
  ] as const;
  return [...ofFraming.filter(([, n]) => n > 0), ...repairs];
}

/** Measured: a rejected line has a message, a hash and four objects. */
const REJECTION_BYTES = 1024;

/** Returns about how many bytes a result takes while it waits. */
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

/** A session id or the name of a tool may be as long as a line. */
function sessionWeight({ sessionId = '', usage, rejection, entryLog }: SessionReport): number {
  const weight = sessionId.length + (rejection?.log.packed.length ?? 0) + (entryLog?.packed.length ?? 0);
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

/** Returns the weight of all these results. */
export function weightOfAll(results: readonly Result[]): number {
  return results.reduce((sum, result) => sum + weightOf(result), 0);
}
