/**
 * Runs tasks on several workers. The sources are divided into tasks, which the main thread and the worker threads take
 * one after the other. Deliveries are yielded in the order of the sources, with a bounded window, so the output does
 * not depend on the number of workers.
 */

import { setImmediate } from 'node:timers/promises';
import type { Delivery } from '../engine/delivery.ts';
import { runTask, type TaskOptions } from '../engine/run-task.ts';
import {
  type IsRead,
  type PlannedTask,
  planTasks,
  readIn,
  refsIn,
  type TaskSource,
  taskOf,
} from '../engine/task.ts';
import type { SourceRef, Sources } from '../input/sources/source.ts';
import type { HandedOver } from '../record/recorded-sources.ts';
import { filesOnly, hasPlugIns } from '../settings/plug-ins.ts';
import type { RecordSettings, Settings, TaskSettings } from '../settings/settings.ts';
import { OwnWorker } from './own-worker.ts';
import type { WorkerThread } from './worker-thread.ts';

/** Tasks that a thread has at any time: one that it reads, and the next one. */
const TASKS_AHEAD = 2;
/**
 * Up to this number of tasks for each worker, a thread gets its first ones at once: when it can read, there may be none left.
 * With more, it gets them then, because results of later tasks would wait for them.
 */
const FEW_TASKS = 8;

export interface PoolHooks extends Pick<TaskOptions, 'signal' | 'plugInCalls' | 'profile' | 'onGiantLine'> {
  /** Returns whether the results of the source with this index are reused, so that it is not read. */
  readonly isReused?: (index: number) => boolean;
  /** Folder for working files; undefined for private temporary ones. */
  readonly workFolder?: string | undefined;
  /** Whether the caller needs each result, so that worker threads must not record them. */
  readonly needsResults?: boolean;
  /** Takes the threads that can read once all deliveries were taken, for other work, and must stop them. */
  readonly keepThreads?: ((threads: readonly WorkerThread[]) => void) | undefined;
  /** Called when a worker thread can read. */
  readonly onThread?: () => void;
  /** Called when a worker thread has died and its source is read again. */
  readonly onRestart?: () => void;
}

/**
 * Yields the deliveries of all sources that have to be read, in the order of the sources.
 * @param workers how many read at the same time, at most
 */
export async function* runWorkers(
  sources: Sources,
  settings: Settings,
  workers: number,
  hooks: PoolHooks = {},
): AsyncGenerator<Delivery<HandedOver>> {
  const isRead: IsRead = (index) => hooks.isReused?.(index) !== true;
  if (refsIn(sources, isRead).next().done === true) return; // a merge may not even have the code of its formats
  const conversion = { ...conversionOf(settings, workers), workFolder: hooks.workFolder };
  const tasks = workers === 1 ? [] : planTasks(sources, isRead);
  if (tasks.length > 1) {
    const { WorkerThread } = await import('./worker-thread.ts'); // loaded late: a run with one worker starts no thread
    const plan = { sources, isRead, tasks, recording: recordingOf(settings, hooks) };
    yield* new WorkerPool(plan, Math.min(workers, tasks.length), conversion, hooks, WorkerThread).run();
  } else {
    const upcoming = (after: number): Iterable<SourceRef> => refsIn(sources, isRead, after + 1);
    yield* runTask(inOrder(sources, isRead), conversion, { ...taskOptionsOf(hooks), upcoming });
  }
}

const taskOptionsOf = ({ signal, profile, plugInCalls, onGiantLine }: PoolHooks): TaskOptions => ({
  signal,
  profile,
  plugInCalls,
  onGiantLine,
});

/** Sets `flush` on each source before a stream: its results must not wait for the stream, which may be slow. */
function* inOrder(sources: Sources, isRead: IsRead): Generator<TaskSource> {
  let before: TaskSource | undefined;
  for (const source of readIn(sources, isRead)) {
    if (before !== undefined) yield source.ref.stream === undefined ? before : { ...before, flush: true };
    before = source;
  }
  if (before !== undefined) yield before;
}

/** Returns the settings of a task, as plain data. */
function conversionOf(settings: Settings, workers: number): TaskSettings {
  const { inputs: _i, out, replace: _r, update: _u, resume: _s, workers: _w, ...conversion } = settings;
  const s3 = { ...settings.s3, window: Math.floor(settings.s3.window / workers) };
  return { ...conversion, s3, takesBack: out !== '-' && !settings.consumers };
}

/**
 * Returns the settings with which worker threads record their sources. There are none if no dataset is written, or if the
 * caller needs each result.
 */
