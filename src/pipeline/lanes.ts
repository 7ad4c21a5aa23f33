/**
 * Lanes: the sources are cut into units, worker threads take one after the other, and their batches come out in the
 * order of the sources with a bounded window, so the bytes do not depend on the number of workers.
 */
import { Worker } from 'node:worker_threads';
import { type ErrorCode, TurnmillError } from '../errors.ts';
import type { SourceRef } from '../sources/source.ts';
import { type Batch, type LaneSource, runLane } from './lane.ts';
import type { FromWorker, ToWorker } from './lane-worker.ts';
import type { LaneSettings, Settings } from './settings.ts';

/** A unit is one big source, or small ones up to this size and number. */
const UNIT_BYTES = 4 * 1024 * 1024;
const UNIT_SOURCES = 256;
/** Units that a worker has before it: one that it reads and one that waits. */
const UNITS_AHEAD = 2;

type Unit = readonly LaneSource[];

/** All batches of all sources, in the order of the sources. */
export async function* runLanes(
  sources: readonly SourceRef[],
  settings: Settings,
  signal?: AbortSignal,
): AsyncGenerator<Batch> {
  const conversion = conversionOf(settings);
  const units = unitsOf(sources);
  const workers = Math.min(settings.workers, units.length);
  const alone =
    workers <= 1 || settings.limit !== undefined || sources.some(({ path }) => path === undefined);
  if (alone) yield* runLane(units.flat(), conversion, signal);
  else yield* runWorkers(units, workers, conversion, signal);
}

/** The settings that a lane needs, as plain data. */
function conversionOf(settings: Settings): LaneSettings {
  const { inputs: _inputs, out: _out, replace: _replace, workers: _workers, ...conversion } = settings;
  return conversion;
}

export function unitsOf(sources: readonly SourceRef[]): readonly Unit[] {
  const units: LaneSource[][] = [];
  let bytes = Number.POSITIVE_INFINITY;
  sources.forEach((ref, index) => {
    const unit = units.at(-1);
    if (unit === undefined || bytes + ref.sizeBytes > UNIT_BYTES || unit.length >= UNIT_SOURCES) {
      units.push([{ index, ref }]);
      bytes = ref.sizeBytes;
    } else {
      unit.push({ index, ref });
      bytes += ref.sizeBytes;
    }
  });
  return units.map((unit) => unit.map((source, i) => ({ ...source, flush: i === unit.length - 1 })));
}

interface Lane {
  readonly worker: Worker;
  /** Batches that came and were not yet taken, with their weights. */
  readonly waiting: { readonly batch: Batch; readonly weight: number }[];
}

async function* runWorkers(
  units: readonly Unit[],
  count: number,
  settings: LaneSettings,
  signal?: AbortSignal,
): AsyncGenerator<Batch> {
  let fault: Error | undefined;
  let wake: () => void = () => undefined;
  let nextUnit = 0;
  let finishing = false;
  const owner: Lane[] = []; // of each unit

  function give(lane: Lane): void {
    if (nextUnit === units.length) return;
    owner[nextUnit] = lane;
    send(lane, { type: 'unit', sources: units[nextUnit++] as Unit });
  }

  function receive(lane: Lane, got: FromWorker): void {
    if (got.type === 'fault') fault ??= faultOf(got);
    else {
      lane.waiting.push(got);
      if (got.batch.flushed) give(lane);
    }
    wake();
  }

  function start(): Lane {
    const worker = new Worker(new URL('./lane-worker.js', import.meta.url), { workerData: settings });
    const lane: Lane = { worker, waiting: [] };
    worker.on('message', (got: FromWorker) => receive(lane, got));
    worker.on('error', (error) => lost(error));
    worker.on('exit', (code) => {
      if (!finishing)
        lost(new TurnmillError('worker-lost', `a worker thread ended with ${code} before its time`));
    });
    return lane;
  }

  function lost(error: Error): void {
    fault ??= error;
    wake();
  }

  const abort = (): void => lost(signal?.reason as Error);
  signal?.addEventListener('abort', abort, { once: true });
  const lanes = Array.from({ length: count }, start);
  try {
    for (let ahead = 0; ahead < UNITS_AHEAD; ahead++) lanes.forEach(give);
    for (let unit = 0; unit < units.length; ) {
      const lane = owner[unit];
      const got = lane?.waiting.shift();
      if (fault !== undefined) throw fault;
      if (lane === undefined || got === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      yield got.batch;
      send(lane, { type: 'taken', weight: got.weight });
      if (got.batch.flushed) unit++;
    }
  } finally {
    finishing = true;
    signal?.removeEventListener('abort', abort);
    await Promise.all(lanes.map(({ worker }) => worker.terminate()));
  }
}

function send({ worker }: Lane, message: ToWorker): void {
  worker.postMessage(message);
}

function faultOf({ code, message, stack }: Extract<FromWorker, { type: 'fault' }>): Error {
  const fault = code === '' ? new Error(message) : new TurnmillError(code as ErrorCode, message);
  fault.stack = stack;
  return fault;
}
