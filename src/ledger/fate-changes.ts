/** How the fates of a source change when sessions get another fate after their source was accounted for. */
import { sortedCounts } from './counts.ts';
import { eachFate, type SessionReport, type SourceReport } from './result.ts';

export class FateChanges {
  /** How the number of entries changes, by fate. */
  #changes = new Map<string, number>();

  /** Notes that a session has another report. */
  replace(before: SessionReport, after: SessionReport): void {
    eachFate(before, (fate, n) => this.#change(fate, -n));
    eachFate(after, (fate, n) => this.#change(fate, n));
  }

  /** Returns the source's report with the new fates. */
  amend(report: SourceReport): SourceReport {
    if (this.#changes.size === 0) return report;
    const fates = new Map(report.fates);
    for (const [fate, n] of this.#changes) fates.set(fate, (fates.get(fate) ?? 0) + n);
    for (const [fate, n] of fates) if (n === 0) fates.delete(fate);
    return { ...report, fates: sortedCounts(fates) };
  }

  /** Begins another source. */
  clear(): void {
    if (this.#changes.size > 0) this.#changes = new Map();
  }

  #change(fate: string, n: number): void {
    this.#changes.set(fate, (this.#changes.get(fate) ?? 0) + n);
  }
}