function recordingOf(
  { inputs: { length }, out, limit, plugIns }: Settings,
  { needsResults = false }: PoolHooks,
): Partial<Pick<RecordSettings, 'inputs'>> {
  const isDataset = out !== undefined && out !== '-';
  const mayRecord = isDataset && !needsResults && limit === undefined && !hasPlugIns(plugIns);
  return mayRecord ? { inputs: { length } } : {};
}

/** The sources to be read, and how they are divided into tasks. */
interface Plan {
  readonly recording: ReturnType<typeof recordingOf>;
  readonly sources: Sources;
  readonly isRead: IsRead;
  readonly tasks: readonly PlannedTask[];
}

/** The workers of a run: the main thread and worker threads. */
class WorkerPool {
  readonly #plan: Plan;
  readonly #own: OwnWorker;
  #threads: readonly WorkerThread[];
  readonly #signal: AbortSignal | undefined;
  readonly #keepThreads: PoolHooks['keepThreads'];
  /** The worker of each task. */
  readonly #owners: (WorkerThread | OwnWorker)[] = [];
  #nextTask = 0;
  #fault: Error | undefined;
  #wake: () => void = () => undefined;

  /** @param count number of workers, including the main thread */
  constructor(
    plan: Plan,
    count: number,
    settings: TaskSettings,
    hooks: PoolHooks,
    Thread: typeof WorkerThread,
  ) {
    const { signal, onThread, onRestart, keepThreads } = hooks;
    this.#plan = plan;
    this.#signal = signal;
    this.#keepThreads = keepThreads;
    this.#own = new OwnWorker(settings, taskOptionsOf(hooks));
    this.#give(this.#own); // the first task, read while the threads are starting
    const hasFew = plan.tasks.length <= FEW_TASKS * count;
    const giveFirst = (threads: readonly WorkerThread[]): void => {
      for (let ahead = 0; ahead < TASKS_AHEAD; ahead++) for (const thread of threads) this.#give(thread);
    };
    const plugIns = filesOnly(settings.plugIns); // functions do not cross threads
    const threadSettings = { ...settings, plugIns, ...plan.recording };
    const start = (): WorkerThread => {
      const thread: WorkerThread = new Thread(threadSettings, {
        onReady: () => {
          onThread?.();
          if (!hasFew) giveFirst([thread]);
        },
        onDelivery: ({ flushed }) => {
          if (flushed) this.#give(thread);
          this.#wake();
        },
        onFault: (fault) => this.#fail(fault),
        onRestart: () => onRestart?.(),
      });
      return thread;
    };
    this.#threads = Array.from({ length: count - 1 }, start);
    if (hasFew) giveFirst(this.#threads);
  }

  /** Yields the deliveries of all tasks, in the order of the tasks. */
  async *run(): AsyncGenerator<Delivery<HandedOver>> {
    const abort = (): void => this.#fail(this.#signal?.reason as Error);
    this.#signal?.addEventListener('abort', abort, { once: true });
    try {
      for (let task = 0; task < this.#plan.tasks.length; ) {
        const received = this.#owners[task]?.next();
        if (this.#fault !== undefined) throw this.#fault;
        if (received === undefined) {
          await this.#workOrWait();
          continue;
        }
        yield received.delivery;
        received.taken();
        if (received.delivery.flushed) task++;
      }
      if (this.#keepThreads === undefined) return;
      const kept = this.#threads.filter(({ isReady }) => isReady);
      this.#threads = this.#threads.filter(({ isReady }) => !isReady);
      this.#keepThreads(kept);
    } finally {
      this.#signal?.removeEventListener('abort', abort);
      await Promise.all([this.#own.stop(), ...this.#threads.map((thread) => thread.stop())]);
    }
  }

  /** Runs the main thread's own task if it has one, else waits for a delivery. */
  async #workOrWait(): Promise<void> {
    const own = this.#own;
    if (own.isFree()) this.#give(own);
    if (own.canWork()) {
      await own.work();
      await setImmediate(); // lets deliveries of the threads arrive, and gives the threads their next tasks
    } else {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  #give(worker: WorkerThread | OwnWorker): void {
    const { sources, isRead, tasks } = this.#plan;
    const task = tasks[this.#nextTask];
    if (task === undefined) return;
    this.#owners[this.#nextTask++] = worker;
    worker.give(taskOf(task, sources, isRead));
  }

  #fail(fault: Error): void {
    this.#fault ??= fault;
    this.#wake();
  }
}
