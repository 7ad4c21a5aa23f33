/**
 * Replays results with a decision for each record: a record that lies inside another one is left out, its session is
 * contained, and the fates of its source change accordingly.
 */
import { TurnmillError } from '../errors.ts';
import { NO_COUNTS } from '../ledger/counts.ts';
import { FateChanges } from '../ledger/fate-changes.ts';
import type { Result, SessionReport } from '../ledger/result.ts';

/**
 * Decides about the records of a conversation. They have the number of its path: written and contained sessions count
 * from 0, in the order of the results.
 * @returns the number of a kept one that contains it; undefined to keep it
 */
export type Decision = (path: number) => number | undefined;

export class DecidedResults {
  readonly #decide: Decision;
  readonly #changes = new FateChanges();
  #path = 0;

  constructor(decide: Decision) {
    this.#decide = decide;
  }

  /** Yields the results as decided. Their bytes are valid until the next one. */
  async *of(results: AsyncIterable<Result>): AsyncGenerator<Result> {
    for await (const result of results) {
      const decided = this.#decided(result);
      if (decided !== undefined) yield decided;
    }
  }

  #decided(result: Result): Result | undefined {
    switch (result.kind) {
      case 'source-begin':
        this.#changes.clear();
        return result;
      case 'record': // comes before its session
        return this.#decide(this.#path) === undefined ? result : undefined;
      case 'session':
        return this.#decidedSession(result);
      case 'source':
        return this.#changes.amend(result);
      default:
        return result;
    }
  }

  #decidedSession(session: SessionReport): SessionReport {
    const { fate, sessionId } = session;
    if (fate !== 'written' && fate !== 'contained') return session;
    const container = this.#decide(this.#path++);
    if (container === undefined && fate === 'written') return session;
    if (container === undefined) throw lostContainer(sessionId);
    const contained = containedIn(session, container);
    this.#changes.replace(session, contained);
    return contained;
  }
}

/** An update reads such a session again. Only a source that changed after a killed update had copied its fate is not noticed before. */
export function lostContainer(sessionId = ''): TurnmillError {
  const text = `cannot resume: the record that contained session ${sessionId} is gone; run without --resume to start over`;
  return new TurnmillError('cannot-resume', text);
}

function containedIn(session: SessionReport, container: number): SessionReport {
  const { kind, sessionId, snapshot, entries, root, recordRejections, path } = session;
  return {
    kind,
    sessionId,
    fate: 'contained',
    snapshot,
    entries,
    superseded: 0,
    truncated: 0,
    root,
    changes: NO_COUNTS,
    recordRejections,
    path,
    container,
  };
}
