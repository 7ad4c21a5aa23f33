/** What a lane finds out, in source order: plain data that crosses from worker threads to the recorder. */
import type {
  EntryLog,
  Finding,
  Rejection,
  SessionOutcome,
  ToolCounts,
} from '../../transforms/model/element.ts';
import type { ToolUsage } from '../../transforms/model/tool-usage.ts';
import type { PackedCounts } from '../input/decompress/packed-counts.ts';
import type { Compression } from '../input/decompress/sniff.ts';
import type { FramingCounts } from '../input/framing/framer.ts';

/** A source begins. */
export interface SourceBegin {
  readonly kind: 'source-begin';
  /** Index in the listing. */
  readonly source: number;
  /** May its end take everything back? A file may have changed, a gzip stream may be corrupt; a plain pipe just ends. */
  readonly provisional: boolean;
  /** May a session of it come back after it has ended? Then the part that was there is taken back at the source's end. */
  readonly mayReopen?: true;
  /** Size, time and number of the file that was opened: read again, it must be the same. */
  readonly stamp?: string | undefined;
  /** It begins once more, because it may have been rewritten while it was read: what came of it so far does not count. */
  readonly again?: true | undefined;
}

export interface RowOutcome {
  readonly kind: 'row';
  readonly group: string;
  readonly format: string;
  readonly bytes: Uint8Array;
}

/** A format that did not write a session which another one wrote. */
export interface Refusal {
  readonly format: string;
  readonly reason: string;
  readonly stage: string;
  readonly detail: string;
}

export function refusalOf({ format = '', reason, stage, detail }: Rejection): Refusal {
  return { format, reason, stage, detail };
}

/** The end of a session, after its rows. */
export interface SessionReport {
  readonly kind: 'session';
  readonly sessionId: string | undefined;
  readonly outcome: Exclude<SessionOutcome, 'none'>;
  /** Of a written session: where its snapshot lies. */
  readonly snapshot?: { readonly line: number; readonly offset: number; readonly length: number } | undefined;
  readonly entries: number;
  readonly superseded: number;
  readonly truncated: number;
  readonly changes: readonly (readonly [string, number])[];
  readonly toolCounts?: ToolCounts | undefined;
  readonly usage?: ToolUsage | undefined;
  /** Of a session that was written in some of the formats: the others. */
  readonly refusals?: readonly Refusal[] | undefined;
  /** Of a written session that may yet come back: the place of each of its entries. */
  readonly entryLog?: EntryLog | undefined;
  /** Of a rejected session: why, and the place of each of its entries. */
  readonly rejection?:
    | {
        readonly reason: string;
        readonly stage: string;
        readonly detail: string;
        /** The line of the violation. */
        readonly line: number;
        readonly log: EntryLog;
      }
    | undefined;
}

/** A line that was rejected by itself. */
export interface RejectedLine {
  readonly kind: 'rejected-line';
  readonly reason: string;
  readonly stage: string;
  readonly detail: string;
  readonly line: number;
  readonly offset: number;
  readonly length: number;
  /** Of the line's bytes, hexadecimal. */
  readonly sha256: string;
  /** Of a line that came out of gzip: the member that it begins in. */
  readonly member?: number;
  /** The line's bytes, where quarantine keeps them. */
  readonly raw?: Uint8Array;
  /** Further objects of the same line that were rejected and are listed nowhere, by reason. */
  readonly rest?: readonly (readonly [string, number])[];
}

export interface FindingOutcome {
  readonly kind: 'finding';
  readonly severity: Finding['severity'];
  readonly rule: string;
  readonly sessionId: string | undefined;
  readonly line: number;
  readonly message: string;
  /** Findings that this one stands for, where they are not told one by one. */
  readonly count?: number;
}

/** The end of a source: only now does anything of it count. */
export interface SourceReport {
  readonly kind: 'source';
  readonly source: number;
  /** `limited`: the run's `--limit` of sessions was reached in it. */
  readonly status: 'read' | 'empty' | 'rejected' | 'limited';
  readonly rejection?:
    | {
        readonly reason: string;
        readonly detail: string;
        /** What the system answered, where it was asked in vain. */
        readonly code?: string;
      }
    | undefined;
  readonly compression: Compression;
  /** Of a packed source, as far as it was read. */
  readonly packed?: PackedCounts | undefined;
  /** Which file it was (src/input/fingerprint.ts), where that can be told. */
  readonly proof?: string | undefined;
  /** Bytes read from the file. */
  readonly readBytes: number;
  readonly framing: FramingCounts;
  /** Lines, where a line of n objects counts n times: the sum of the fates. */
  readonly lines: number;
  readonly fates: readonly (readonly [string, number])[];
  readonly repairs: readonly (readonly [string, number])[];
}

export type Outcome = SourceBegin | RowOutcome | SessionReport | RejectedLine | FindingOutcome | SourceReport;

/** The fates of a session's entries. */
export function fatesOfSession(session: SessionReport): readonly (readonly [string, number])[] {
  const { outcome, entries, superseded, truncated, rejection } = session;
  if (outcome === 'rejected') return [[`rejected:${rejection?.reason}`, entries]];
  if (outcome === 'empty') return [];
  return [
    ['snapshot', 1],
    ['superseded', superseded],
    ['truncated', truncated],
  ];
}

/** All mends of a source: those of its lines and those of its framing. */
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

/** About how many bytes an outcome takes while it waits. */
export function weightOf(outcome: Outcome): number {
  const base = 256;
  switch (outcome.kind) {
    case 'row':
      return base + outcome.bytes.length;
    case 'rejected-line':
      return base + (outcome.raw?.length ?? 0);
    case 'finding':
      return base + (outcome.sessionId?.length ?? 0) + outcome.message.length;
    case 'session':
      return base + sessionWeight(outcome);
    default:
      return base;
  }
}

/** An id or a name of a tool may be as long as a line. */
function sessionWeight({ sessionId = '', usage, rejection, entryLog }: SessionReport): number {
  let weight = sessionId.length + (rejection?.log.packed.length ?? 0) + (entryLog?.packed.length ?? 0);
  for (const name of usage?.definitions ?? []) weight += name.length;
  return weight;
}

/** The same for the outcomes of a batch. */
export function batchWeight(outcomes: readonly Outcome[]): number {
  return outcomes.reduce((sum, outcome) => sum + weightOf(outcome), 0);
}
