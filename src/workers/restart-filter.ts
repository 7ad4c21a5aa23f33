/**
 * Hides the death of a worker thread from the code that uses its results. The results of a source depend only on the
 * source, so a new thread reads it again, and the results that were already delivered are dropped. If the file has
 * changed since the first reading, all results of the second one are dropped, and the source is rejected.
 */

import type { Delivery } from '../engine/delivery.ts';
import { Tally } from '../ledger/counts.ts';
import { eachFate, type Result, type SourceBegin, type SourceReport } from '../ledger/result.ts';
import type { HandedOver } from '../record/recorded-sources.ts';

export class RestartFilter {
  /** Results of the source delivered so far. */
  #delivered = 0;
  /** Results of the source that the current thread has sent. */
  #sent = 0;
  /** Identity of the file at its first reading. */
  #identity: string | undefined;
  #isSameFile = true;
  /** Fates of the lines whose results were delivered. */
  readonly #fates = new Tally();
  /** Bytes of the source that the current thread has read. */
  #openBytes = 0;
  /** Bytes that a dead thread has read, and that the next thread will read and count again. */
  #againBytes = 0;

  /** Returns the delivery with only the results and bytes that are new. */
  pass(delivery: Delivery<HandedOver>): Delivery<HandedOver> {
    const readBytes = this.#newBytes(delivery.readBytes);
    const results: HandedOver[] = [];
    for (const result of delivery.results) {
      if (result.kind === 'source') results.push(this.#endSource(result));
      else if (result.kind === 'recorded') {
        this.#endBytes(result.readBytes); // nothing of these sources was delivered before
        results.push(result);
      } else if (this.#isNew(result)) results.push(result);
    }
    return { ...delivery, results, readBytes };
  }

  /** Call it when the current source will be read again from its beginning. */
  restart(): void {
    this.#againBytes += this.#openBytes;
    this.#sent = this.#openBytes = 0;
  }

  #isNew(result: Result): boolean {
    if (result.kind === 'source-begin') this.#begin(result);
    this.#sent++;
    if (this.#sent <= this.#delivered || !this.#isSameFile) return false;
    this.#delivered = this.#sent;
    this.#track(result);
    return true;
  }

  #begin({ again, identity }: SourceBegin): void {
    // this thread reads the source a second time, which withdraws the results so far
    if (again === true) this.#forgetSource();
    if (this.#delivered > 0) this.#isSameFile = identity === this.#identity;
  }

  #track(result: Result): void {
    if (result.kind === 'source-begin') this.#identity = result.identity;
    else if (result.kind === 'session') eachFate(result, (fate, n) => this.#fates.add(fate, n));
    else if (result.kind === 'rejected-line') {
      this.#fates.add(`rejected:${result.reason}`);
      for (const [reason, n] of result.rest ?? []) this.#fates.add(`rejected:${reason}`, n);
    }
  }

  #forgetSource(): void {
    this.#delivered = this.#sent = 0;
    this.#isSameFile = true;
    this.#fates.clear();
  }

  #endSource(report: SourceReport): SourceReport {
    const isComplete = this.#isSameFile && this.#sent >= this.#delivered;
    const ended = isComplete ? report : changedReport(report, this.#fates);
    this.#forgetSource();
    this.#endBytes(report.readBytes);
    return ended;
  }

  #endBytes(readBytes: number): void {
    this.#againBytes = 0;
    this.#openBytes = Math.max(0, this.#openBytes - readBytes);
  }

  #newBytes(readBytes: number): number {
    this.#openBytes += readBytes;
    const again = Math.min(this.#againBytes, readBytes);
    this.#againBytes -= again;
    return readBytes - again;
  }
}

/**
 * Returns the report of a source whose second reading had other results than the first one: the source is rejected.
 * Records on standard output cannot be withdrawn, so lines whose results were delivered keep their fates.
 */
function changedReport(report: SourceReport, delivered: Tally): SourceReport {
  const rejection = report.rejection ?? {
    reason: 'changed-while-read',
    detail: 'it was written to before it could be read again: a worker thread had died',
  };
  const [lines, fates] = [delivered.sum(), delivered.sorted()];
  return { ...report, status: 'rejected', rejection, lines, fates, repairs: [] };
}
