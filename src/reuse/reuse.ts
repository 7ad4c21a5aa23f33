/**
 * Reuse of sources whose results a previous run has. The code for it is loaded on demand, because most runs reuse
 * nothing.
 */
import { setImmediate } from 'node:timers/promises';
import type { Result } from '../ledger/result.ts';

/** A result, whose bytes are valid until the next step; or what has to settle before that. */
export type Step = Result | Promise<void>;

export interface Reuse {
  has(index: number): boolean;
  /** Yields the results of the reused sources before this index that have not been yielded yet. */
  before(index: number): Iterable<Step>;
}

export const NOTHING_REUSED: Reuse = {
  has: () => false,
  before: () => [],
};

/** Steps after which signals and timers get a turn. */
const TURN = 1000;

/** Takes the results one after the other. */
export async function takeEach(
  steps: Iterable<Step>,
  take: (result: Result) => Promise<void> | void,
): Promise<void> {
  let count = 0;
  for (const step of steps) {
    const done = step instanceof Promise ? step : take(step);
    if (done !== undefined) await done;
    if (++count % TURN === 0) await setImmediate();
  }
}
