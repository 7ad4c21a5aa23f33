/**
 * Lanes: the sources are cut into units, worker threads take one after the other, and their batches come out in the
 * order of the sources with a bounded window, so the bytes do not depend on the number of workers.
 */
import type { SourceRef } from '../sources/source.ts';
import { type Batch, type LaneSource, runLane } from './lane.ts';
import type { LaneThread } from './lane-thread.ts';
import type { Profile } from './profile.ts';
import type { LaneSettings, Settings } from './settings.ts';
import { type Unit, unitsOf } from './units.ts';

/** Units that a worker has before it: one that it reads and one that waits. */
const UNITS_AHEAD = 2;

export interface LaneHooks {
  readonly signal?: AbortSignal | undefined;
  /** A worker thread died; its source is read again. */
  readonly onRestart?: () => void;
  /** Of this thread. */
  readonly profile?: Profile | undefined;
}

/** All batches of all sources, in the order of the sources. */
export async function* runLanes(
  sources: readonly SourceRef[],
  settings: Settings,
  hooks: LaneHooks = {},
): AsyncGenerator<Batch> {
  const conversion = conversionOf(settings);
  const single =
    settings.workers === 1 || settings.limit !== undefined || sources.some(({ path }) => path === undefined);
  const units = single ? [] : unitsOf(sources);
  if (units.length > 1) yield* runThreads(units, Math.min(settings.workers, units.length), conversion, hooks);
  else yield* runLane(inOrder(sources), conversion, hooks.signal, hooks.profile);
}

function* inOrder(sources: readonly SourceRef[]): Generator<LaneSource> {
  for (const [index, ref] of sources.entries()) yield { index, ref };
}

/** The settings that a lane needs, as plain data. */
function conversionOf(settings: Settings): LaneSettings {
  const { inputs: _inputs, out: _out, replace: _replace, workers: _workers, ...conversion } = settings;
  return conversion;
}

async function* runThreads(
  units: readonly Unit[],
  count: number,
  settings: LaneSettings,
  { signal, onRestart }: LaneHooks,
): AsyncGenerator<Batch> {
  const { startLaneThread } = await import('./lane-thread.ts'); // late: one worker needs no thread
  let fault: Error | undefined;
  let wake: () => void = () => undefined;
  let nextUnit = 0;
  const owner: LaneThread[] = []; // of each unit

  function give(lane: LaneThread): void {
    if (nextUnit === units.length) return;
    owner[nextUnit] = lane;
    lane.give(units[nextUnit++] as Unit);
  }

  function fail(error: Error): void {
    fault ??= error;
    wake();
  }

  function start(): LaneThread {
    const lane = startLaneThread(settings, {
      onBatch(batch) {
        if (batch.flushed) give(lane);
        wake();
      },
      onFault: fail,
      onRestart: () => onRestart?.(),
    });
    return lane;
  }

  const abort = (): void => fail(signal?.reason as Error);
  signal?.addEventListener('abort', abort, { once: true });
  const lanes = Array.from({ length: count }, start);
  try {
    for (let ahead = 0; ahead < UNITS_AHEAD; ahead++) lanes.forEach(give);
    for (let unit = 0; unit < units.length; ) {
      const received = owner[unit]?.next();
      if (fault !== undefined) throw fault;
      if (received === undefined) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
        continue;
      }
      yield received.batch;
      received.taken();
      if (received.batch.flushed) unit++;
    }
  } finally {
    signal?.removeEventListener('abort', abort);
    await Promise.all(lanes.map((lane) => lane.stop()));
  }
}
