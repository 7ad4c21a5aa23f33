/**
 * Reads the ledger's files in parallel, source by source: ledger/sources.jsonl defines the order, and sessions,
 * quarantine and findings follow it. Only sums are kept. Skipped sources come first, then those that were read.
 */
import { join } from 'node:path';
import type { SessionLine, SourceLine } from '../dataset/schema/ledger.ts';
import type { QuarantineLine, QuarantineSource } from '../dataset/schema/quarantine.ts';
import type { FindingLine } from '../dataset/schema/reports.ts';
import type { ContainedContext } from './contained.ts';
import { type ReadLine, readLines } from './line-reader.ts';
import type { Problems } from './problems.ts';
import type { ProfileRecount } from './profile-recount.ts';
import { checkQuarantined } from './quarantine-line.ts';
import { checkSession, type SessionContext } from './session-line.ts';
import { Pointers, type ShardFacts } from './shards.ts';
import { checkSource } from './source-line.ts';
import { add, SourceTally, Totals } from './tallies.ts';
import { asCount, asObject, asText, type LineOf, type Untrusted } from './untrusted.ts';

const SOURCES = 'ledger/sources.jsonl';
const SESSIONS = 'ledger/sessions.jsonl';
const QUARANTINE = 'quarantine/rejected.jsonl';
const FINDINGS = 'reports/integrity.jsonl';

export interface LedgerContext extends ContainedContext {
  readonly shards: ReadonlyMap<string, ShardFacts>;
  readonly profile: ProfileRecount;
}

export class LedgerReader {
  readonly #context: LedgerContext;
  readonly #problems: Problems;
  readonly #totals = new Totals();
  readonly #session: SessionContext;
  readonly #sessions: FollowingLines<SessionLine>;
  readonly #quarantine: FollowingLines<QuarantineLine>;
  readonly #findings: FollowingLines<FindingLine>;
  /** The previous source. */
  #before: { readonly key: SourceKey; readonly skipped: boolean } | undefined;

