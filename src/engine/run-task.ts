/**
 * Runs a task: reads its sources one after the other and yields their results in deliveries. A file may turn out to be
 * damaged at its end, so the results of a source do not count until the last one, its report, has arrived.
 */

import { setImmediate } from 'node:timers/promises';
import { borrowScanMemory } from '../../transforms/json/wasm-scanner.ts';
import { Redactor } from '../ledger/redactor.ts';
import { createProfile, type Profile } from '../profile.ts';
import { hasPlugIns } from '../settings/plug-ins.ts';
import type { TaskSettings } from '../settings/settings.ts';
import { type Delivery, DeliveryBuilder } from './delivery.ts';
import { UNWATCHED, watchWith } from './instrument.ts';
import { DELIVERY_BYTES, type Pause, SourceRun, type SourceRunOptions } from './source-run.ts';
import type { TaskSource, Upcoming } from './task.ts';

/** A worker pauses while unread deliveries exceed this size. */
export const WINDOW_BYTES: number = 8 * 1024 * 1024;

type TaskSources = Iterable<TaskSource> | AsyncIterable<TaskSource>;

/**
 * Called before code of plug-ins may run on this thread (`begin`), and before the event loop runs again (`end`). Such code
 * may never return, and meanwhile no listener for signals is called: the owner of the process may let signals end it.
 */
export interface PlugInCalls {
  begin(): void;
  end(): void;
}

export interface TaskOptions {
  readonly signal?: AbortSignal | undefined;
  readonly plugInCalls?: PlugInCalls | undefined;
  /** The profile of this thread; without it, a profiled task creates its own and adds its figures to the deliveries. */
  readonly profile?: Profile | undefined;
  /** Lists the sources to prefetch, for stores where fetching takes longer than reading. */
  readonly upcoming?: Upcoming;
  readonly onGiantLine?: SourceRunOptions['onGiantLine'];
}

export function runTask(
  sources: TaskSources,
  settings: TaskSettings,
  { signal, profile, upcoming, plugInCalls, onGiantLine }: TaskOptions = {},
): AsyncGenerator<Delivery> {
  const reading = { signal, upcoming, onGiantLine };
  const calls = hasPlugIns(settings.plugIns) ? plugInCalls : undefined;
  if (!settings.profile) return readAll(sources, settings, { watch: UNWATCHED, ...reading }, calls);
  const clock = profile ?? createProfile('wait');
  const waited = clock.eachLater('wait', sources);
  const deliveries = clock.eachLater(
    'other',
    readAll(waited, settings, { watch: watchWith(clock), ...reading }, calls),
  );
  return profile === undefined ? withFigures(deliveries, clock) : deliveries;
}

async function* withFigures(deliveries: AsyncIterable<Delivery>, profile: Profile): AsyncGenerator<Delivery> {
  for await (const delivery of deliveries) yield { ...delivery, profile: profile.take() };
}

async function* readAll(
  sources: TaskSources,
  settings: TaskSettings,
  reading: Pick<SourceRunOptions, 'watch' | 'signal' | 'upcoming' | 'onGiantLine'>,
  calls: PlugInCalls | undefined,
): AsyncGenerator<Delivery> {
  const memory = borrowScanMemory();
  const { redaction } = settings;
  const delivery = new DeliveryBuilder(redaction?.mode === 'replace' ? new Redactor(redaction) : undefined);
  const run = new SourceRun({ settings, memory, delivery, ...reading });
  const listed = Symbol.iterator in sources ? sources[Symbol.iterator]() : sources[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = listed.next();
      // awaiting every source would take longer than reading a small one
      const { done, value: source } = next instanceof Promise ? await next : next;
      if (done === true || run.isLimited) break;
      run.begin(source);
      for (let pause = read(run, calls); pause !== 'over'; pause = read(run, calls)) {
        if (pause === 'delivery') {
          if (run.takeTurn()) await setImmediate();
          yield delivery.take();
        } else await pause;
      }
      if (delivery.weight >= DELIVERY_BYTES || source.flush === true) yield delivery.take(source.flush);
    }
    yield delivery.take();
  } finally {
    await listed.return?.();
    await run.abandon();
    memory?.giveBack();
  }
}

function read(run: SourceRun, calls: PlugInCalls | undefined): Pause {
  if (calls === undefined) return run.read();
  calls.begin();
  try {
    return run.read();
  } finally {
    calls.end();
  }
}
