/**
 * Limits the rejections of one line: without a limit, the quarantine of a line of two million empty objects would be
 * many times as large as the line. The last listed rejection contains the number of the others, by reason.
 */
import type { RejectedLine } from './result.ts';

/** Number of rejected objects of a line, and of its entries in a rejected session, that the quarantine lists. */
export const MAX_OF_A_LINE = 100;

export class RejectionLimit {
  readonly #report: (rejected: RejectedLine) => void;
  #line = -1;
  #count = 0;
  #last: RejectedLine | undefined;
  #rest = new Map<string, number>();

  constructor(report: (rejected: RejectedLine) => void) {
    this.#report = report;
  }

  /** @param make creates the result; not called for a rejection that is only counted */
  take(line: number, reason: string, make: () => RejectedLine): void {
    if (line !== this.#line) {
      this.end();
      this.#line = line;
    }
    this.#count++;
    if (this.#count < MAX_OF_A_LINE) this.#report(make());
    else if (this.#count === MAX_OF_A_LINE) this.#last = make();
    else this.#rest.set(reason, (this.#rest.get(reason) ?? 0) + 1);
  }

  /** Ends the line. */
  end(): void {
    if (this.#last !== undefined) {
      const rest = [...this.#rest].sort(([a], [b]) => (a < b ? -1 : 1));
      this.#report(rest.length === 0 ? this.#last : { ...this.#last, rest });
    }
    this.#line = -1;
    this.#count = 0;
    this.#last = undefined;
    if (this.#rest.size > 0) this.#rest = new Map();
  }
}
