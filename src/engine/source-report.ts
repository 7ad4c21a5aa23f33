/** The state of a source while it is read, and the report on it. */

import { type SourceFault, systemCode } from '../errors.ts';
import type { Framer, FramingCounts } from '../input/framing/framer.ts';
import type { SourceReader } from '../input/source-reader.ts';
import type { SourceRef } from '../input/sources/source.ts';
import { sourceMismatch } from '../ledger/ledger.ts';
import type { SourceReport } from '../ledger/result.ts';
import type { SourceTotals } from '../ledger/source-ledger.ts';

/** A source, and the parts of its reader that the report uses; there is no reader if it could not be opened. */
export interface ReadSource {
  readonly index: number;
  readonly reader?: Pick<SourceReader, 'compression' | 'misnamed' | 'packed' | 'fingerprint' | 'readBytes'>;
  /** Whether the limit of sessions was reached in this source. */
  readonly isLimited?: boolean;
}

export interface OpenSource extends ReadSource {
  readonly ref: SourceRef;
  /** Causes of death of the worker threads that have died while reading it. */
  readonly deaths?: readonly string[] | undefined;
  reader?: SourceReader;
  framer?: Framer | undefined;
  isLimited?: boolean;
  /** Set during the second reading. */
  again?: true;
  /** Set after a bug: the stages may be in any state. */
  isBroken?: true;
}

/** Account of a source that has ended. */
export interface Ended {
  readonly framing: FramingCounts;
  readonly sessions: number;
  readonly totals: SourceTotals;
  /** Whether the limit of sessions was reached while the sessions of the source ended. */
  readonly isLimited?: boolean;
}

/** Returns the report of a source that has ended. @param fault why the source is rejected, if it is */
export function reportOf(
  { index, reader, ...source }: ReadSource,
  { framing, totals, ...ended }: Ended,
  fault: SourceFault | undefined,
): SourceReport {
  const isLimited = source.isLimited === true || ended.isLimited === true;
  const { lines, fates, repairs, dialect, text } = totals;
  const isBlank = fates.every(([fate]) => fate === 'blank');
  const isMisnamed = fault === undefined && reader?.misnamed === true;
  const report: SourceReport = {
    kind: 'source',
    source: index,
    status: fault === undefined ? (isLimited ? 'limited' : isBlank ? 'empty' : 'read') : 'rejected',
    rejection: fault && { reason: fault.reason, detail: fault.message, ...errnoOf(fault) },
    dialect,
    compression: reader?.compression ?? 'none',
    packed: reader?.packed,
    fingerprint: reader?.fingerprint?.(),
    readBytes: reader?.readBytes() ?? 0,
    framing,
    lines,
    fates,
    repairs: isMisnamed ? [...repairs, ['wrong-extension', 1]] : repairs,
    ...(text && { text }),
  };
  const isWhole = report.status === 'read' || report.status === 'empty';
  const mismatch = isWhole ? sourceMismatch(report, 'the source') : undefined;
  return mismatch === undefined ? report : rejectedFor(report, mismatch);
}

/** A ledger that does not add up within a source costs that source. */
function rejectedFor(report: SourceReport, mismatch: string): SourceReport {
  const detail = `ledger mismatch, please report it with this line: ${mismatch}`;
  return { ...report, status: 'rejected', rejection: { reason: 'internal-error', detail } };
}

/** Returns the error code of the system call that failed, if one did. */
function errnoOf({ cause }: SourceFault): { readonly code?: string } {
  const code =
    (cause as NodeJS.ErrnoException | undefined)?.syscall === undefined ? undefined : systemCode(cause);
  return code === undefined ? {} : { code };
}

/** Takes all steps at once. */
export function allOf(steps: Iterator<void, Ended>): Ended {
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}
