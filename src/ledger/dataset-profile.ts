/**
 * Counts the figures of the report, from the lines of the dataset as they are written. All lists are bounded, because
 * the result goes into `reports/summary.json`; it depends only on the lines.
 */

import { type RecordShape, shortName } from '../../transforms/formats/shape-counter.ts';
import { type Grouping, groupOf } from '../../transforms/model/group.ts';
import type { Counts, SessionLine, SourceLine } from '../dataset/schema/ledger.ts';
import type { QuarantineLine } from '../dataset/schema/quarantine.ts';
import type {
  DatasetProfile,
  FindingExample,
  FindingLine,
  FindingProfile,
  GroupProfile,
  RejectionExample,
  RejectionProfile,
  SourceProfile,
} from '../dataset/schema/reports.ts';
import { sessionOfBranch } from './branch-id.ts';
import { charactersIn } from './characters.ts';
import { binOf, binRange, Tally } from './counts.ts';
import { EqualRecords } from './equal-records.ts';

/** Lengths of the lists in the profile. */
export const PROFILE_LIMITS = {
  reasons: 24,
  examples: 5,
  sources: 25,
  tools: 20,
  models: 20,
  groups: 60,
} as const;

const MAX_MESSAGE = 240;
const MAX_ROLES = 31;
const MAX_DIALECTS = 100;
const MAX_NAMES = 10_000;
const OTHER = 'other';

interface Examples<T> {
  count: number;
  readonly examples: T[];
}

/** A source of the run. Its fates are summed up only if it is shown. */
interface CountedSource extends SourceProfile {
  readonly rejected: number;
}

const REJECTED = 'rejected:';

function rejectedIn(fates: Counts): number {
  let rejected = 0;
  for (const fate in fates) if (fate.startsWith(REJECTED)) rejected += fates[fate] as number;
  return rejected;
}

/** The order of the sources in the list. */
const bySize = (a: CountedSource, b: CountedSource): number =>
  b.rejected - a.rejected || b.lines - a.lines || compared(a.source, b.source);

function shownSource({ source, lines, size, fates }: CountedSource): SourceProfile {
  const sums = new Tally();
  for (const [fate, n] of Object.entries(fates)) sums.add(fate.split(':', 1)[0] as string, n);
  return { source, lines, size, fates: sums.toObject() };
}

/** Sums of sessions by fate. */
interface GroupSums {
  written: number;
  empty: number;
  rejected: number;
  contained?: number;
}

type NameCounts = readonly (readonly [name: string, count: number])[];

/** The figures of records, sessions and sources as plain data, for `add`; names are not limited. */
export interface ProfileCounts {
  readonly byMessages: readonly number[];
  readonly byBytes: readonly number[];
  readonly byCalls: readonly number[];
  readonly bytes: number;
  readonly characters: number;
  readonly longest: number;
  /** From `EqualRecords`. */
  readonly keys: readonly number[];
  readonly roles: NameCounts;
  readonly tools: NameCounts;
  readonly models: NameCounts;
  readonly dialects: NameCounts;
  readonly groups: readonly (readonly [group: string, sums: GroupSums])[];
  readonly branches: number;
  readonly sources: readonly CountedSource[];
}

/** Whether a session is a further branch of an earlier one. */
function isFurtherBranch({ id, source, input }: SessionLine, first: SessionLine | undefined): boolean {
  if (id === null || first === undefined || sessionOfBranch(id) !== first.id) return false;
  return source === first.source && input === first.input;
}

export class ProfileCounter {
  readonly #groupBy: Grouping;
  readonly #rejections = new Map<string, Examples<RejectionExample>>();
  readonly #findings = new Map<
    string,
    Examples<FindingExample> & Pick<FindingProfile, 'rule' | 'severity'>
  >();
  readonly #byMessages: number[] = [];
  readonly #byBytes: number[] = [];
  readonly #byCalls: number[] = [];
  /** Bytes in the first format. */
  #bytes = 0;
  #characters = 0;
  #longest = 0;
  readonly #equal = new EqualRecords();
  readonly #roles: NameTally;
  readonly #tools: NameTally;
  readonly #groups = new Map<string, GroupSums>();
  readonly #dialects: NameTally;
  readonly #models: NameTally;
  readonly #maxGroups: number;
  #branches = 0;
  /** The last session that is not a further branch. */
  #first: SessionLine | undefined;
  /** Sources that may be shown. */
  readonly #sources: CountedSource[] = [];
  /** The last source that may be shown, once there are enough: a source that sorts after it is not kept. */
  #lastShown: CountedSource | undefined;

  /** @param isWhole whether it counts all sources of a run, so that the numbers of names are limited */
  constructor(groupBy: Grouping, isWhole: boolean = true) {
    const limit = (most: number): number => (isWhole ? most : Number.POSITIVE_INFINITY);
    this.#groupBy = groupBy;
    this.#roles = new NameTally(limit(MAX_ROLES));
    this.#tools = new NameTally(limit(MAX_NAMES));
    this.#dialects = new NameTally(limit(MAX_DIALECTS));
    this.#models = new NameTally(limit(MAX_NAMES));
    this.#maxGroups = limit(MAX_NAMES);
  }

