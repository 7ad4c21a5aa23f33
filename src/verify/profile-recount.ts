/**
 * Recounts `profile` in reports/summary.json: histograms, roles, tools, reasons, findings and groups. Only the numbers
 * in the lists are compared, because the examples depend on the order of the lines.
 */
import { crc32 } from 'node:zlib';
import type { SessionLine, SourceLine } from '../dataset/schema/ledger.ts';
import type { QuarantineLine } from '../dataset/schema/quarantine.ts';
import type { DatasetProfile, FindingLine, RecordsProfile } from '../dataset/schema/reports.ts';
import type { Problems } from './problems.ts';
import { add, type Counts, sumOf } from './tallies.ts';
import {
  asCount,
  asCounts,
  asObject,
  asObjects,
  asText,
  type JsonObject,
  type Untrusted,
} from './untrusted.ts';

const FILE = 'reports/summary.json';
const NAME = 120;
const MAX_ROLES = 31;
const MAX_TOOLS = 10_000;
const MAX_DIALECTS = 100;
const SHOWN = { reasons: 24, tools: 20, models: 20, groups: 60 } as const;
/** A character that is two code units of a text. */
const PAIR = /[\ud800-\udbff]/g;
const REJECTED = 'rejected:';
/** Id of a further branch: that of the session, and a number. */
const BRANCH = /^(.*)#([1-9]\d{0,5})$/s;

export interface MessageCounts {
  readonly messages: number;
  readonly calls: number;
}

export class ProfileRecount {
  readonly #first: string;
  readonly #byMessages: Counts = new Map();
  readonly #byBytes: Counts = new Map();
  readonly #byCalls: Counts = new Map();
  readonly #roles: Counts = new Map();
  readonly #tools: Counts = new Map();
  readonly #reasons: Counts = new Map();
  readonly #findings: Counts = new Map();
  readonly #sessionFates: Counts = new Map();
  readonly #dialects: Counts = new Map();
  readonly #models: Counts = new Map();
  #bytes = 0;
  #characters = 0;
  #longest = 0;
  /** Length and CRC-32 of each record in the first format, in one number. */
  readonly #checksums: number[] = [];
  #hasDecks = false;
  #branches = 0;
  /** Source and id of the last session that is not a further branch. */
  #unbranched = '';

  /** @param first the first format of the run */
  constructor(first: string | undefined) {
    this.#first = first ?? '';
  }

