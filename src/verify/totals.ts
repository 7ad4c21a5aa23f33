/** What all lines of ledger, quarantine and reports add up to, for the comparison with the manifest. */
import type { Counts } from './counts.ts';

export interface Totals {
  sources: number;
  sessions: number;
  lines: number;
  bytes: number;
  errors: number;
  warnings: number;
  readonly status: Counts;
  readonly skipped: Counts;
  /** Files that were passed over because of their name, by extension, as far as they are listed. */
  readonly extensions: Counts;
  readonly fates: Counts;
  readonly repairs: Counts;
  /** Bytes by where they went. */
  readonly parts: Counts;
  readonly outcomes: Counts;
  readonly tools: Counts;
  readonly rewrites: Counts;
  readonly findings: Counts;
  /** Written sessions by group. */
  readonly groups: Counts;
  /** Sessions that a format refused and another one wrote, by `FORMAT REASON`. */
  readonly refusals: Counts;
  /** Sessions with records in a format, by its name. */
  readonly writers: Counts;
}

export function createTotals(): Totals {
  const numbers = { sources: 0, sessions: 0, lines: 0, bytes: 0, errors: 0, warnings: 0 };
  const names = [
    'status',
    'skipped',
    'extensions',
    'fates',
    'repairs',
    'parts',
    'outcomes',
    'tools',
    'rewrites',
    'findings',
    'groups',
    'refusals',
    'writers',
  ] as const;
  const counts = Object.fromEntries(names.map((name) => [name, new Map()]));
  return { ...numbers, ...(counts as Record<(typeof names)[number], Counts>) };
}
