/**
 * The worker that is the main thread itself. It reads only when the main thread has nothing else to do, so writing results
 * always comes first; it needs no thread, no copies between threads and no second warm-up.
 */

import type { SourceRef } from '../input/sources/source.ts';
import { batchWeight } from '../ledger/result.ts';
import type { Profile } from '../profile.ts';
import type { TaskSettings } from '../settings/settings.ts';
import type { Batch } from './batch.ts';
import { runTask, WINDOW_BYTES } from './run-task.ts';
import type { TaskSource, Unit } from './task.ts';
import type { Received } from './worker-thread.ts';

export class OwnWorker {
  readonly #batches: AsyncGenerator<Batch>;
  readonly #received: Received[] = [];
  #unit: Unit | undefined;
  /** Weight of the batches in `#received`. */
  #unreadBytes = 0;

  constructor(settings: TaskSettings, signal?: AbortSignal, profile?: Profile) {
    const upcoming = (after: number): SourceRef[] =>
      (this.#unit ?? []).filter(({ index }) => index > after).map(({ ref }) => ref);
    this.#batches = runTask(this.#sources(), settings, { signal, profile, upcoming });
  }

  /** Returns true when it has no unit to read, and room for the results of the next one. */
  isFree(): boolean {
    return this.#unit === undefined && this.#hasRoom();
  }

  /** Returns true when it has a unit to read, and room. */
  canWork(): boolean {
    return this.#unit !== undefined && this.#hasRoom();
  }

  give(unit: Unit): void {
    this.#unit = unit;
  }

  /** Reads up to the next batch. To be called only when `canWork`. */
  async work(): Promise<void> {
    const { value: batch } = await this.#batches.next();
    if (batch === undefined) return;
    const weight = batchWeight(batch.outcomes);
    this.#unreadBytes += weight;
    const taken = (): void => {
      this.#unreadBytes -= weight;
    };
    this.#received.push({ batch, taken });
    if (batch.flushed) this.#unit = undefined;
  }

  next(): Received | undefined {
    return this.#received.shift();
  }

  stop(): Promise<unknown> {
    return this.#batches.return(undefined);
  }

  *#sources(): Generator<TaskSource> {
    // `work` is called only while there is a unit, so the next one is here when the last source of one has been read
    while (this.#unit !== undefined) yield* this.#unit;
  }

  #hasRoom(): boolean {
    return this.#unreadBytes < WINDOW_BYTES;
  }
}
