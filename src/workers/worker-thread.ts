/**
 * The main thread's side of a worker thread. A thread that dies (exit, out of memory) is replaced. The new one starts
 * with the first source that has no report yet, and the results that were already delivered are dropped. The death
 * counts against the source that was being read: after three deaths, the source is rejected. An error that the thread
 * reports is not a death: it ends the run.
 */

import { Worker } from 'node:worker_threads';
import { compiledScanner } from '../../transforms/json/wasm-scanner.ts';
import type { FileReader, ReadBack } from '../dataset/read-back.ts';
import type { Delivery } from '../engine/delivery.ts';
import { MAX_DEATHS } from '../engine/source-opener.ts';
import type { Task, TaskSource } from '../engine/task.ts';
import { type ErrorCode, TurnmillError } from '../errors.ts';
import { decodeHandedOver, type HandedOver } from '../record/recorded-sources.ts';
import { takeFlagsBack } from '../start-flags.ts';
import { RestartFilter } from './restart-filter.ts';
import type {
  FromWorker,
  PostedFault,
  PostedPart,
  ThreadSettings,
  ToWorker,
  WorkerData,
} from './task-worker.ts';

export interface Received {
  readonly delivery: Delivery<HandedOver>;
  /** Call it once the delivery has been used, so that the thread may continue. */
  taken(): void;
}

export interface WorkerThreadHooks {
  /** Called once, when the thread can read. */
  readonly onReady: () => void;
  /** Called when another delivery can be taken. */
  readonly onDelivery: (delivery: Delivery<HandedOver>) => void;
  readonly onFault: (fault: Error) => void;
  readonly onRestart: () => void;
}

/** The part of `Worker` that is used here. */
export type Thread = Pick<Worker, 'on' | 'postMessage' | 'terminate'>;
export type StartThread = (data: WorkerData) => Thread;

const startThread: StartThread = (workerData) =>
  new Worker(new URL('./worker.js', import.meta.url), { workerData });

export class WorkerThread implements FileReader {
  readonly #settings: ThreadSettings;
  readonly #hooks: WorkerThreadHooks;
  readonly #startThread: StartThread;
  readonly #received: Received[] = [];
  readonly #filter = new RestartFilter();
  /** Sources that were sent to the thread and have no report yet. */
  #sources: TaskSource[] = [];
  /** Consecutive deaths while no source was being read. */
  #idleDeaths = 0;
  #isReady = false;
  /** Called with the figures of the file that the thread reads back. */
  #onReadBack: ((read: ReadBack | undefined) => void) | undefined;
  #isStopped = false;
  #thread: Thread;

  /** @param start starts a thread; tests pass a fake one */
  constructor(settings: ThreadSettings, hooks: WorkerThreadHooks, start: StartThread = startThread) {
    this.#settings = settings;
    this.#hooks = hooks;
    this.#startThread = start;
    this.#thread = this.#start();
  }

  /** Queues a task after those that the thread already has. */
  give(task: Task): void {
    this.#sources = [...this.#sources, ...task];
    send(this.#thread, { type: 'task', sources: task });
  }

  /** Returns the next delivery, if one has arrived. */
  next(): Received | undefined {
    return this.#received.shift();
  }

  /** Whether it can read. */
  get isReady(): boolean {
    return this.#isReady;
  }

  /** Reads a file back. Call it once all deliveries were taken, for one file at a time. */
  readBack(path: string): Promise<ReadBack | undefined> {
    if (this.#isStopped) return Promise.resolve(undefined);
    return new Promise((resolve) => {
      this.#onReadBack = resolve;
      send(this.#thread, { type: 'read-back', path });
    });
  }

  stop(): Promise<unknown> {
    this.#isStopped = true;
    return this.#thread.terminate();
  }

  #start(): Thread {
    const currentIndex = new Int32Array(new SharedArrayBuffer(4)).fill(-1);
    const scanner = compiledScanner();
    const unrecorded = this.#sources[0]?.index;
    const flags = takeFlagsBack();
    const data = { settings: this.#settings, currentIndex, scanner, unrecorded, flags };
    const thread = this.#startThread(data);
    let cause: Error | undefined;
    thread.on('message', (message: FromWorker) => this.#receive(thread, message));
    thread.on('messageerror', (error) => this.#fail(error));
    thread.on('error', (error) => {
      cause = error as Error;
    });
    // emitted after all messages of the thread
    thread.on('exit', (code) => this.#replace(Atomics.load(currentIndex, 0), causeOf(cause, code)));
    return thread;
  }

  #receive(thread: Thread, message: FromWorker): void {
    try {
      if (message.type === 'fault') throw faultOf(message);
      if (message.type === 'part') this.#take(thread, message);
      else if (message.type === 'read-back') this.#onReadBack?.(message.read);
      else if (!this.#isReady) {
        this.#isReady = true;
        this.#hooks.onReady();
      }
    } catch (error) {
      this.#fail(error as Error);
    }
  }

  #take(thread: Thread, { pieces, readBytes, flushed, profile, weight }: PostedPart): void {
    const results = decodeHandedOver(pieces);
    const reported = results.reduce((sum, result) => sum + sourcesIn(result), 0);
    if (reported > 0) {
      this.#sources = this.#sources.slice(reported);
      this.#idleDeaths = 0;
    }
    const delivery = this.#filter.pass({ results, readBytes, flushed, ...(profile && { profile }) });
    this.#received.push({ delivery, taken: () => send(thread, { type: 'taken', weight }) });
    this.#hooks.onDelivery(delivery);
  }

  /** @param index index of the source that the dead thread was reading, or -1 */
  #replace(index: number, cause: string): void {
    this.#onReadBack?.(undefined);
    if (this.#isStopped) return;
    const culprit = this.#sources.find((source) => source.index === index);
    if (culprit === undefined || (culprit.deaths ?? []).length === MAX_DEATHS) {
      this.#idleDeaths++;
      if (this.#idleDeaths === MAX_DEATHS) {
        const text = `${MAX_DEATHS} worker threads died before they read a source: ${cause}`;
        this.#fail(new TurnmillError('worker-lost', text));
        return;
      }
    }
    this.#sources = this.#sources.map((source) =>
      source === culprit ? oneMoreDeath(source, cause) : source,
    );
    this.#filter.restart();
    this.#hooks.onRestart();
    this.#thread = this.#start();
    if (this.#sources.length > 0) send(this.#thread, { type: 'task', sources: this.#sources });
  }

  #fail(fault: Error): void {
    this.#isStopped = true;
    this.#hooks.onFault(fault);
  }
}

/** Returns how many sources end with a result. */
function sourcesIn(result: HandedOver): number {
  return result.kind === 'recorded' ? result.notes.length : Number(result.kind === 'source');
}

function oneMoreDeath(source: TaskSource, cause: string): TaskSource {
  const { deaths = [] } = source;
  return deaths.length < MAX_DEATHS ? { ...source, deaths: [...deaths, cause] } : source;
}

function causeOf(error: Error | undefined, code: number): string {
  if (error === undefined) return `it exited early with status ${code}`;
  return (error as NodeJS.ErrnoException).code ?? error.message;
}

function faultOf({ code, message, stack }: PostedFault): Error {
  const fault = code === '' ? new Error(message) : new TurnmillError(code as ErrorCode, message);
  fault.stack = stack;
  return fault;
}

function send(thread: Thread, message: ToWorker): void {
  thread.postMessage(message);
}
