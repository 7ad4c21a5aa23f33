/** Checks a line of ledger/sessions.jsonl: it must add up, and its records must be in shards of its group. */
import type {
  LinePlace,
  RecordPlace,
  RefusedFormat,
  SessionLine,
  ToolCountsLine,
} from '../dataset/schema/ledger.ts';
import type { Problems } from './problems.ts';
import type { MessageCounts } from './profile-recount.ts';
import type { Pointers, RecordCounts } from './shards.ts';
import { add, addAll, type SourceTally, sumOf, type Totals } from './tallies.ts';
import { asCount, asCounts, asObject, asObjects, asText, type LineOf, type Untrusted } from './untrusted.ts';

export interface SessionContext {
  readonly groupBy: unknown;
  /** Whether sessions may be contained. */
  readonly compares: boolean;
  /** Whether answers may be context; the number of messages is checked with the paths. */
  readonly marks: boolean;
  /** Names of the dataset's formats. */
  readonly formats: readonly string[];
  readonly pointers: Pointers;
  readonly totals: Totals;
  readonly problems: Problems;
}

type Line = LineOf<SessionLine>;

const FILE = 'ledger/sessions.jsonl';
const REJECTED = 'rejected:';
const CONTAINED = 'dropped:contained';
/** Members that only a written session has. */
const WRITTEN_ONLY = [
  'shard',
  'line',
  'records',
  'refused',
  'context',
  'origin',
  'folded',
  'root',
  'messages',
  'calls',
] as const satisfies readonly (keyof SessionLine)[];
/** Those of them that a contained session has too. */
const OF_CONTAINED = ['refused', 'origin', 'root'];

export function checkSession({ line, value }: Line, tally: SourceTally, context: SessionContext): void {
  const { totals, problems } = context;
  const fate = asText(value.fate) ?? '';
  const count = (key: 'entries' | 'superseded' | 'truncated'): number => {
    if (asCount(value[key]) === undefined) problems.equal(FILE, line, key, 'a count', value[key]);
    return asCount(value[key]) ?? 0;
  };
  const entries = count('entries');
  const superseded = count('superseded');
  const truncated = count('truncated');
  const rejected = fate.startsWith(REJECTED);
  totals.sessions += 1;
  add(totals.sessionFates, rejected ? 'rejected' : fate);
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
    if (!context.marks && value.context !== undefined)
      problems.equal(FILE, line, 'context', undefined, value.context);
    checkWritten({ line, value }, tally, context);
    return;
  }
  const isContained = fate === 'contained' && context.compares;
  if (!isContained) {
    if (!rejected && fate !== 'empty') problems.equal(FILE, line, 'fate', 'written, empty or rejected', fate);
    if (value.in !== undefined) problems.equal(FILE, line, 'in', undefined, value.in);
  }
  problems.equal(FILE, line, 'superseded + truncated without a record', 0, superseded + truncated);
  const mayHave: readonly string[] = isContained ? OF_CONTAINED : [];
  for (const key of WRITTEN_ONLY) {
    if (!mayHave.includes(key) && value[key] !== undefined)
      problems.equal(FILE, line, `${key} without a record`, undefined, value[key]);
  }
  if (isContained) {
    add(tally.fates, CONTAINED, entries);
    checkOrigin({ line, value }, tally, problems);
    checkRefused({ line, value }, tally, context);
  } else if (rejected) {
    add(tally.fates, fate, entries);
    add(tally.rejectedEntries, fate.slice(REJECTED.length), entries);
  } else problems.equal(FILE, line, 'entries without a record', 0, entries);
}

/** Checks that a written session has a record in a shard of its group, a snapshot, and the stated number of tools. */
function checkWritten({ line, value }: Line, tally: SourceTally, context: SessionContext): void {
  const { problems, totals } = context;
  const tools: Untrusted<ToolCountsLine> | undefined = asObject(value.tools);
  const seen = asCount(tools?.seen) ?? Number.NaN;
  const kept = asCount(tools?.kept) ?? Number.NaN;
  const same = asCount(tools?.duplicateSame) ?? Number.NaN;
  const conflict = asCount(tools?.duplicateConflict) ?? Number.NaN;
  problems.equal(FILE, line, 'tools seen, by kept + duplicates', true, seen === kept + same + conflict);
  const counts = { seen, kept, 'duplicate-same': same, 'duplicate-conflict': conflict };
  for (const [name, n] of Object.entries(counts)) add(totals.tools, name, n);
  checkOrigin({ line, value }, tally, problems);
  checkRecords({ line, value }, kept, tally, context);
}

function checkOrigin({ line, value }: Line, tally: SourceTally, problems: Problems): void {
  const isCounts = asCounts(value.origin) !== undefined;
  const origin: Untrusted<LinePlace> | undefined = isCounts ? asObject(value.origin) : undefined;
  const start = asCount(origin?.offset) ?? Number.NaN;
  const end = start + (asCount(origin?.length) ?? Number.NaN);
  // conversations folded from events may begin before others have ended; a contained one does not say that it was folded
  const mayOverlap = value.folded !== undefined || value.fate === 'contained';
  const wanted = tally.take('snapshot', { line: origin?.line, start, end }, { mayOverlap });
  if (wanted !== undefined) problems.equal(FILE, line, 'origin', wanted, value.origin);
  if (value.root !== undefined && asText(value.root) === undefined)
    problems.equal(FILE, line, 'root', 'a text', value.root);
}

