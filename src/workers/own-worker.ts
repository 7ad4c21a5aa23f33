/**
 * The worker on the main thread. It reads only when the main thread has nothing else to do, because writing results
 * comes first. It needs no second thread, no copies between threads and no second warm-up.
 */

import type { Delivery } from '../engine/delivery.ts';
import { runTask, type TaskOptions, WINDOW_BYTES } from '../engine/run-task.ts';
import type { Task, TaskSource } from '../engine/task.ts';
import type { SourceRef } from '../input/sources/source.ts';
import { weightOfAll } from '../ledger/result.ts';
import type { TaskSettings } from '../settings/settings.ts';
import type { Received } from './worker-thread.ts';

export class OwnWorker {
  readonly #deliveries: AsyncGenerator<Delivery>;
  readonly #received: Received[] = [];
  #task: Task | undefined;
  /** Weight of the deliveries in `#received`. */
  #unreadBytes = 0;

  constructor(settings: TaskSettings, options: Omit<TaskOptions, 'upcoming'> = {}) {
    const upcoming = (after: number): SourceRef[] =>
      (this.#task ?? []).filter(({ index }) => index > after).map(({ ref }) => ref);
    this.#deliveries = runTask(this.#sources(), settings, { ...options, upcoming });
  }

  /** Returns whether it has no task, and room for the results of one. */
  isFree(): boolean {
    return this.#task === undefined && this.#hasRoom();
  }

  /** Returns whether it has a task, and room for its results. */
  canWork(): boolean {
    return this.#task !== undefined && this.#hasRoom();
  }

  give(task: Task): void {
    this.#task = task;
  }

  /** Reads up to the next delivery. Call it only if `canWork`. */
  async work(): Promise<void> {
    const { value: delivery } = await this.#deliveries.next();
    if (delivery === undefined) return;
    const weight = weightOfAll(delivery.results);
    this.#unreadBytes += weight;
    const taken = (): void => {
      this.#unreadBytes -= weight;
    };
    this.#received.push({ delivery, taken });
    if (delivery.flushed) this.#task = undefined;
  }

  next(): Received | undefined {
    return this.#received.shift();
  }

  stop(): Promise<unknown> {
    return this.#deliveries.return(undefined);
  }

  *#sources(): Generator<TaskSource> {
    // `work` runs only while there is a task, so the next one has arrived by the time the last source of one is read
    while (this.#task !== undefined) yield* this.#task;
  }

  #hasRoom(): boolean {
    return this.#unreadBytes < WINDOW_BYTES;
  }
}
