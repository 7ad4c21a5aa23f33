/**
 * Limits how much may be rejected before a run publishes nothing (`--max-quarantine`): a number of rejections, or a
 * percentage of the lines. The comparison is exact, in whole numbers.
 */
import { TurnmillError } from '../errors.ts';
import { plural } from '../sizes.ts';

/** A number of rejections, or `P%` of the lines, with up to four decimals. */
export type Tolerance = number | `${number}%`;

/** The counts that are compared. A source that was lost without a line counts as one of each. */
export interface RejectionCounts {
  readonly rejections: number;
  /** Lines, and lost sources. */
  readonly all: number;
}

const PERCENT = /^(\d{1,3})(?:\.(\d{1,4}))?%$/;
const MILLION = 1_000_000;
const PER_PERCENT = 10_000;

/** Parses `5` or `0.5%`; undefined for anything else. */
export function parseTolerance(text: string): Tolerance | undefined {
  if (/^\d+$/.test(text)) return Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
  return perMillion(text) === undefined ? undefined : (text as Tolerance);
}

/** Throws `rejected` if more was rejected than tolerated. */
export function checkTolerance({ maxQuarantine, out }: Limited, { rejections, all }: RejectionCounts): void {
  if (maxQuarantine === undefined || !exceeds(maxQuarantine, { rejections, all })) return;
  const total = typeof maxQuarantine === 'number' ? '' : ` in ${all} lines`;
  const outcome = out === undefined ? '' : ': nothing was published; turnmill check shows what was rejected';
  throw new TurnmillError(
    'rejected',
    `${plural(rejections, 'rejection')}${total}, more than --max-quarantine ${maxQuarantine} allows${outcome}`,
    { subject: '--max-quarantine' },
  );
}

/** The settings of a run whose rejections are limited. */
interface Limited {
  readonly maxQuarantine: Tolerance | undefined;
  /** Undefined if nothing is written. */
  readonly out: string | undefined;
}

/** Returns whether more was rejected than tolerated. */
export function exceeds(tolerance: Tolerance, { rejections, all }: RejectionCounts): boolean {
  if (typeof tolerance === 'number') return rejections > tolerance;
  return BigInt(rejections) * BigInt(MILLION) > BigInt(perMillion(tolerance) ?? 0) * BigInt(all);
}

function perMillion(text: string): number | undefined {
  const [, whole, decimals = ''] = PERCENT.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const parts = Number(whole) * PER_PERCENT + Number(decimals.padEnd(4, '0'));
  return parts <= MILLION ? parts : undefined;
}