/** Checks the record, or the list with at least one record in each format that did not refuse the session. */
function checkRecords(at: Line, tools: number, tally: SourceTally, context: SessionContext): void {
  const { line, value } = at;
  const { formats, problems, totals } = context;
  const alone = formats.length === 1 && value.records === undefined;
  const records: readonly Untrusted<RecordPlace>[] = alone
    ? [{ shard: value.shard, line: value.line, format: formats[0] }]
    : asObjects(value.records);
  const refused = alone ? [] : checkRefused(at, tally, context);
  const first = records.filter(({ format }) => format === formats[0]);
  const stated = first.length === 1 ? messageCountsOf(value) : undefined;
  const groups = new Set(
    records.flatMap((record) =>
      checkRecord(at, record, { tools, ...(record === first[0] && stated) }, context),
    ),
  );
  for (const group of groups) add(totals.groups, group);
  if (groups.size > 1) problems.add(FILE, `line ${line}: expected records of one group, found several`);
  const writers = new Set(records.map(({ format }) => format));
  for (const format of writers) add(totals.writers, String(format));
  const named = [...writers, ...refused].sort().join(' ');
  problems.equal(FILE, line, 'formats of records and refused', [...formats].sort().join(' '), named);
}

/** Counts the refusals of a session, and the formats in which it is contained. @returns the formats that refused it */
function checkRefused(
  { value }: Line,
  tally: SourceTally,
  { totals, formats }: SessionContext,
): readonly unknown[] {
  const refused: readonly Untrusted<RefusedFormat>[] = asObjects(value.refused);
  for (const { format, reason } of refused) {
    for (const counts of [tally.recordRejections, totals.recordRejections])
      add(counts, `${format} ${reason}`);
  }
  const names = refused.map(({ format }) => format);
  if (value.fate === 'contained')
    for (const format of formats) if (!names.includes(format)) add(totals.contained, format);
  return names;
}

/** Returns the numbers of messages and calls that a session states. */
function messageCountsOf({ messages, calls }: Line['value']): MessageCounts {
  const sum = (counts: unknown): number => sumOf(asCounts(counts) ?? new Map());
  return { messages: sum(messages), calls: sum(calls) };
}

/** Returns the group of the record's shard, if the shard exists. */
function checkRecord(
  { line, value }: Line,
  record: Untrusted<RecordPlace>,
  counts: RecordCounts,
  { pointers, problems, groupBy }: SessionContext,
): string[] {
  const shard = pointers.point(line, record.shard, record.line, counts);
  if (shard === undefined) return [];
  problems.equal(FILE, line, `the format of ${String(record.shard)}`, shard.format, record.format);
  const wrong = groupProblem(groupBy, shard.group, String(value.source), String(value.id));
  if (wrong !== undefined) problems.add(FILE, `line ${line}: ${wrong}`);
  return [shard.group];
}

/** A date after the year 9999. */
const FAR_DATE = /^[+-]\d{6}-\d{2}$/;
/** A name that was cut, and ends with a hash. */
const CUT_NAME = /^.{199,200}-[0-9a-f]{32}$/s;
const HASH_CHARS = 33;
/** The group of all sessions without grouping, or of those without a date or a name. */
const ONE_GROUP = 'conversations';

/**
 * Compares a session's group with the path of its source, as far as the path determines it: the whole name, its
 * beginning, or nothing. Returns the problem, if there is one.
 */
export function groupProblem(
  groupBy: unknown,
  group: string,
  source: string,
  id: string,
): string | undefined {
  if (groupBy === 'none') return group === ONE_GROUP ? undefined : wrongGroup(`'${ONE_GROUP}'`, group);
  if (groupBy === 'date') {
    const folder = source.includes('/') ? source.slice(0, source.indexOf('/')) : '';
    const isKnown = isDate(group) || FAR_DATE.test(group) || group === ONE_GROUP;
    if (!isDate(folder)) return isKnown ? undefined : wrongGroup('a date', group);
    return group === folder ? undefined : wrongGroup(`'${folder}', the folder of its source`, group);
  }
  if (source === '-' && id.startsWith('-:') && group === ONE_GROUP) return undefined;
  const stem = source === '-' ? id : source.slice(source.lastIndexOf('/') + 1);
  // a long name is cut, and ends with a hash of the whole name
  const known = CUT_NAME.test(group) ? group.slice(0, -HASH_CHARS) : group;
  return stem.startsWith(known) ? undefined : wrongGroup(`the beginning of '${stem}'`, group);
}

/** Returns whether the text is a calendar day in ISO 8601. */
function isDate(text: string): boolean {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(text)) return false;
  const day = new Date(`${text}T00:00:00Z`);
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text);
}

function wrongGroup(expected: string, found: string): string {
  return `expected a shard of the group ${expected}, found one of '${found}'`;
}
