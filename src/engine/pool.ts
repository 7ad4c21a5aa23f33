/**
 * Lanes: the sources are cut into units, the main thread and worker threads take one after the other, and their batches come
 * out in the order of the sources with a bounded window, so the bytes do not depend on the number of workers.
 */

import { setImmediate } from 'node:timers/promises';
import type { SourceRef } from '../input/sources/source.ts';
import type { Profile } from '../profile.ts';
import { filesOnly } from '../settings/plug-ins.ts';
import type { LaneSettings, Settings } from '../settings/settings.ts';
import { faultsThreads } from './lane-fault.ts';
import { createOwnLane, type OwnLane } from './main-thread.ts';
import { type Batch, runLane } from './run-task.ts';
import type { LaneSource } from './task.ts';
import { type IsRead, type Unit, unitsOf } from './task.ts';
import { laneCount } from './worker-count.ts';
import type { LaneThread } from './worker-thread.ts';

/** Units that a worker has before it: one that it reads and one that waits. */
const UNITS_AHEAD = 2;

export interface LaneHooks {
  /** Need a source not be read? By its index. */
  readonly isKept?: (index: number) => boolean;
  readonly signal?: AbortSignal | undefined;
  /** A worker thread died; its source is read again. */
  readonly onRestart?: () => void;
  /** Of this thread. */
  readonly profile?: Profile | undefined;
}

/** All batches of all sources that are not kept, in the order of the sources. */
export async function* runLanes(
  sources: readonly SourceRef[],
  settings: Settings,
  hooks: LaneHooks = {},
): AsyncGenerator<Batch> {
  const conversion = conversionOf(settings);
  const isRead: IsRead = (_ref, index) => hooks.isKept?.(index) !== true;
  const lanes = laneCount(sources.filter(isRead), settings);
  const units = lanes === 1 ? [] : unitsOf(sources, isRead);
  if (units.length > 1) yield* runThreads(units, Math.min(lanes, units.length), conversion, hooks);
  else yield* runLane(inOrder(sources, isRead), conversion, hooks.signal, hooks.profile);
}

function* inOrder(sources: readonly SourceRef[], isRead: IsRead): Generator<LaneSource> {
  // a stream may take any time to come: what was found before is not to wait for it
  const flush = sources.some(({ stream }) => stream !== undefined);
  for (const [index, ref] of sources.entries()) if (isRead(ref, index)) yield { index, ref, flush };
}

/** The settings that a lane needs, as plain data. */
function conversionOf(settings: Settings): LaneSettings {
  const { inputs: _i, out, replace: _r, update: _u, resume: _s, workers: _w, ...conversion } = settings;
  return { ...conversion, takesBack: out !== undefined && out !== '-' };
}

/** @param count lanes: that of this thread, and a worker thread for each other one */
async function* runThreads(
  units: readonly Unit[],
  count: number,
  settings: LaneSettings,
  { signal, onRestart, profile }: LaneHooks,
): AsyncGenerator<Batch> {
  const { startLaneThread } = await import('./worker-thread.ts'); // late: one worker needs no thread
  let fault: Error | undefined;
  let wake: () => void = () => undefined;
  let nextUnit = 0;
  const owner: (LaneThread | OwnLane)[] = []; // of each unit

  function give(lane: LaneThread | OwnLane): void {
    if (nextUnit === units.length) return;
    owner[nextUnit] = lane;
    lane.give(units[nextUnit++] as Unit);
  }

  function fail(error: Error): void {
    fault ??= error;
    wake();
  }

  function start(): LaneThread {
    const lane = startLaneThread(
      { ...settings, plugIns: filesOnly(settings.plugIns) },
      {
        onBatch(batch) {
          if (batch.flushed) give(lane);
          wake();
        },
        onFault: fail,
        onRestart: () => onRestart?.(),
      },
    );
    return lane;
  }

  const abort = (): void => fail(signal?.reason as Error);
  signal?.addEventListener('abort', abort, { once: true });
  const own = faultsThreads() ? undefined : createOwnLane(settings, signal, profile);
  if (own !== undefined) give(own); // the first unit: the threads are still starting when it is read
  const threads = Array.from({ length: own === undefined ? count : count - 1 }, start);
  try {
    for (let ahead = 0; ahead < UNITS_AHEAD; ahead++) threads.forEach(give);
    for (let unit = 0; unit < units.length; ) {
      const received = owner[unit]?.next();
      if (fault !== undefined) throw fault;
      if (received !== undefined) {
        yield received.batch;
        received.taken();
        if (received.batch.flushed) unit++;
        continue;
      }
      if (own?.isFree()) give(own);
      if (own?.canWork()) {
        await own.work();
        await setImmediate(); // the threads' batches come in, and they get their next units
      } else
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
    }
  } finally {
    signal?.removeEventListener('abort', abort);
    await Promise.all([own?.stop(), ...threads.map((lane) => lane.stop())]);
  }
}