  constructor(context: LedgerContext) {
    const { manifest, shards, problems } = context;
    const { formats, settings } = manifest;
    this.#context = context;
    this.#problems = problems;
    const pointers = new Pointers(shards, problems);
    const marks = settings.copies === 'mark';
    const compares = settings.copies === 'drop' || marks;
    this.#session = {
      groupBy: settings.groupBy,
      compares,
      marks,
      formats,
      pointers,
      totals: this.#totals,
      problems,
    };
    this.#sessions = new FollowingLines(this.#linesOf(SESSIONS), SESSIONS, problems, sourceKey);
    this.#quarantine = new FollowingLines(this.#linesOf(QUARANTINE), QUARANTINE, problems, quarantineKey);
    this.#findings = new FollowingLines(this.#linesOf(FINDINGS), FINDINGS, problems, sourceKey);
  }

  async read(): Promise<Totals> {
    const followers = [this.#sessions, this.#quarantine, this.#findings];
    try {
      for await (const { line, value } of this.#linesOf(SOURCES)) {
        if (value === undefined) continue;
        const key = sourceKey(value);
        if (key === undefined) {
          this.#problems.add(SOURCES, `line ${line}: expected the name of a source, found none`);
          continue;
        }
        const skipped = value.status === 'skipped';
        this.#checkOrder(line, key, skipped);
        if (!skipped) for (const lines of followers) await lines.passOver(key);
        await this.#readSource({ line, value }, key, skipped);
      }
      for (const lines of followers) await lines.passOver(undefined);
      this.#session.pointers.end();
    } finally {
      for (const lines of followers) await lines.close();
    }
    return this.#totals;
  }

  #linesOf(file: string): AsyncGenerator<ReadLine> {
    const { root, readable } = this.#context;
    return readable.has(file) ? readLines(join(root, file), file, this.#problems) : nothing();
  }

  async #readSource(at: LineOf<SourceLine>, key: SourceKey, skipped: boolean): Promise<void> {
    const { manifest, profile } = this.#context;
    const { sessionBy, redact } = manifest.settings;
    const tally = new SourceTally(at.value, sessionBy === 'id', redact === true);
    for await (const line of this.#quarantine.of(key)) {
      checkQuarantined(line, tally, this.#problems);
      profile.quarantined(line.value);
      // a skipped source has only one; further ones may be about the same path among those that were read
      if (skipped) break;
    }
    if (!skipped) {
      profile.source(at.value);
      for await (const line of this.#sessions.of(key)) {
        checkSession(line, tally, this.#session);
        profile.session(line.value);
      }
      for await (const line of this.#findings.of(key)) {
        this.#checkFinding(line, tally.lines);
        profile.finding(line.value);
      }
    }
    checkSource(at, tally, this.#totals, this.#problems);
  }

  /** Checks that each of the two parts is sorted and names each source once. */
  #checkOrder(line: number, key: SourceKey, skipped: boolean): void {
    const before = this.#before;
    const add = (expected: string): void => this.#problems.add(SOURCES, `line ${line}: expected ${expected}`);
    if (before?.skipped === false && skipped) add('a source that was read, found one that was skipped');
    else if (before?.skipped === skipped && compareKeys(before.key, key) >= 0)
      add(`a source after '${before.key.name}', found '${key.name}'`);
    this.#before = { key, skipped };
  }

  /** Counts a line of reports/integrity.jsonl by rule and by severity. @param lines of its source */
  #checkFinding({ line, value }: LineOf<FindingLine>, lines: number): void {
    const { severity, rule, entry } = value;
    const equal = (what: string, expected: unknown, found: unknown): void =>
      this.#problems.equal(FINDINGS, line, what, expected, found);
    const count = value.count === undefined ? 1 : (asCount(value.count) ?? 0);
    if (count === 0) equal('count', 'a number from 1', value.count);
    const across = value.across_sources;
    // a finding about the whole dataset is at line 1 of its first source, which may be empty
    const last = across === true ? Math.max(lines, 1) : lines;
    if (!((asCount(entry) ?? Infinity) <= last)) equal('entry', `a line up to ${last}`, entry);
    if (asText(rule) === undefined) equal('rule', 'a text', rule);
    if (across !== undefined) equal('across_sources', true, across);
    add(this.#totals.findings, String(rule), count);
    if (severity === 'ERROR') this.#totals.errors += count;
    else if (severity === 'WARNING') this.#totals.warnings += count;
    else equal('severity', 'ERROR or WARNING', severity);
  }
}

async function* nothing(): AsyncGenerator<ReadLine> {}

/** The source of a line in ledger, quarantine or reports; the lines of all these files are in the order of the sources. */
interface SourceKey {
  /** For messages. */
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly input: number;
}

/** Returns the source of a line in ledger or reports; undefined if it names none. */
function sourceKey(
  value: Untrusted<Pick<SourceLine, 'source' | 'source_b64' | 'input'>>,
): SourceKey | undefined {
  return keyOf(value.source, value.source_b64, value.input);
}

function quarantineKey({ source }: Untrusted<QuarantineLine>): SourceKey | undefined {
  const named: Untrusted<QuarantineSource> | undefined = asObject(source);
  return named && keyOf(named.uri, named.uri_b64, named.input);
}

function keyOf(source: unknown, raw: unknown, number: unknown): SourceKey | undefined {
  const name = asText(source);
  const input = number === undefined ? 0 : asCount(number);
  if (name === undefined || input === undefined || (raw !== undefined && asText(raw) === undefined))
    return undefined;
  const bytes = raw === undefined ? Buffer.from(name) : Buffer.from(String(raw), 'base64');
  return { name, bytes, input };
}

/** Compares bytewise by path, then by input, which is the order of the sources in every file of a dataset. */
function compareKeys(a: SourceKey, b: SourceKey): number {
  return Buffer.compare(a.bytes, b.bytes) || a.input - b.input;
}

type Head<T> = LineOf<T> & { readonly key: SourceKey };

/**
 * A file whose lines follow the order of ledger/sources.jsonl. It is read at the same time, line by line, so that memory
 * does not depend on the size of the dataset. A line about a source that the ledger does not list is a problem.
 */
class FollowingLines<T> {
  readonly #lines: AsyncGenerator<ReadLine>;
  readonly #file: string;
  readonly #problems: Problems;
  readonly #keyOf: (value: Untrusted<T>) => SourceKey | undefined;
  #head: Head<T> | undefined;
  #ended = false;

  constructor(
    lines: AsyncGenerator<ReadLine>,
    file: string,
    problems: Problems,
    keyOf: (value: Untrusted<T>) => SourceKey | undefined,
  ) {
    this.#lines = lines;
    this.#file = file;
    this.#problems = problems;
    this.#keyOf = keyOf;
  }

  /** Yields the next lines while they are about this source. */
  async *of(source: SourceKey): AsyncGenerator<LineOf<T>> {
    for (let next = await this.#peek(); next !== undefined; next = await this.#peek()) {
      if (compareKeys(next.key, source) !== 0) return;
      this.#head = undefined;
      yield next;
    }
  }

  /** Reports the lines about sources that precede this one as problems; undefined for all remaining lines. */
  async passOver(before: SourceKey | undefined): Promise<void> {
    for (let next = await this.#peek(); next !== undefined; next = await this.#peek()) {
      if (before !== undefined && compareKeys(next.key, before) >= 0) return;
      this.#head = undefined;
      const found = `found '${next.key.name}'`;
      const text = `line ${next.line}: expected a source of ${SOURCES}, in the same order, ${found}`;
      this.#problems.add(this.#file, text);
    }
  }

  async close(): Promise<void> {
    await this.#lines.return(undefined);
  }

  /** Returns the next line without taking it. */
  async #peek(): Promise<Head<T> | undefined> {
    while (this.#head === undefined && !this.#ended) {
      const next = await this.#lines.next();
      if (next.done) this.#ended = true;
      else this.#head = this.#headOf(next.value);
    }
    return this.#head;
  }

  #headOf({ line, value }: ReadLine): Head<T> | undefined {
    if (value === undefined) return undefined;
    const typed = value as Untrusted<T>;
    const key = this.#keyOf(typed);
    if (key === undefined)
      this.#problems.add(this.#file, `line ${line}: expected the name of a source, found none`);
    return key && { line, value: typed, key };
  }
}
