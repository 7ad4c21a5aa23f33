/**
 * Findings, turns, dialect and model by session, for lists, filters and orders, in 21 bytes per session and four per finding.
 * They are read once, on first use.
 */
import { setImmediate } from 'node:timers/promises';
import { LINE_FILES } from '../dataset/layout.ts';
import { type LineFileName, type LineTypes, lineIn } from '../dataset/parse-line.ts';
import type { LineIndex } from './line-index.ts';
import { NameColumn } from './name-column.ts';

const LINES_AT_ONCE = 2000;
/** Number of rules with their own bit; the last bit is for all further rules. */
const MAX_RULES = 31;
const WARNING = 1;
const ERROR = 2;

/** The findings about one session of a source. Findings are numbered from 0. */
interface SessionFindings {
  mask: number;
  severity: number;
  errors: number;
  readonly first: number;
  last: number;
}

type BySession = Map<string | null, SessionFindings>;

export class SessionColumns {
  readonly #rules: string[] = [];
  readonly #masks: Uint32Array;
  readonly #severities: Uint8Array;
  /** Number of findings of severity ERROR. */
  readonly #errors: Uint32Array;
  /** Messages of the user and turns of the model. */
  readonly #turns: Uint32Array;
  readonly dialects: NameColumn;
  readonly models: NameColumn;
  /** For each session, the number of the first finding about it, from 1; 0 for none. */
  readonly #firsts: Uint32Array;
  /** For each finding, the number of the next one about its session, from 1; 0 for none. */
  readonly #nexts: Uint32Array;

  private constructor(sessions: number, findings: number) {
    this.#masks = new Uint32Array(sessions);
    this.#severities = new Uint8Array(sessions);
    this.#errors = new Uint32Array(sessions);
    this.#turns = new Uint32Array(sessions);
    this.dialects = new NameColumn(sessions);
    this.models = new NameColumn(sessions);
    this.#firsts = new Uint32Array(sessions);
    this.#nexts = new Uint32Array(findings);
  }

  /** Reads the files in parallel, because their sources are in the same order. */
  static async read(sessions: LineIndex, findings: LineIndex, sources: LineIndex): Promise<SessionColumns> {
    const columns = new SessionColumns(sessions.lines, findings.lines);
    const ofFindings = new LineCursor(LINE_FILES.findings, findings);
    const ofSources = new LineCursor(LINE_FILES.sources, sources);
    let key = '';
    let dialect: string | undefined;
    let bySession: BySession = new Map();
    for (const [at, page] of sessions.pages(LINES_AT_ONCE)) {
      for (const [i, { content }] of page.entries()) {
        const { source, input, id, usage, model } = lineIn(LINE_FILES.sessions, content);
        if (usage !== undefined) columns.#turns[at + i] = usage.clientTurns + usage.assistantTurns;
        if (keyOf(source, input) !== key) {
          key = keyOf(source, input);
          bySession = await columns.#take(ofFindings, key);
          dialect = await dialectOf(ofSources, key);
        }
        columns.dialects.set(at + i, dialect);
        columns.models.set(at + i, model);
        const found = bySession.get(id);
        if (found !== undefined) columns.#note(at + i, found);
      }
      await setImmediate();
    }
    return columns;
  }

  /** Returns `error`, `warning`, or undefined. */
  severityOf(session: number): 'error' | 'warning' | undefined {
    const severity = this.#severities[session] ?? 0;
    return severity === 0 ? undefined : severity >= ERROR ? 'error' : 'warning';
  }

  errorsOf(session: number): number {
    return this.#errors[session] ?? 0;
  }

  turnsOf(session: number): number {
    return this.#turns[session] ?? 0;
  }

