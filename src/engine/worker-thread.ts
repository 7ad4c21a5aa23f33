/**
 * A lane's worker thread, seen from the main thread. A thread that dies (exit, out of memory) is replaced, and the new one
 * goes on with the first source that is not yet reported; what is already out of it is passed over. The
 * source that was in hand counts the death: after the third one its lane rejects it instead of reading it.
 * A fault that the thread reports is no death: it ends the run.
 */

import { Worker } from 'node:worker_threads';
import { type ErrorCode, TurnmillError } from '../errors.ts';
import type { LaneSettings } from '../settings/settings.ts';
import { createReplay } from './restart-filter.ts';
import { type Batch, MOST_DEATHS } from './run-task.ts';
import type { LaneSource, Unit } from './task.ts';
import type { FromWorker, LaneWorkerData, ToWorker } from './worker.ts';

/** A batch that came out of the thread. */
export interface Received {
  readonly batch: Batch;
  /** To call when it has been used: the thread may go on. */
  taken(): void;
}

export interface LaneThread {
  /** The thread is to read it after those that it has. */
  give(unit: Unit): void;
  /** The next batch, if one has come. */
  next(): Received | undefined;
  stop(): Promise<unknown>;
}

export interface LaneThreadHooks {
  /** One more batch can be taken. */
  readonly onBatch: (batch: Batch) => void;
  readonly onFault: (fault: Error) => void;
  readonly onRestart: () => void;
}

export function startLaneThread(settings: LaneSettings, hooks: LaneThreadHooks): LaneThread {
  const waiting: Received[] = [];
  const replay = createReplay();
  let sources: LaneSource[] = []; // given and not yet reported
  let idleDeaths = 0; // one after the other, over no source
  let stopped = false;
  let worker = start();

  function start(): Worker {
    const inHand = new Int32Array(new SharedArrayBuffer(4)).fill(-1);
    const thread = new Worker(new URL('./worker.js', import.meta.url), {
      workerData: { settings, inHand } satisfies LaneWorkerData,
    });
    let cause: Error | undefined;
    thread.on('message', (got: FromWorker) => {
      if (got.type === 'fault') fail(faultOf(got));
      else receive(thread, got);
    });
    thread.on('messageerror', fail);
    thread.on('error', (error) => {
      cause = error;
    });
    // what the thread had posted has come before this
    thread.on('exit', (code) => died(Atomics.load(inHand, 0), causeOf(cause, code)));
    return thread;
  }

  function receive(thread: Worker, { batch, weight }: Extract<FromWorker, { type: 'batch' }>): void {
    const reported = batch.outcomes.filter(({ kind }) => kind === 'source').length;
    if (reported > 0) {
      sources = sources.slice(reported);
      idleDeaths = 0;
    }
    const fresh = replay.pass(batch);
    waiting.push({ batch: fresh, taken: () => send(thread, { type: 'taken', weight }) });
    hooks.onBatch(fresh);
  }

  function died(index: number, cause: string): void {
    if (stopped) return;
    const culprit = sources.find((source) => source.index === index);
    if (culprit === undefined || (culprit.deaths ?? []).length === MOST_DEATHS) {
      idleDeaths++;
      if (idleDeaths === MOST_DEATHS) {
        fail(
          new TurnmillError(
            'worker-lost',
            `${MOST_DEATHS} worker threads died before they read a source: ${cause}`,
          ),
        );
        return;
      }
    }
    sources = sources.map((source) => (source === culprit ? oneMoreDeath(source, cause) : source));
    replay.restart();
    hooks.onRestart();
    worker = start();
    if (sources.length > 0) send(worker, { type: 'unit', sources });
  }

  function fail(fault: Error): void {
    stopped = true;
    hooks.onFault(fault);
  }

  return {
    give(unit) {
      sources = [...sources, ...unit];
      send(worker, { type: 'unit', sources: unit });
    },
    next: () => waiting.shift(),
    stop() {
      stopped = true;
      return worker.terminate();
    },
  };
}

function oneMoreDeath(source: LaneSource, cause: string): LaneSource {
  const { deaths = [] } = source;
  return deaths.length < MOST_DEATHS ? { ...source, deaths: [...deaths, cause] } : source;
}

function causeOf(error: Error | undefined, code: number): string {
  if (error === undefined) return `it ended with ${code} before its time`;
  return (error as NodeJS.ErrnoException).code ?? error.message;
}

function faultOf({ code, message, stack }: Extract<FromWorker, { type: 'fault' }>): Error {
  const fault = code === '' ? new Error(message) : new TurnmillError(code as ErrorCode, message);
  fault.stack = stack;
  return fault;
}

function send(worker: Worker, message: ToWorker): void {
  worker.postMessage(message);
}