  /** Returns the figures of records, sessions and sources. Findings and rejections are not among them: their order matters. */
  counts(): ProfileCounts {
    this.#trimSources();
    return {
      byMessages: this.#byMessages,
      byBytes: this.#byBytes,
      byCalls: this.#byCalls,
      bytes: this.#bytes,
      characters: this.#characters,
      longest: this.#longest,
      keys: this.#equal.keys(),
      roles: this.#roles.all(),
      tools: this.#tools.all(),
      models: this.#models.all(),
      dialects: this.#dialects.all(),
      groups: [...this.#groups],
      branches: this.#branches,
      sources: this.#sources,
    };
  }

  /** Adds the figures of sources that follow those so far. */
  add(counts: ProfileCounts): void {
    addBins(this.#byMessages, counts.byMessages);
    addBins(this.#byBytes, counts.byBytes);
    addBins(this.#byCalls, counts.byCalls);
    this.#bytes += counts.bytes;
    this.#characters += counts.characters;
    this.#longest = Math.max(this.#longest, counts.longest);
    this.#equal.addKeys(counts.keys);
    this.#roles.addEach(counts.roles);
    this.#tools.addEach(counts.tools);
    this.#models.addEach(counts.models);
    this.#dialects.addEach(counts.dialects);
    for (const [group, { written, empty, rejected, contained = 0 }] of counts.groups) {
      const sums = this.#groupOf(group);
      sums.written += written;
      sums.empty += empty;
      sums.rejected += rejected;
      if (contained > 0) sums.contained = (sums.contained ?? 0) + contained;
    }
    this.#branches += counts.branches;
    for (const source of counts.sources) this.#showSource(source);
  }

  /**
   * Adds a record of any format.
   * @param first set for a record of the run's first format: its shape, if it has messages
   */
  record(record: Uint8Array, first?: { readonly shape: RecordShape | undefined }): void {
    const bytes = record.length;
    addTo(this.#byBytes, bytes);
    if (first === undefined) return;
    this.#bytes += bytes;
    this.#characters += charactersIn(record);
    this.#longest = Math.max(this.#longest, bytes);
    this.#equal.add(record);
    const { shape } = first;
    if (shape === undefined) return;
    addTo(this.#byMessages, this.#roles.addAll(shape.roles));
    addTo(this.#byCalls, this.#tools.addAll(shape.calls));
  }

  /** Adds a session. @param group the group of its records, if it has any */
  session(line: SessionLine, group: string | undefined): void {
    const { fate, source, id, model } = line;
    if (fate === 'written' && model !== undefined) this.#models.addAll({ [shortName(model)]: 1 });
    if (isFurtherBranch(line, this.#first)) this.#branches += 1;
    else this.#first = line;
    const place = { origin: { source }, sessionId: id ?? '', startedAt: undefined };
    const name = group ?? groupOf(place, this.#groupBy);
    const sums = this.#groupOf(name);
    if (fate === 'written' || fate === 'empty') sums[fate] += 1;
    else if (fate === 'contained') sums.contained = (sums.contained ?? 0) + 1;
    else sums.rejected += 1;
  }

  quarantined(record: QuarantineLine): void {
    const { reason, source, line, byte_start, byte_end, error, count = 1, rest = {} } = record;
    const others = Object.values(rest).reduce((sum, n) => sum + n, 0);
    const seen = getOrAdd(this.#rejections, reason, { count: 0, examples: [] });
    seen.count += count - others;
    for (const [other, n] of Object.entries(rest))
      getOrAdd(this.#rejections, other, { count: 0, examples: [] }).count += n;
    if (seen.examples.length >= PROFILE_LIMITS.examples) return;
    const place = { source: shortName(source.uri), line, byte_start, byte_end };
    seen.examples.push({ ...place, message: shortName(error.message, MAX_MESSAGE) });
  }

  finding({ rule, severity, source, entry, message, count = 1 }: FindingLine): void {
    const seen = getOrAdd(this.#findings, `${severity} ${rule}`, { rule, severity, count: 0, examples: [] });
    seen.count += count;
    if (seen.examples.length >= PROFILE_LIMITS.examples) return;
    const text = shortName(message, MAX_MESSAGE);
    seen.examples.push({ source: shortName(source), line: entry, message: text });
  }

  source({ source, status, dialect, lines, size = 0, fates }: SourceLine): void {
    if (status === 'skipped') return;
    if (dialect !== undefined) this.#dialects.addAll({ [dialect]: 1 });
    this.#showSource({ source: shortName(source), lines, size, fates, rejected: rejectedIn(fates) });
  }

  #showSource(seen: CountedSource): void {
    if (this.#lastShown !== undefined && bySize(seen, this.#lastShown) > 0) return;
    this.#sources.push(seen);
    if (this.#sources.length >= 4 * PROFILE_LIMITS.sources) this.#trimSources();
  }

  take(): DatasetProfile {
    this.#trimSources();
    const repeated = this.#equal.repeated();
    const rejections = [...this.#rejections].map(([reason, seen]): RejectionProfile => ({ reason, ...seen }));
    const findings = [...this.#findings.values()].map(
      ({ rule, severity, count, examples }): FindingProfile => ({ rule, severity, count, examples }),
    );
    const records = {
      messages: this.#roles.sum,
      calls: this.#tools.sum,
      bytes: this.#bytes,
      characters: this.#characters,
      longest: this.#longest,
      ...(repeated > 0 && { repeated }),
      by_messages: binCounts(this.#byMessages),
      by_bytes: binCounts(this.#byBytes),
      by_calls: binCounts(this.#byCalls),
      roles: this.#roles.largest(MAX_ROLES + 1),
      tools: this.#tools.largest(PROFILE_LIMITS.tools),
      tool_count: this.#tools.size,
      ...(this.#models.size > 0 && {
        models: this.#models.largest(PROFILE_LIMITS.models),
        model_count: this.#models.size,
      }),
    };
    return {
      rejections: rejections.sort(byCount(({ reason }) => reason)).slice(0, PROFILE_LIMITS.reasons),
      findings: findings
        .sort(byCount(({ rule, severity }) => `${severity} ${rule}`))
        .slice(0, PROFILE_LIMITS.reasons),
      records,
      groups: this.#shownGroups(),
      group_count: this.#groups.size,
      ...(this.#branches > 0 && { branches: this.#branches }),
      dialects: this.#dialects.largest(MAX_DIALECTS + 1),
      sources: this.#sources.map(shownSource),
    };
  }

  #groupOf(name: string): GroupSums {
    const key = this.#groups.has(name) || this.#groups.size < this.#maxGroups ? name : OTHER;
    return getOrAdd(this.#groups, key, { written: 0, empty: 0, rejected: 0 });
  }

  #shownGroups(): readonly GroupProfile[] {
    const groups = [...this.#groups].map(
      ([group, sums]): GroupProfile => ({ group: shortName(group), ...sums }),
    );
    const sizeOf = ({ written, empty, rejected, contained = 0 }: GroupProfile): number =>
      written + empty + rejected + contained;
    const byName = (a: GroupProfile, b: GroupProfile): number => (a.group < b.group ? -1 : 1);
    if (this.#groupBy === 'date') return groups.sort(byName).slice(-PROFILE_LIMITS.groups);
    return groups.sort((a, b) => sizeOf(b) - sizeOf(a) || byName(a, b)).slice(0, PROFILE_LIMITS.groups);
  }

  #trimSources(): void {
    this.#sources.sort(bySize).splice(PROFILE_LIMITS.sources);
    this.#lastShown = this.#sources[PROFILE_LIMITS.sources - 1];
  }
}

/** Counts by name; names beyond a limit are counted as `other`. */
class NameTally {
  readonly #most: number;
  readonly #counts = new Map<string, number>();
  sum = 0;

  constructor(most: number) {
    this.#most = most;
  }

  get size(): number {
    return this.#counts.size;
  }

  /** Adds counts, and returns their sum. */
  addAll(counts: Counts): number {
    let sum = 0;
    for (const name in counts) {
      const n = counts[name] as number;
      this.#add(name, n);
      sum += n;
    }
    return sum;
  }

  addEach(counts: NameCounts): void {
    for (const [name, n] of counts) this.#add(name, n);
  }

  /** Returns all counts, in the order in which the names first occurred. */
  all(): NameCounts {
    return [...this.#counts];
  }

  #add(name: string, n: number): void {
    const key = this.#counts.has(name) || this.#counts.size < this.#most ? name : OTHER;
    this.#counts.set(key, (this.#counts.get(key) ?? 0) + n);
    this.sum += n;
  }

  /** Returns the counts of the most frequent names, sorted by name. */
  largest(most: number): Counts {
    const sorted = [...this.#counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).slice(0, most);
    return Object.fromEntries(sorted.sort(([a], [b]) => (a < b ? -1 : 1)));
  }
}

function getOrAdd<T>(map: Map<string, T>, name: string, initial: T): T {
  const known = map.get(name);
  if (known !== undefined) return known;
  map.set(name, initial);
  return initial;
}

function byCount<T extends { readonly count: number }>(nameOf: (one: T) => string): (a: T, b: T) => number {
  return (a, b) => b.count - a.count || (nameOf(a) < nameOf(b) ? -1 : 1);
}

function addTo(bins: number[], value: number): void {
  const bin = binOf(value);
  while (bins.length <= bin) bins.push(0);
  bins[bin] = (bins[bin] as number) + 1;
}

function addBins(bins: number[], more: readonly number[]): void {
  while (bins.length < more.length) bins.push(0);
  for (const [bin, n] of more.entries()) bins[bin] = (bins[bin] as number) + n;
}

const compared = (a: string, b: string): number => (a === b ? 0 : a < b ? -1 : 1);

function binCounts(bins: readonly number[]): Counts {
  const counts = bins.map((n, bin): [string, number] => [String(binRange(bin)[0]), n]);
  return Object.fromEntries(counts.filter(([, n]) => n > 0));
}
