/** Restarts of a worker thread, with threads that the test simulates. */
import { EventEmitter } from 'node:events';
import { expect, it } from 'vitest';
import type { TaskSource } from '../../../src/engine/task.ts';
import type { SourceRef } from '../../../src/input/sources/source.ts';
import { encodePart } from '../../../src/ledger/part.ts';
import type { Result, SourceReport } from '../../../src/ledger/result.ts';
import { encodeHandedOver, type HandedOver } from '../../../src/record/recorded-sources.ts';
import { resolveSettings, type TaskSettings } from '../../../src/settings/settings.ts';
import { recordSources } from '../../../src/workers/source-recorder.ts';
import type { FromWorker, ToWorker, WorkerData } from '../../../src/workers/task-worker.ts';
import { type Thread, WorkerThread } from '../../../src/workers/worker-thread.ts';

class PlayedThread extends EventEmitter {
  readonly messages: ToWorker[] = [];
  readonly #data: WorkerData;
  isTerminated = false;

  constructor(data: WorkerData) {
    super();
    this.#data = data;
  }

  postMessage(message: ToWorker): void {
    this.messages.push(message);
  }

  async terminate(): Promise<number> {
    this.isTerminated = true;
    return 1;
  }

  get unrecorded(): number | undefined {
    return this.#data.unrecorded;
  }

