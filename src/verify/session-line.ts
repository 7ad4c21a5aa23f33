/** One line of ledger/sessions.jsonl: does it add up in itself, and does its record exist? */
import { add, addAll } from './counts.ts';
import { asCount, asCounts, asObject, asText, type JsonObject } from './json-value.ts';
import type { Pointers } from './pointers.ts';
import type { Problems } from './problems.ts';
import { groupProblem } from './session-group.ts';
import { placeProblem } from './source-extent.ts';
import type { SourceLine } from './source-lines.ts';
import type { SourceTally } from './source-tally.ts';
import type { Totals } from './totals.ts';

export interface SessionContext {
  readonly groupBy: unknown;
  /** Of the dataset. */
  readonly formats: readonly string[];
  readonly pointers: Pointers;
  readonly totals: Totals;
  readonly problems: Problems;
}

const FILE = 'ledger/sessions.jsonl';
const REJECTED = 'rejected:';

export function checkSession({ line, value }: SourceLine, tally: SourceTally, context: SessionContext): void {
  const { totals, problems } = context;
  const fate = asText(value.fate) ?? '';
  const [entries, superseded, truncated] = ['entries', 'superseded', 'truncated'].map((key) => {
    if (asCount(value[key]) === undefined) problems.equal(FILE, line, key, 'a count', value[key]);
    return asCount(value[key]) ?? 0;
  }) as [number, number, number];
  const rejected = fate.startsWith(REJECTED);
  const outcome = rejected ? 'rejected' : fate;
  totals.sessions += 1;
  add(totals.outcomes, outcome);
  const changes = asCounts(value.changes);
  if (changes === undefined) problems.equal(FILE, line, 'changes', 'counts', value.changes);
  else addAll(totals.rewrites, changes);

  if (fate === 'written') {
    const folded = asCount(value.folded) ?? 0;
    const lines = 1 + superseded + truncated + folded;
    problems.equal(FILE, line, 'entries, by 1 + superseded + truncated + folded', lines, entries);
    add(tally.fates, 'snapshot');
    add(tally.fates, 'superseded', superseded);
    add(tally.fates, 'truncated', truncated);
    add(tally.fates, 'folded', folded);
    checkWritten({ line, value }, tally, context);
    return;
  }
  if (!rejected && fate !== 'empty') problems.equal(FILE, line, 'fate', 'written, empty or rejected', fate);
  problems.equal(FILE, line, 'superseded + truncated without a record', 0, superseded + truncated);
  for (const key of ['shard', 'line', 'records', 'refused', 'origin', 'folded']) {
    if (value[key] !== undefined)
      problems.equal(FILE, line, `${key} without a record`, undefined, value[key]);
  }
  if (rejected) {
    add(tally.fates, fate, entries);
    add(tally.rejectedEntries, fate.slice(REJECTED.length), entries);
  } else problems.equal(FILE, line, 'entries without a record', 0, entries);
}

/** A written session has a record in a shard of its group, a snapshot, and as many tools as it says. */
function checkWritten({ line, value }: SourceLine, tally: SourceTally, context: SessionContext): void {
  const { problems, totals } = context;
  const tools = value.tools as JsonObject | null;
  const [seen, kept, same, conflict] = ['seen', 'kept', 'duplicateSame', 'duplicateConflict'].map(
    (key) => asCount(tools?.[key]) ?? Number.NaN,
  ) as [number, number, number, number];
  problems.equal(FILE, line, 'tools seen, by kept + duplicates', true, seen === kept + same + conflict);
  for (const [key, n] of Object.entries({
    seen,
    kept,
    'duplicate-same': same,
    'duplicate-conflict': conflict,
  })) {
    add(totals.tools, key, n);
  }
  const origin = asCounts(value.origin);
  const [start = Number.NaN, length = Number.NaN] = [origin?.get('offset'), origin?.get('length')];
  const place = { line: origin?.get('line'), start, end: start + length };
  // conversations that are folded of events begin before others have ended
  const isFolded = value.folded !== undefined;
  const wanted = placeProblem(tally.extent, place, isFolded ? 0 : (tally.after.get('snapshot') ?? 0));
  if (wanted !== undefined) problems.equal(FILE, line, 'origin', wanted, value.origin);
  else tally.after.set('snapshot', place.end);
  checkRecords({ line, value }, kept, tally, context);
}

/** One record; or a list of them, with some of each format that did not refuse. */
function checkRecords(at: SourceLine, tools: number, tally: SourceTally, context: SessionContext): void {
  const { line, value } = at;
  const { formats, problems, totals } = context;
  const alone = formats.length === 1 && value.records === undefined;
  const records = alone ? [{ ...value, format: formats[0] }] : objects(value.records);
  const refused = alone ? [] : objects(value.refused);
  const groups = new Set(records.flatMap((record) => checkRecord(at, record, tools, context)));
  for (const group of groups) add(totals.groups, group);
  if (groups.size > 1) problems.add(FILE, `line ${line}: expected records of one group, found several`);
  for (const { format, reason } of refused) {
    for (const counts of [tally.refusals, totals.refusals]) add(counts, `${format} ${reason}`);
  }
  const writers = new Set(records.map(({ format }) => format));
  for (const format of writers) add(totals.writers, String(format));
  const named = [...writers, ...refused.map(({ format }) => format)];
  problems.equal(
    FILE,
    line,
    'formats of records and refused',
    [...formats].sort().join(' '),
    named.sort().join(' '),
  );
}

/** The group of the record's shard, when there is such a shard. */
function checkRecord(
  { line, value }: SourceLine,
  record: JsonObject,
  tools: number,
  { pointers, problems, groupBy }: SessionContext,
): string[] {
  const shard = pointers.point(line, record.shard, record.line, tools);
  if (shard === undefined) return [];
  problems.equal(FILE, line, `the format of ${String(record.shard)}`, shard.format, record.format);
  const wrong = groupProblem(groupBy, shard.group, String(value.source), String(value.id));
  if (wrong !== undefined) problems.add(FILE, `line ${line}: ${wrong}`);
  return [shard.group];
}

function objects(value: unknown): readonly JsonObject[] {
  return Array.isArray(value) ? value.map((item) => asObject(item) ?? {}) : [];
}