  /** Returns the rules with their own bit, and how many rows have a session with a finding of each. */
  countRules(rows: number, sessionOf: (row: number) => number): ReadonlyMap<string, number> {
    const counts = new Uint32Array(MAX_RULES);
    for (let row = 0; row < rows; row++) {
      let mask = (this.#masks[sessionOf(row)] ?? 0) & ~(1 << MAX_RULES);
      for (let bit = 0; mask !== 0; mask >>>= 1, bit++)
        if ((mask & 1) === 1) counts[bit] = (counts[bit] as number) + 1;
    }
    return new Map(this.#rules.slice(0, MAX_RULES).map((rule, bit) => [rule, counts[bit] as number]));
  }

  has(session: number, rule: string): boolean {
    const bit = this.#rules.indexOf(rule);
    return bit >= 0 && ((this.#masks[session] ?? 0) & (1 << Math.min(bit, MAX_RULES))) !== 0;
  }

  /** Yields the numbers of the findings about a session. */
  *of(session: number): Generator<number> {
    for (let next = this.#firsts[session] ?? 0; next !== 0; next = this.#nexts[next - 1] ?? 0) yield next - 1;
  }

  /** Takes the findings of a source. */
  async #take(cursor: LineCursor<typeof LINE_FILES.findings>, key: string): Promise<BySession> {
    const bySession: BySession = new Map();
    for (let page = findingsOf(cursor, key); page.length > 0; page = findingsOf(cursor, key)) {
      for (const { number, session, rule, severity, count } of page) {
        const mask = 1 << this.#bitOf(rule);
        const errors = severity === ERROR ? count : 0;
        const found = bySession.get(session);
        if (found === undefined)
          bySession.set(session, { mask, severity, errors, first: number, last: number });
        else {
          found.mask |= mask;
          found.errors += errors;
          found.severity = Math.max(found.severity, severity);
          this.#nexts[found.last] = number + 1;
          found.last = number;
        }
      }
      if (page.length === LINES_AT_ONCE) await setImmediate();
    }
    return bySession;
  }

  #bitOf(rule: string): number {
    const known = this.#rules.indexOf(rule);
    if (known < 0) this.#rules.push(rule);
    return Math.min(known < 0 ? this.#rules.length - 1 : known, MAX_RULES);
  }

  #note(session: number, { mask, severity, errors, first }: SessionFindings): void {
    this.#masks[session] = mask;
    this.#errors[session] = errors;
    this.#severities[session] = severity;
    this.#firsts[session] = first + 1;
  }
}

interface NumberedFinding {
  readonly number: number;
  readonly session: string | null;
  readonly rule: string;
  readonly severity: number;
  /** Number of findings of the line. */
  readonly count: number;
}

/** Reads the lines of a file, page by page. */
class LineCursor<F extends LineFileName> {
  readonly #file: F;
  readonly #index: LineIndex;
  #page: readonly LineTypes[F][] = [];
  /** Number of the first line of the page. */
  #first = 0;
  /** Index in the page of the next line. */
  #next = 0;

  constructor(file: F, index: LineIndex) {
    this.#file = file;
    this.#index = index;
  }

  /** Number of the next line. */
  get at(): number {
    return this.#first + this.#next;
  }

  /** Whether the next line is the first of a page. */
  get isAtPage(): boolean {
    return this.#next === this.#page.length;
  }

  peek(): LineTypes[F] | undefined {
    if (this.isAtPage) {
      this.#first = this.at;
      this.#next = 0;
      const lines = this.#index.page(this.#first, LINES_AT_ONCE);
      this.#page = lines.map(({ content }) => lineIn(this.#file, content));
    }
    return this.#page[this.#next];
  }

  skip(): void {
    this.#next++;
  }
}

/** Takes the next findings if they are of this source: at most one page of them. */
function findingsOf(cursor: LineCursor<typeof LINE_FILES.findings>, key: string): readonly NumberedFinding[] {
  const taken: NumberedFinding[] = [];
  for (
    let one = cursor.peek();
    one !== undefined && keyOf(one.source, one.input) === key;
    one = cursor.peek()
  ) {
    const severity = one.severity === 'ERROR' ? ERROR : WARNING;
    const { session, rule, count = 1 } = one;
    taken.push({ number: cursor.at, session, rule, severity, count });
    cursor.skip();
    if (cursor.isAtPage) break;
  }
  return taken;
}

/** Skips the sources up to this one. @returns its dialect */
async function dialectOf(
  cursor: LineCursor<typeof LINE_FILES.sources>,
  key: string,
): Promise<string | undefined> {
  for (let one = cursor.peek(); one !== undefined; one = cursor.peek()) {
    cursor.skip();
    if (cursor.isAtPage) await setImmediate();
    if (keyOf(one.source, one.input) === key) return one.dialect;
  }
  return undefined;
}

const keyOf = (source: string, input: number | undefined): string => `${input ?? 0}/${source}`;
