/** One line of ledger/sources.jsonl against the sessions and the quarantine of that source. */
import { add, addAll, type Counts, compareCounts, sumOf } from './counts.ts';
import { extensionOf } from './excluded-files.ts';
import { asCount, asCounts, asText } from './json-value.ts';
import { checkPackedBytes } from './packed-bytes.ts';
import type { Problems } from './problems.ts';
import { checkExtent } from './source-extent.ts';
import type { SourceLine } from './source-lines.ts';
import type { SourceTally } from './source-tally.ts';
import type { Totals } from './totals.ts';

const FILE = 'ledger/sources.jsonl';
const STATUSES: ReadonlySet<unknown> = new Set(['read', 'empty', 'rejected', 'limited', 'skipped']);
/** Reasons for passing over a source that lose nothing: quarantine says nothing of them. */
const HARMLESS: ReadonlySet<unknown> = new Set(['symlink', 'duplicate-inode', 'excluded']);
const REJECTED = 'rejected:';
/** Fates that one line of a log has by itself, without a session. */
const isOwnFate = (fate: string): boolean => fate === 'blank' || fate.startsWith('dropped:');

export function checkSource(
  { line, value }: SourceLine,
  tally: SourceTally,
  totals: Totals,
  problems: Problems,
): void {
  const { status, reason } = value;
  const fates = asCounts(value.fates) ?? new Map<string, number>();
  const lines = asCount(value.lines);
  if (!STATUSES.has(status)) problems.equal(FILE, line, 'status', [...STATUSES].join(', '), status);
  problems.equal(FILE, line, 'lines, by the sum of the fates', sumOf(fates), lines);
  problems.equal(FILE, line, 'fates are counts', true, asCounts(value.fates) !== undefined);
  if (status !== 'skipped') checkExtent({ line, value }, problems);
  checkPackedBytes(FILE, line, value, problems);
  totals.sources += 1;
  totals.lines += lines ?? 0;
  totals.bytes += asCount(value.bytes) ?? 0;
  addAll(totals.fates, fates);
  addAll(totals.parts, asCounts(value.parts) ?? new Map());
  addAll(totals.repairs, asCounts(value.repairs) ?? new Map());
  if (status === 'skipped') add(totals.skipped, String(reason));
  else add(totals.status, String(status));
  if (status === 'skipped' && reason === 'excluded')
    add(totals.extensions, extensionOf(String(value.source)));

  const lost = status === 'rejected' || (status === 'skipped' && !HARMLESS.has(reason));
  if (lost && asText(reason) === undefined) problems.equal(FILE, line, 'reason', 'a text', reason);
  const place = { file: FILE, line };
  compareCounts(problems, place, 'fate', expectedFates(fates, tally, status, reason), fates);
  const quarantine = { file: 'quarantine/rejected.jsonl' };
  const what = `of ${String(value.source)}, ${FILE} line ${line}: records of`;
  compareCounts(
    problems,
    quarantine,
    what,
    expectedQuarantine(fates, tally, lost ? reason : undefined),
    tally.quarantine,
  );
}

/** What sessions and quarantine say; a line's own fate and those of a rejected source stand nowhere else. */
function expectedFates(
  fates: ReadonlyMap<string, number>,
  tally: SourceTally,
  status: unknown,
  reason: unknown,
): Counts {
  const expected = new Map(tally.fates);
  for (const [fate, n] of fates) {
    const whole = status === 'rejected' && fate === `${REJECTED}${reason}`;
    if (whole || isOwnFate(fate)) add(expected, fate, n);
  }
  for (const [scoped, n] of tally.quarantine) {
    if (scoped.startsWith('line:')) add(expected, REJECTED + scoped.slice('line:'.length), n);
  }
  return expected;
}

/** A record for each rejected line, for each entry of a rejected session, and for the source when it is lost. */
function expectedQuarantine(fates: ReadonlyMap<string, number>, tally: SourceTally, lost: unknown): Counts {
  const expected: Counts = new Map();
  for (const [reason, n] of tally.rejectedEntries) add(expected, `session:${reason}`, n);
  for (const [refusal, n] of tally.refusals) add(expected, `record:${refusal}`, n);
  if (lost !== undefined) add(expected, `source:${lost}`);
  for (const [fate, n] of fates) {
    if (!fate.startsWith(REJECTED)) continue;
    const reason = fate.slice(REJECTED.length);
    if (reason !== lost) add(expected, `line:${reason}`, n - (tally.rejectedEntries.get(reason) ?? 0));
  }
  return expected;
}
