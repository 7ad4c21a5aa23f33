/** What the summary reports besides the ledger's sums: the first rejections as arguments for `turnmill explain`, and severities. */
import type { Listing } from '../input/sources/source.ts';
import type { Outcome, SessionReport } from '../ledger/result.ts';

/** A rejection to look at. */
export interface Example {
  /** FILE:LINE, or FILE for a whole source. */
  readonly where: string;
  readonly reason: string;
  readonly detail: string;
}

const MOST_EXAMPLES = 3;

/** Collects its notes from the results of a run, in the order of the sources. */
export class RunNotes {
  readonly #examples: Example[] = [];
  readonly #errors = new Map<string, number>();
  #source = -1;
  /** Examples of earlier sources; a source that is read again starts after them. */
  #examplesBefore = 0;
  /** Errors of the current source by rule, which do not count if the whole source is rejected. */
  readonly #pending = new Map<string, number>();

  get examples(): readonly Example[] {
    return this.#examples;
  }

  /** Findings of severity ERROR, by rule. */
  get errors(): ReadonlyMap<string, number> {
    return this.#errors;
  }

  see(outcome: Outcome, listing: Listing): void {
    if (outcome.kind === 'source-begin') this.#begin(outcome.source, outcome.again === true);
    else if (outcome.kind === 'rejected-line')
      this.#note(listing, outcome.line, outcome.reason, outcome.detail);
    else if (outcome.kind === 'session') this.#noteSession(outcome, listing);
    else if (outcome.kind === 'finding' && outcome.severity === 'ERROR') {
      const { rule, count = 1 } = outcome;
      this.#pending.set(rule, (this.#pending.get(rule) ?? 0) + count);
    } else if (outcome.kind === 'source') {
      const { rejection } = outcome;
      if (rejection !== undefined) this.#note(listing, undefined, rejection.reason, rejection.detail);
      this.#settle(rejection === undefined);
    }
  }

  #begin(source: number, again: boolean): void {
    if (this.#source !== source) this.#examplesBefore = this.#examples.length;
    else if (again) this.#examples.length = this.#examplesBefore;
    this.#source = source;
    this.#settle(false);
  }

  #noteSession({ rejection, snapshot, refusals = [] }: SessionReport, listing: Listing): void {
    if (rejection !== undefined) this.#note(listing, rejection.line, rejection.reason, rejection.detail);
    for (const { reason, detail } of refusals) this.#note(listing, snapshot?.line, reason, detail);
  }

  #note({ sources }: Listing, line: number | undefined, reason: string, detail: string): void {
    const ref = sources[this.#source];
    if (ref === undefined || this.#examples.length >= MOST_EXAMPLES) return;
    const path = ref.path === undefined ? '-' : Buffer.from(ref.path, 'latin1').toString('utf8');
    this.#examples.push({ where: line === undefined ? path : `${path}:${line}`, reason, detail });
  }

  #settle(counts: boolean): void {
    if (counts) {
      for (const [rule, n] of this.#pending) this.#errors.set(rule, (this.#errors.get(rule) ?? 0) + n);
    }
    this.#pending.clear();
  }
}
