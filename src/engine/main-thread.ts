/**
 * The lane of the main thread, beside those of the worker threads: it reads only when nothing else is to be done there, so it
 * needs no thread, no copies between threads and no second warm-up, and recording always comes first.
 */

import { batchWeight } from '../ledger/result.ts';
import type { Profile } from '../profile.ts';
import type { LaneSettings } from '../settings/settings.ts';
import { runLane, WINDOW_BYTES } from './run-task.ts';
import type { Unit } from './task.ts';
import type { Received } from './worker-thread.ts';

export interface OwnLane {
  /** Has it no unit to read, and room for what the next one gives? */
  isFree(): boolean;
  /** Has it a unit to read, and room? */
  canWork(): boolean;
  give(unit: Unit): void;
  /** Reads on up to the next batch. */
  work(): Promise<void>;
  next(): Received | undefined;
  stop(): Promise<unknown>;
}

export function createOwnLane(settings: LaneSettings, signal?: AbortSignal, profile?: Profile): OwnLane {
  let unit: Unit | undefined;
  const waiting: Received[] = [];
  let heldBytes = 0; // of what waits

  function* sources(): Generator<Unit[number]> {
    // `work` is called only while there is a unit: after its last source the next one is here
    while (unit !== undefined) yield* unit;
  }
  const lane = runLane(sources(), settings, signal, profile);
  const hasRoom = (): boolean => heldBytes < WINDOW_BYTES;

  return {
    isFree: () => unit === undefined && hasRoom(),
    canWork: () => unit !== undefined && hasRoom(),
    give(next) {
      unit = next;
    },
    async work() {
      const { value: batch } = await lane.next();
      if (batch === undefined) return;
      const weight = batchWeight(batch.outcomes);
      heldBytes += weight;
      const taken = (): void => {
        heldBytes -= weight;
      };
      waiting.push({ batch, taken });
      if (batch.flushed) unit = undefined;
    },
    next: () => waiting.shift(),
    stop: () => lane.return(undefined),
  };
}
