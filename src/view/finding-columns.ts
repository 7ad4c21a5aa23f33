/** Findings by session, for lists and filters, in nine bytes per session. They are read once, on first use. */
import { setImmediate } from 'node:timers/promises';
import type { SessionLine } from '../dataset/schema/ledger.ts';
import type { FindingLine } from '../dataset/schema/reports.ts';
import type { LineIndex } from './line-index.ts';

const LINES_AT_ONCE = 2000;
/** Number of rules with their own bit; the last bit is for all further rules. */
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
  /** Number of the first finding about the session's source, from 1. */
  readonly #firsts: Uint32Array;

  private constructor(sessions: number) {
    this.#masks = new Uint32Array(sessions);
    this.#severities = new Uint8Array(sessions);
    this.#firsts = new Uint32Array(sessions);
  }

  /** Reads both files in parallel, because their sources are in the same order. */
  static async read(sessions: LineIndex, findings: LineIndex): Promise<FindingColumns> {
    const columns = new FindingColumns(sessions.lines);
    const cursor = new FindingCursor(findings);
    let key = '';
    let ofSource: readonly SourceFinding[] = [];
    let first = 0;
    for (let at = 0; at < sessions.lines; ) {
      const page = sessions.page(at, LINES_AT_ONCE);
      for (const [i, { content }] of page.entries()) {
        const { source, input, id } = JSON.parse(content.toString()) as SessionLine;
        if (keyOf(source, input) !== key) {
          key = keyOf(source, input);
          ({ first, ofSource } = cursor.take(key, (rule) => columns.#bitOf(rule)));
        }
        if (ofSource.length > 0) columns.#note(at + i, id, ofSource, first);
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

  #note(session: number, id: string | null, ofSource: readonly SourceFinding[], first: number): void {
    for (const finding of ofSource) {
      if (finding.session !== id) continue;
      this.#masks[session] = (this.#masks[session] as number) | (1 << finding.bit);
      this.#severities[session] = Math.max(this.#severities[session] as number, finding.severity);
      this.#firsts[session] = first + 1;
    }
  }
}

/** Reads the findings source by source. */
class FindingCursor {
  readonly #index: LineIndex;
  #at = 0;
  #page: FindingLine[] = [];

  constructor(index: LineIndex) {
    this.#index = index;
  }

  /** Returns the findings of a source, and the number of the first one. */
  take(key: string, bitOf: (rule: string) => number): { first: number; ofSource: readonly SourceFinding[] } {
    const first = this.#at;
    const ofSource: SourceFinding[] = [];
    for (let next = this.#peek(); next !== undefined; next = this.#peek()) {
      if (keyOf(next.source, next.input) !== key) break;
      const severity = next.severity === 'ERROR' ? ERROR : WARNING;
      ofSource.push({ session: next.session, bit: bitOf(next.rule), severity });
      this.#page.shift();
      this.#at += 1;
    }
    return { first, ofSource };
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
