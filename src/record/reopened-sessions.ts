/**
 * Sessions of a source that came back after they had ended. The part that looked complete is taken back while the outcomes of the
 * source are still held: its rows and findings go, and its entries get the fate of the part that came later.
 */

import { keyOf } from '../../transforms/model/hashed-set.ts';
import { fatesOfSession, type Outcome, type SessionReport, type SourceReport } from '../ledger/result.ts';

export const REOPENED = 'session-reopened';

type Fates = readonly (readonly [string, number])[];

export class ReopenedSessions {
  /** Ids that came back, and the line where they first did. */
  readonly #lines = new Map<string, number>();
  /** Numbers of the sessions of the source that are taken back. */
  readonly #numbers = new Set<number>();
  readonly #moved = new Map<string, number>();

  /** Takes every outcome of the source while it is held. */
  see(outcome: Outcome): void {
    if (outcome.kind !== 'session' || outcome.sessionId === undefined) return;
    if (outcome.rejection?.reason !== REOPENED) return;
    const key = keyOf(outcome.sessionId);
    if (!this.#lines.has(key)) this.#lines.set(key, outcome.rejection.line);
  }

  get count(): number {
    return this.#lines.size;
  }

  /** The line where a session came back first. */
  get first(): number | undefined {
    return this.#lines.values().next().value;
  }

  /** Takes the sessions back. `held` gives all that is held, and is read twice: what is to go comes before its session. */
  *amend(held: () => Iterable<Outcome>): Generator<Outcome> {
    if (this.#lines.size === 0) {
      yield* held();
      return;
    }
    let number = 0;
    for (const outcome of held()) {
      if (outcome.kind !== 'session') continue;
      if (this.#lineOf(outcome) !== undefined) this.#numbers.add(number);
      number++;
    }
    number = 0;
    for (const outcome of held()) {
      const goes = this.#numbers.has(number);
      if (outcome.kind === 'session') number++;
      if (!goes) yield outcome;
      else if (outcome.kind === 'session') yield this.#takenBack(outcome);
      else if (outcome.kind !== 'row' && !(outcome.kind === 'finding' && outcome.sessionId !== undefined))
        yield outcome;
    }
  }

  /** The source's report, once its sessions have been amended. */
  amendReport(report: SourceReport): SourceReport {
    if (this.#moved.size === 0) return report;
    const fates = new Map(report.fates);
    for (const [fate, n] of this.#moved) fates.set(fate, (fates.get(fate) ?? 0) + n);
    const left: Fates = [...fates].filter(([, n]) => n !== 0).sort(([a], [b]) => (a < b ? -1 : 1));
    return { ...report, fates: left };
  }

  /** Where a session that was written came back; undefined when it did not. */
  #lineOf({ sessionId, entryLog }: SessionReport): number | undefined {
    if (sessionId === undefined || entryLog === undefined) return undefined;
    return this.#lines.get(keyOf(sessionId));
  }

  #takenBack(session: SessionReport): SessionReport {
    const line = this.#lineOf(session);
    const { kind, sessionId, entries, entryLog } = session;
    if (line === undefined || entryLog === undefined) return session;
    const detail = 'the id came back after the session had ended';
    const rejection = { reason: REOPENED, stage: 'validate', detail, line, log: entryLog };
    const rejected: SessionReport = {
      ...{
        kind,
        sessionId,
        outcome: 'rejected',
        entries,
        superseded: 0,
        truncated: 0,
        changes: [],
        rejection,
      },
    };
    for (const [fate, n] of fatesOfSession(session)) this.#move(fate, -n);
    for (const [fate, n] of fatesOfSession(rejected)) this.#move(fate, n);
    return rejected;
  }

  #move(fate: string, n: number): void {
    this.#moved.set(fate, (this.#moved.get(fate) ?? 0) + n);
  }
}
