/** Findings by session, for lists and filters: nine bytes per session, read once on first use. */
import { setImmediate } from 'node:timers/promises';
import type { SessionLine } from '../dataset/schema/ledger.ts';
import type { FindingLine } from '../dataset/schema/reports.ts';
import type { LineIndex } from './line-index.ts';

const LINES_AT_ONCE = 2000;
/** The last bit represents all further rules. */
const MOST_RULES = 31;
const WARNING = 1;
const ERROR = 2;

interface SourceFinding {
  readonly session: string | null;
  readonly bit: number;
  readonly severity: number;
}

export class FindingColumns {
  readonly #rules: string[] = [];
  readonly #masks: Uint32Array;
  readonly #severities: Uint8Array;
  /** The first finding about the session's source, from 1. */
  readonly #firsts: Uint32Array;

  private constructor(sessions: number) {
    this.#masks = new Uint32Array(sessions);
    this.#severities = new Uint8Array(sessions);
    this.#firsts = new Uint32Array(sessions);
  }

  /** Reads both files side by side, since both name the sources in the same order. */
  static async read(sessions: LineIndex, findings: LineIndex): Promise<FindingColumns> {
    const columns = new FindingColumns(sessions.lines);
    const cursor = new FindingCursor(findings);
    let key = '';
    let found: readonly SourceFinding[] = [];
    let first = 0;
    for (let at = 0; at < sessions.lines; ) {
      const page = sessions.page(at, LINES_AT_ONCE);
      for (const [i, { content }] of page.entries()) {
        const { source, input, id } = JSON.parse(content.toString()) as SessionLine;
        if (keyOf(source, input) !== key) {
          key = keyOf(source, input);
          ({ first, found } = cursor.take(key, (rule) => columns.#bitOf(rule)));
        }
        if (found.length > 0) columns.#note(at + i, id, found, first);
      }
      at += page.length;
      if (page.length === 0) break;
      await setImmediate();
    }
    return columns;
  }

  /** Returns `error`, `warning`, or undefined. */
  severityOf(session: number): 'error' | 'warning' | undefined {
    const severity = this.#severities[session] ?? 0;
    return severity === 0 ? undefined : severity >= ERROR ? 'error' : 'warning';
  }

  has(session: number, rule: string): boolean {
    const bit = this.#rules.indexOf(rule);
    return bit >= 0 && ((this.#masks[session] ?? 0) & (1 << Math.min(bit, MOST_RULES))) !== 0;
  }

  firstOf(session: number): number | undefined {
    const first = this.#firsts[session] ?? 0;
    return first === 0 ? undefined : first - 1;
  }

  #bitOf(rule: string): number {
    const known = this.#rules.indexOf(rule);
    if (known < 0) this.#rules.push(rule);
    return Math.min(known < 0 ? this.#rules.length - 1 : known, MOST_RULES);
  }

  #note(session: number, id: string | null, found: readonly SourceFinding[], first: number): void {
    for (const one of found) {
      if (one.session !== id) continue;
      this.#masks[session] = (this.#masks[session] as number) | (1 << one.bit);
      this.#severities[session] = Math.max(this.#severities[session] as number, one.severity);
      this.#firsts[session] = first + 1;
    }
  }
}

/** The findings of one source after the other. */
class FindingCursor {
  readonly #index: LineIndex;
  #at = 0;
  #page: FindingLine[] = [];

  constructor(index: LineIndex) {
    this.#index = index;
  }

  take(key: string, bitOf: (rule: string) => number): { first: number; found: readonly SourceFinding[] } {
    const first = this.#at;
    const found: SourceFinding[] = [];
    for (let next = this.#peek(); next !== undefined; next = this.#peek()) {
      if (keyOf(next.source, next.input) !== key) break;
      const severity = next.severity === 'ERROR' ? ERROR : WARNING;
      found.push({ session: next.session, bit: bitOf(next.rule), severity });
      this.#page.shift();
      this.#at += 1;
    }
    return { first, found };
  }

  #peek(): FindingLine | undefined {
    if (this.#page.length === 0) {
      const lines = this.#index.page(this.#at, LINES_AT_ONCE);
      this.#page = lines.map(({ content }) => JSON.parse(content.toString()) as FindingLine);
    }
    return this.#page[0];
  }
}

const keyOf = (source: string, input: number | undefined): string => `${input ?? 0}/${source}`;
