/**
 * Limits the findings of a session: without a limit, the report of a line of tiny malformed calls would be many times
 * as large as the line. The first findings are reported one by one, the others as one finding per rule with their
 * number.
 */
import type { Finding } from '../../transforms/model/element.ts';
import type { FindingResult } from './result.ts';

/** Findings of a session that are reported one by one. */
export const MAX_FINDINGS = 1000;

export class FindingLimit {
  readonly #report: (finding: FindingResult) => void;
  #count = 0;
  /** Findings that are not reported one by one, by severity and rule: the first of each and their number. */
  #rest = new Map<string, { readonly first: Finding; count: number }>();

  constructor(report: (finding: FindingResult) => void) {
    this.#report = report;
  }

  take(finding: Finding): void {
    if (this.#count++ < MAX_FINDINGS) {
      this.#report(resultOf(finding));
      return;
    }
    const key = `${finding.severity} ${finding.rule}`;
    const rest = this.#rest.get(key);
    if (rest === undefined) this.#rest.set(key, { first: finding, count: 1 });
    else rest.count++;
  }

  end(): void {
    for (const { first, count } of this.#rest.values()) {
      const message = `${count} more ${count === 1 ? 'finding' : 'findings'} of this rule in the session`;
      this.#report({ ...resultOf(first), message, count });
    }
    this.forget();
  }

  /** Drops the findings of the session that have not been reported. */
  forget(): void {
    this.#count = 0;
    if (this.#rest.size > 0) this.#rest = new Map();
  }
}

function resultOf({ severity, rule, sessionId, origin, message }: Finding): FindingResult {
  return { kind: 'finding', severity, rule, sessionId, line: origin.line, message };
}
