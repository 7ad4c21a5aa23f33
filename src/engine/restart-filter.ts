/**
 * What a lane has handed out of the source that it reads, so that another worker can read that source again: the
 * outcomes are a function of the source, so those that are already out are passed over when they come a second time.
 * Nothing is held back, and whoever takes the outcomes sees neither the death nor a doubled or missing one.
 */

import { fatesOfSession, type Outcome, type SourceReport } from '../ledger/result.ts';
import type { Batch } from './run-task.ts';

export interface Replay {
  /** What is new in the batch. */
  pass(batch: Batch): Batch;
  /** The source that is not yet reported will be read again, from its beginning. */
  restart(): void;
}

export function createReplay(): Replay {
  let passed = 0; // outcomes of the source that are out
  let at = 0; // outcomes of the source that this worker has sent
  let stamp: string | undefined; // of the file that was read first
  let sameFile = true;
  const fates = new Map<string, number>(); // of the lines whose outcomes are out
  let openBytes = 0; // of the source that this worker has read
  let againBytes = 0; // of those that it reads next, so many have been read before

  const add = (fate: string, n: number): void => {
    if (n > 0) fates.set(fate, (fates.get(fate) ?? 0) + n);
  };

  function track(outcome: Outcome): void {
    if (outcome.kind === 'source-begin') stamp = outcome.stamp;
    else if (outcome.kind === 'session') for (const [fate, n] of fatesOfSession(outcome)) add(fate, n);
    else if (outcome.kind === 'rejected-line') {
      add(`rejected:${outcome.reason}`, 1);
      for (const [reason, n] of outcome.rest ?? []) add(`rejected:${reason}`, n);
    }
  }

  /** The lane drops what it has handed out of the source, and reads it once more: so does whoever takes the outcomes. */
  function startOver(): void {
    passed = at = 0;
    sameFile = true;
    fates.clear();
  }

  /** Of a file that is not the one that was read first, nothing is new. */
  function isNew(outcome: Outcome): boolean {
    if (outcome.kind === 'source-begin' && outcome.again === true) startOver();
    at++;
    if (outcome.kind === 'source-begin' && passed > 0) sameFile = outcome.stamp === stamp;
    if (at <= passed || !sameFile) return false;
    passed = at;
    track(outcome);
    return true;
  }

  function endSource(report: SourceReport): SourceReport {
    const complete = sameFile && at >= passed;
    const ended = complete ? report : cutOff(report, sorted(fates));
    passed = at = againBytes = 0;
    sameFile = true;
    fates.clear();
    openBytes = Math.max(0, openBytes - report.readBytes);
    return ended;
  }

  function newBytes(readBytes: number): number {
    openBytes += readBytes;
    const again = Math.min(againBytes, readBytes);
    againBytes -= again;
    return readBytes - again;
  }

  return {
    pass(batch) {
      const readBytes = newBytes(batch.readBytes);
      const outcomes: Outcome[] = [];
      for (const outcome of batch.outcomes) {
        if (outcome.kind === 'source') outcomes.push(endSource(outcome));
        else if (isNew(outcome)) outcomes.push(outcome);
      }
      return { ...batch, outcomes, readBytes };
    },
    restart() {
      againBytes += openBytes;
      at = openBytes = 0;
    },
  };
}

/**
 * The report of a source that did not give again what is out already: it is rejected. Where nothing can be taken back
 * (standard output), what is out keeps its fate.
 */
function cutOff(report: SourceReport, fates: SourceReport['fates']): SourceReport {
  const rejection = report.rejection ?? {
    reason: 'changed-while-read',
    detail: 'it was written to before it could be read again: a worker thread had died',
  };
  const lines = fates.reduce((sum, [, n]) => sum + n, 0);
  return { ...report, status: 'rejected', rejection, lines, fates, repairs: [] };
}

const sorted = (counts: ReadonlyMap<string, number>): SourceReport['fates'] =>
  [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
