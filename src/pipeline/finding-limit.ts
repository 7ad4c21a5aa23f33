/**
 * Bounds the findings of a session: a line of tiny malformed calls would give a report of many times its size. The first ones are
 * reported one by one, the others by rule, each rule with the number of those that are left.
 */
import type { Finding } from '../../transforms/element.ts';
import type { FindingOutcome } from './outcome.ts';

/** Findings of a session that are reported one by one. */
export const MOST_FINDINGS = 1000;

export class FindingLimit {
  readonly #report: (finding: FindingOutcome) => void;
  #count = 0;
  readonly #rest = new Map<string, FindingOutcome & { readonly count: number }>();

  constructor(report: (finding: FindingOutcome) => void) {
    this.#report = report;
  }

  take({ severity, rule, sessionId, origin, message }: Finding): void {
    const finding: FindingOutcome = {
      kind: 'finding',
      severity,
      rule,
      sessionId,
      line: origin.line,
      message,
    };
    if (this.#count++ < MOST_FINDINGS) {
      this.#report(finding);
      return;
    }
    const key = `${severity} ${rule}`;
    const count = (this.#rest.get(key)?.count ?? 0) + 1;
    const many = count === 1 ? 'finding' : 'findings';
    this.#rest.set(key, { ...finding, message: `${count} more ${many} of this rule in the session`, count });
  }

  /** The session is over. */
  end(): void {
    if (this.#count > MOST_FINDINGS) for (const finding of this.#rest.values()) this.#report(finding);
    this.forget();
  }

  /** Nothing more is reported of the session. */
  forget(): void {
    this.#count = 0;
    this.#rest.clear();
  }
}