  /** @returns the numbers of its messages and calls, if it is in the first format and has messages */
  record(format: string, text: string, record: JsonObject): MessageCounts | undefined {
    const bytes = Buffer.byteLength(text);
    add(this.#byBytes, lowerEnd(bytes));
    if (format === this.#first) {
      this.#bytes += bytes;
      this.#characters += text.length - (text.match(PAIR)?.length ?? 0);
      this.#longest = Math.max(this.#longest, bytes);
      this.#checksums.push((bytes % 2 ** 21) * 2 ** 32 + crc32(text));
    }
    const { prompt, completion } = record;
    const parts = Array.isArray(prompt) && Array.isArray(completion) ? [...prompt, ...completion] : undefined;
    const list = record.messages ?? record.fullConversation ?? record.conversations ?? parts;
    if (format !== this.#first || !Array.isArray(list)) return undefined;
    let calls = 0;
    for (const message of list.map((item) => asObject(item) ?? {})) {
      const role = asText(message.role) ?? asText(message.from) ?? '?';
      addBounded(this.#roles, role, MAX_ROLES);
      if (role !== 'assistant') continue;
      for (const name of calledBy(message)) {
        calls += 1;
        addBounded(this.#tools, name, MAX_TOOLS);
      }
    }
    add(this.#byMessages, lowerEnd(list.length));
    add(this.#byCalls, lowerEnd(calls));
    return { messages: list.length, calls };
  }

  /** Call it for a shard whose records are not lines: their sizes are not recounted. */
  deck(): void {
    this.#hasDecks = true;
  }

  quarantined({ reason, rest }: Untrusted<QuarantineLine>): void {
    add(this.#reasons, String(reason));
    for (const [other, n] of asCounts(rest) ?? []) add(this.#reasons, other, n);
  }

  finding({ rule, severity, count }: Untrusted<FindingLine>): void {
    add(this.#findings, `${severity} ${rule}`, asCount(count) ?? 1);
  }

  source({ dialect }: Untrusted<SourceLine>): void {
    if (dialect !== undefined) addBounded(this.#dialects, String(dialect), MAX_DIALECTS);
  }

  session({ fate, id, source, input, model }: Untrusted<SessionLine>): void {
    this.#branch(JSON.stringify([input ?? 0, source]), asText(id));
    const text = asText(fate) ?? '';
    add(this.#sessionFates, text.startsWith(REJECTED) ? 'rejected' : text);
    const name = asText(model);
    if (text === 'written' && name !== undefined) addBounded(this.#models, name, MAX_TOOLS);
  }

  #branch(source: string, id: string | undefined): void {
    const [, first, number] = BRANCH.exec(id ?? '') ?? [];
    if (first !== undefined && source + first === this.#unbranched && Number(number) > 1) this.#branches += 1;
    else this.#unbranched = id === undefined ? '' : source + id;
  }

  compare(profile: Untrusted<DatasetProfile> | undefined, problems: Problems): void {
    const records: Untrusted<RecordsProfile> | undefined = asObject(profile?.records);
    if (profile === undefined || records === undefined) {
      problems.add(FILE, 'expected an object `profile` with the counts of the report, found none');
      return;
    }
    const same = (what: string, counted: ReadonlyMap<string, number>, stated: unknown): void =>
      problems.equalCounts({ file: FILE }, `profile.${what}`, counted, asCounts(stated) ?? new Map());
    same('records.by_messages', this.#byMessages, records.by_messages);
    if (!this.#hasDecks) same('records.by_bytes', this.#byBytes, records.by_bytes);
    same('records.by_calls', this.#byCalls, records.by_calls);
    same('records.roles', this.#roles, records.roles);
    same('records.tools', largest(this.#tools, SHOWN.tools), records.tools);
    problems.equal(FILE, undefined, 'profile.records.messages', sumOf(this.#roles), records.messages);
    problems.equal(FILE, undefined, 'profile.records.calls', sumOf(this.#tools), records.calls);
    if (!this.#hasDecks) {
      problems.equal(FILE, undefined, 'profile.records.bytes', this.#bytes, records.bytes);
      problems.equal(FILE, undefined, 'profile.records.characters', this.#characters, records.characters);
      problems.equal(FILE, undefined, 'profile.records.longest', this.#longest, records.longest);
      const repeated = repeatedIn(this.#checksums);
      problems.equal(FILE, undefined, 'profile.records.repeated', repeated, records.repeated ?? 0);
    }
    same('records.models', largest(this.#models, SHOWN.models), records.models);
    problems.equal(
      FILE,
      undefined,
      'profile.records.model_count',
      this.#models.size,
      records.model_count ?? 0,
    );
    problems.equal(FILE, undefined, 'profile.records.tool_count', this.#tools.size, records.tool_count);
    problems.equal(FILE, undefined, 'profile.branches', this.#branches, profile.branches ?? 0);
    const reasons = asObjects(profile.rejections).map(({ reason, count }) => [reason, count]);
    same('rejections', largest(this.#reasons, SHOWN.reasons), Object.fromEntries(reasons));
    const findings = asObjects(profile.findings).map(({ severity, rule, count }) => [
      `${severity} ${rule}`,
      count,
    ]);
    same('findings', largest(this.#findings, SHOWN.reasons), Object.fromEntries(findings));
    same('dialects', this.#dialects, profile.dialects);
    if (asObjects(profile.groups).length === asCount(profile.group_count))
      same('groups', this.#sessionFates, sumsOf(asObjects(profile.groups)));
  }
}

/** Returns the names of the tools that a message calls. */
function calledBy({ tool_calls: calls, function_call: legacy }: JsonObject): readonly string[] {
  const nameOf = (value: unknown): string => asText(asObject(value)?.name) || '?';
  if (Array.isArray(calls) && calls.length > 0) return calls.map((call) => nameOf(asObject(call)?.function));
  return asObject(legacy) === undefined ? [] : [nameOf(legacy)];
}

/** Counts a name, with the middle cut out if it is long; beyond the limit of names, as `other`. */
function addBounded(counts: Counts, name: string, most: number): void {
  const short = cut(name || '?');
  add(counts, counts.has(short) || counts.size < most ? short : 'other');
}

function cut(name: string): string {
  if (name.length <= NAME) return name;
  const half = Math.floor((NAME - 1) / 2);
  const begin = name.slice(0, half).replace(/[\ud800-\udbff]$/, '');
  return `${begin}…${name.slice(name.length - half).replace(/^[\udc00-\udfff]/, '')}`;
}

function repeatedIn(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort();
  return sorted.reduce((repeated, value, i) => repeated + (i > 0 && value === sorted[i - 1] ? 1 : 0), 0);
}

function largest(counts: ReadonlyMap<string, number>, most: number): ReadonlyMap<string, number> {
  return new Map([...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1)).slice(0, most));
}

/** Returns the lower end of a number's bin: the number itself below 8, else the start of a quarter of its power of two. */
function lowerEnd(value: number): string {
  if (value < 8) return String(value);
  let octave = 8;
  while (octave * 2 <= value) octave *= 2;
  const quarter = octave / 4;
  return String(octave + Math.floor((value - octave) / quarter) * quarter);
}

function sumsOf(groups: readonly JsonObject[]): Readonly<Record<string, number>> {
  const sums: Record<string, number> = {};
  for (const group of groups)
    for (const key of ['written', 'empty', 'rejected', 'contained'])
      sums[key] = (sums[key] ?? 0) + (asCount(group[key]) ?? (key === 'contained' ? 0 : Number.NaN));
  return Object.fromEntries(Object.entries(sums).filter(([, n]) => n !== 0));
}
