/**
 * Withdraws sessions that resumed after their end, while the results of their source are still held: drops the records
 * and findings of the earlier part, and assigns the fate of the later part to its entries.
 */

import { keyOf } from '../../transforms/model/hashed-set.ts';
import { NO_COUNTS } from '../ledger/counts.ts';
import { FateChanges } from '../ledger/fate-changes.ts';
import type { Result, SessionReport, SourceReport } from '../ledger/result.ts';

export const REOPENED = 'session-reopened';

export class ReopenedSessions {
  /** The line at which each id first resumed, by hash of the id. */
  readonly #lines = new Map<string, number>();
  /** Numbers of the sessions to withdraw, within the source. */
  readonly #numbers = new Set<number>();
  readonly #changes = new FateChanges();

  /** Call it with every result of the source. */
  see(result: Result): void {
    if (result.kind !== 'session' || result.sessionId === undefined) return;
    if (result.rejection?.reason !== REOPENED) return;
    const key = keyOf(result.sessionId);
    if (!this.#lines.has(key)) this.#lines.set(key, result.rejection.line);
  }

  get count(): number {
    return this.#lines.size;
  }

  /** The line at which the first session resumed. */
  get first(): number | undefined {
    return this.#lines.values().next().value;
  }

  /**
   * Yields the held results without the withdrawn sessions.
   * @param held returns all held results; called twice, because results that are dropped come before their session
   */
  *amend(held: () => Iterable<Result>): Generator<Result> {
    if (this.#lines.size === 0) {
      yield* held();
      return;
    }
    let number = 0;
    for (const result of held()) {
      if (result.kind !== 'session') continue;
      if (this.#lineOf(result) !== undefined) this.#numbers.add(number);
      number++;
    }
    number = 0;
    for (const result of held()) {
      const isWithdrawn = this.#numbers.has(number);
      if (result.kind === 'session') number++;
      if (!isWithdrawn) yield result;
      else if (result.kind === 'session') yield this.#withdrawn(result);
      else if (result.kind !== 'record' && !(result.kind === 'finding' && result.sessionId !== undefined))
        yield result;
    }
  }

  /** Returns the source's report with the new fates. Call it after `amend`. */
  amendReport(report: SourceReport): SourceReport {
    return this.#changes.amend(report);
  }

  /** Returns the line at which a written session resumed, if it did. */
  #lineOf({ sessionId, entryLog }: SessionReport): number | undefined {
    if (sessionId === undefined || entryLog === undefined) return undefined;
    return this.#lines.get(keyOf(sessionId));
  }

  #withdrawn(session: SessionReport): SessionReport {
    const line = this.#lineOf(session);
    const { kind, sessionId, entries, entryLog } = session;
    if (line === undefined || entryLog === undefined) return session;
    const detail = 'the id came back after the session had ended';
    const rejection = { reason: REOPENED, stage: 'validate', detail, line, log: entryLog };
    const rejected: SessionReport = {
      kind,
      sessionId,
      fate: 'rejected',
      entries,
      superseded: 0,
      truncated: 0,
      changes: NO_COUNTS,
      rejection,
    };
    this.#changes.replace(session, rejected);
    return rejected;
  }
}
