/**
 * Replays results with a decision for each record: a record that lies inside another one is left out, its session is
 * contained, and the fates of its source change accordingly. Answers of other records are marked as context.
 */
import type { ContextMarks } from '../../transforms/formats/context-marks.ts';
import { TurnmillError } from '../errors.ts';
import { NO_COUNTS } from '../ledger/counts.ts';
import { FateChanges } from '../ledger/fate-changes.ts';
import type { Context, RecordResult, Result, SessionReport } from '../ledger/result.ts';
import type { Step } from './reuse.ts';

/**
 * Decides about the records of a conversation. They have the number of its path: written and contained sessions count
 * from 0, in the order of the results.
 */
export interface Decisions {
  /** Returns the number of a kept one that contains it; undefined to keep it. */
  containerOf(path: number): number | undefined;
  /** Returns which of its messages are context; undefined if none are. */
  contextOf(path: number): Context | undefined;
  /** How each format marks context, by its name; none with `--copies drop`. */
  readonly marks: ReadonlyMap<string, ContextMarks>;
}

export class DecidedResults {
  readonly #decisions: Decisions;
  readonly #changes = new FateChanges();
  #path = 0;

  constructor(decisions: Decisions) {
    this.#decisions = decisions;
  }

  /** Yields the results as decided. Their bytes are valid until the next one. */
  *of(steps: Iterable<Step>): Generator<Step> {
    for (const step of steps) {
      const decided = step instanceof Promise ? step : this.#decided(step);
      if (decided !== undefined) yield decided;
    }
  }

  #decided(result: Result): Result | undefined {
    switch (result.kind) {
      case 'source-begin':
        this.#changes.clear();
        return result;
      case 'record': // comes before its session
        return this.#decisions.containerOf(this.#path) === undefined ? this.#marked(result) : undefined;
      case 'session':
        return this.#decidedSession(result);
      case 'source':
        return this.#changes.amend(result);
      default:
        return result;
    }
  }

  #marked(record: RecordResult): RecordResult {
    const marks = this.#decisions.marks.get(record.format);
    const { answers = 0 } = this.#decisions.contextOf(this.#path) ?? {};
    if (marks === undefined || (answers === 0 && marks.inAll !== true)) return record;
    return { ...record, bytes: marks.mark(record.bytes, answers) };
  }

  #decidedSession(session: SessionReport): SessionReport {
    const { fate, sessionId } = session;
    if (fate !== 'written' && fate !== 'contained') return session;
    const path = this.#path++;
    const container = this.#decisions.containerOf(path);
    if (container === undefined && fate === 'written')
      return { ...session, context: this.#decisions.contextOf(path) };
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
  const { kind, sessionId, snapshot, entries, root, recordRejections, contents, path } = session;
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
    contents,
    path,
    container,
  };
}
