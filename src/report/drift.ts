/** Compares a dataset with an earlier one by shares, so that a larger input alone is not a difference. */
import { sumOf } from '../charts/numbers.ts';
import type { Counts } from '../dataset/schema/ledger.ts';
import type { Manifest } from '../dataset/schema/manifest.ts';
import type { DatasetProfile } from '../dataset/schema/reports.ts';

/** A share or a number, before and now. */
export interface DriftRow {
  readonly name: string;
  readonly was: number;
  readonly now: number;
  readonly isShare: boolean;
  readonly isMarked: boolean;
}

export interface Shift {
  readonly name: string;
  /** Population stability index of the histogram; undefined below 500 records on either side. */
  readonly index: number | undefined;
  readonly isMarked: boolean;
}

export interface Drift {
  readonly rows: readonly DriftRow[];
  readonly shifts: readonly Shift[];
  /** Tools and reasons that only the new dataset has. */
  readonly appeared: readonly string[];
  /** Tools and reasons that only the earlier dataset has. */
  readonly gone: readonly string[];
}

/** One side of the comparison. */
export interface Measured {
  readonly manifest: Pick<Manifest, 'totals' | 'ledger'>;
  readonly profile: DatasetProfile;
}

const MIN_POINTS = 0.01;
const MIN_PART = 0.25;
const MIN_RECORDS = 500;
const MARKED_INDEX = 0.2;
/** Value of an empty bin, so that no logarithm is infinite. */
const FLOOR = 1e-4;
const MAX_ROWS = 80;
const MAX_NAMES = 20;

export function driftOf(was: Measured, now: Measured): Drift {
  const numbers = (['lines', 'sessions', 'records'] as const).map((name): DriftRow => {
    const [before, after] = [was.manifest.totals[name], now.manifest.totals[name]];
    return { name, was: before, now: after, isShare: false, isMarked: false };
  });
  const shares = [
    ...sharesOf('', was.manifest.ledger.fates, now.manifest.ledger.fates),
    ...sharesOf('messages of ', was.profile.records.roles, now.profile.records.roles),
    ...sharesOf('calls of ', was.profile.records.tools, now.profile.records.tools),
  ];
  const marked = shares.toSorted((a, b) => Number(b.isMarked) - Number(a.isMarked));
  const reasons = ({ profile }: Measured): readonly string[] =>
    profile.rejections.map(({ reason }) => `reason ${reason}`);
  const tools = ({ profile }: Measured): readonly string[] =>
    Object.keys(profile.records.tools).map((name) => `tool ${name}`);
  const names = (side: Measured): readonly string[] => [...reasons(side), ...tools(side)];
  return {
    rows: [...numbers, ...marked.slice(0, MAX_ROWS)],
    shifts: shiftsOf(was, now),
    appeared: without(names(now), names(was)),
    gone: without(names(was), names(now)),
  };
}

function sharesOf(prefix: string, was: Counts, now: Counts): readonly DriftRow[] {
  const names = [...new Set([...Object.keys(was), ...Object.keys(now)])].sort();
  const [before, after] = [sumOf(was), sumOf(now)];
  return names.map((name) => {
    const [a, b] = [share(was[name], before), share(now[name], after)];
    const isFar = Math.abs(a - b) > MIN_POINTS && Math.abs(a - b) > MIN_PART * Math.max(a, b);
    return { name: `${prefix}${name}`, was: a, now: b, isShare: true, isMarked: isFar };
  });
}

const share = (n: number | undefined, all: number): number => (all === 0 ? 0 : (n ?? 0) / all);

function shiftsOf(was: Measured, now: Measured): readonly Shift[] {
  const [a, b] = [was.profile.records, now.profile.records];
  return [
    ['messages in a record', a.by_messages, b.by_messages] as const,
    ['size of a record', a.by_bytes, b.by_bytes] as const,
    ['tool calls in a record', a.by_calls, b.by_calls] as const,
  ].map(([name, before, after]) => {
    const index = stabilityIndex(before, after);
    return { name, index, isMarked: index !== undefined && index > MARKED_INDEX };
  });
}

function stabilityIndex(was: Counts, now: Counts): number | undefined {
  const [before, after] = [sumOf(was), sumOf(now)];
  if (Math.min(before, after) < MIN_RECORDS) return undefined;
  const bins = new Set([...Object.keys(was), ...Object.keys(now)]);
  let index = 0;
  for (const bin of bins) {
    const p = Math.max(FLOOR, share(was[bin], before));
    const q = Math.max(FLOOR, share(now[bin], after));
    index += (q - p) * Math.log(q / p);
  }
  return index;
}

function without(names: readonly string[], others: readonly string[]): readonly string[] {
  const known = new Set(others);
  return names.filter((name) => !known.has(name)).slice(0, MAX_NAMES);
}