  reads(index: number): void {
    Atomics.store(this.#data.currentIndex, 0, index);
  }

  posts(results: readonly HandedOver[], flushed = false): void {
    const delivery = {
      pieces: encodeHandedOver(results),
      readBytes: 0,
      flushed,
      profile: undefined,
      weight: 7,
    };
    this.emit('message', { type: 'part', ...delivery } satisfies FromWorker);
  }
}

const sources = [0, 1].map((index) => ({
  index,
  ref: { name: `${index}.jsonl` },
})) as unknown as TaskSource[];
const begin = (source: number): Result => ({
  kind: 'source-begin',
  source,
  provisional: true,
  identity: 'same',
});
const record = (name: string): Result => ({
  kind: 'record',
  group: name,
  format: 'chat',
  bytes: Uint8Array.of(1),
});
const end = (source: number): SourceReport => ({
  kind: 'source',
  source,
  status: 'read',
  compression: 'none',
  readBytes: 0,
  framing: {
    bytes: 0,
    bomBytes: 0,
    lineBytes: 0,
    terminatorBytes: 0,
    lines: 0,
    crlf: 0,
    noFinalNewline: false,
  },
  lines: 0,
  fates: [],
  repairs: [],
});

interface Played {
  readonly worker: WorkerThread;
  readonly threads: PlayedThread[];
  readonly faults: Error[];
  readonly restarts: () => number;
  /** Takes all deliveries and returns the kinds of their results. */
  drain(): string[];
}

function play(): Played {
  const threads: PlayedThread[] = [];
  const faults: Error[] = [];
  let restarts = 0;
  const hooks = {
    onReady: () => undefined,
    onDelivery: () => undefined,
    onFault: (fault: Error) => void faults.push(fault),
    onRestart: () => void restarts++,
  };
  const worker = new WorkerThread({} as TaskSettings, hooks, (data) => {
    const thread = new PlayedThread(data);
    threads.push(thread);
    return thread as unknown as Thread;
  });
  const drain = (): string[] => {
    const kinds: string[] = [];
    for (let next = worker.next(); next !== undefined; next = worker.next()) {
      kinds.push(...next.delivery.results.map((one) => (one.kind === 'record' ? one.group : one.kind)));
      next.taken();
    }
    return kinds;
  };
  return { worker, threads, faults, restarts: () => restarts, drain };
}

it('gives a new thread the sources without a report, and delivers no result twice', () => {
  const { worker, threads, drain, restarts, faults } = play();
  worker.give(sources);
  const [first] = threads as [PlayedThread];
  first.posts([begin(0), record('a'), end(0), begin(1), record('b')]);
  first.reads(1);
  first.emit('exit', 9);
  const second = threads[1] as PlayedThread;
  expect(second.messages).toEqual([
    { type: 'task', sources: [{ ...sources[1], deaths: ['it exited early with status 9'] }] },
  ]);
  second.posts([begin(1), record('b'), record('c'), end(1)], true);
  expect(drain()).toEqual(['source-begin', 'a', 'source', 'source-begin', 'b', 'c', 'source']);
  expect([restarts(), faults]).toEqual([1, []]);
  // a part of the second source was delivered, so its results must come one by one
  expect([first.unrecorded, second.unrecorded]).toEqual([undefined, 1]);
  // each thread is told which of its deliveries were taken
  expect(first.messages.at(-1)).toEqual({ type: 'taken', weight: 7 });
  expect(second.messages.at(-1)).toEqual({ type: 'taken', weight: 7 });
});

it('counts recorded sources as read', () => {
  const { worker, threads, drain } = play();
  worker.give(sources);
  const [first] = threads as [PlayedThread];
  const settings = resolveSettings({ inputs: ['/absent'], out: '/out' });
  const results = [begin(0), end(0)];
  first.posts(
    recordSources(
      results,
      settings,
      (index) => sources[index]?.ref as SourceRef,
      () => true,
    ),
  );
  first.reads(1);
  first.emit('exit', 9);
  const [task] = (threads[1] as PlayedThread).messages as unknown as { sources: TaskSource[] }[];
  expect(task?.sources.map(({ index }) => index)).toEqual([1]);
  expect(drain()).toEqual(['recorded']);
});

it('counts at most three deaths against a source, each with its cause', () => {
  const { worker, threads } = play();
  worker.give(sources);
  for (let death = 0; death < 4; death++) {
    const thread = threads[death] as PlayedThread;
    thread.reads(0);
    if (death === 1)
      thread.emit('error', Object.assign(new Error('heap'), { code: 'ERR_WORKER_OUT_OF_MEMORY' }));
    thread.emit('exit', death);
  }
  const [task] = (threads[4] as PlayedThread).messages as unknown as { sources: TaskSource[] }[];
  expect(task?.sources.map(({ deaths }) => deaths)).toEqual([
    ['it exited early with status 0', 'ERR_WORKER_OUT_OF_MEMORY', 'it exited early with status 2'],
    undefined,
  ]);
});

it('gives up when three threads in a row die without reading anything', () => {
  const { worker, threads, faults, restarts } = play();
  worker.give(sources);
  for (let death = 0; death < 3; death++) (threads[death] as PlayedThread).emit('exit', 0);
  expect(faults).toMatchObject([{ code: 'worker-lost' }]);
  expect([threads.length, restarts()]).toEqual([3, 2]);
});

it('ends the run when the thread reports a fault, with its stack', () => {
  const { threads, faults } = play();
  const fault = {
    type: 'fault',
    code: '',
    message: 'a bug',
    stack: 'a bug\n    at there',
  } satisfies FromWorker;
  (threads[0] as PlayedThread).emit('message', fault);
  (threads[0] as PlayedThread).emit('exit', 1);
  expect(faults).toMatchObject([{ message: 'a bug', stack: fault.stack }]);
  expect(threads.length).toBe(1);
});

it('ends the run when a part arrives cut', () => {
  const { worker, threads, faults } = play();
  worker.give(sources);
  const pieces = encodePart([begin(0)]).map((piece) => piece.subarray(0, -1));
  const delivery = {
    type: 'part',
    pieces,
    readBytes: 0,
    flushed: false,
    profile: undefined,
    weight: 1,
  } as const;
  (threads[0] as PlayedThread).emit('message', delivery);
  expect(faults).toMatchObject([{ code: 'invalid-dataset' }]);
  expect(worker.next()).toBeUndefined();
});

it('does not replace a thread that was stopped', async () => {
  const { worker, threads, restarts } = play();
  await worker.stop();
  (threads[0] as PlayedThread).emit('exit', 1);
  expect([threads[0]?.isTerminated, threads.length, restarts()]).toEqual([true, 1, 0]);
});

it('reads files back on the thread, and none on a thread that died or was stopped', async () => {
  const { worker, threads } = play();
  const figures = { bytes: 1, sha256: 'ab', crc32: 2, lines: 3, contentBytes: 4, contentCrc32: 5 };
  const first = worker.readBack('/a');
  expect(threads[0]?.messages).toEqual([{ type: 'read-back', path: '/a' }]);
  threads[0]?.emit('message', { type: 'read-back', read: figures } satisfies FromWorker);
  expect(await first).toEqual(figures);
  const second = worker.readBack('/b');
  threads[0]?.emit('exit', 1);
  expect(await second).toBeUndefined();
  await worker.stop();
  expect(await worker.readBack('/c')).toBeUndefined();
});
