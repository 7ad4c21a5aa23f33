/** Runs the tasks, merges their results with those of reused sources in the order of the sources, and records them. */

import type { Delivery } from '../engine/delivery.ts';
import { refsIn } from '../engine/task.ts';
import { TurnmillError } from '../errors.ts';
import type { Listing } from '../input/sources/source.ts';
import type { Ledger } from '../ledger/ledger.ts';
import type { Result } from '../ledger/result.ts';
import type { Profile } from '../profile.ts';
import type { Checkpoints } from '../record/checkpoints.ts';
import type { HandedOver, RecordedSources } from '../record/recorded-sources.ts';
import type { Recorder } from '../record/result-writer.ts';
import { NOTHING_REUSED, type Reuse, takeEach } from '../reuse/reuse.ts';
import { checkTolerance } from '../settings/error-budget.ts';
import type { Settings } from '../settings/settings.ts';
import { type PoolHooks, runWorkers } from '../workers/pool.ts';
import { chooseWorkers, type WorkerChoice } from '../workers/worker-count.ts';
import type { RunHooks } from './hooks.ts';

export interface RecordingOptions extends Pick<PoolHooks, 'keepThreads'> {
  readonly settings: Settings;
  readonly listing: Listing;
  readonly ledger: Ledger;
  readonly recorder: Recorder;
  readonly reuse: Reuse;
  readonly checkpoints: Checkpoints;
  readonly hooks: RunHooks;
  readonly profile: Profile | undefined;
  /** The folder that the run writes to; undefined if it writes no files. */
  readonly workFolder: string | undefined;
}

/** Figures about the run that are not in the ledger. */
export interface Recorded {
  readonly readBytes: number;
  readonly workers: WorkerChoice;
  readonly workerRestarts: number;
  /** Number of sources that were read or reused. */
  readonly sources: number;
}

/** Runs the tasks and records all results, in the order of the sources. */
export class Recording {
  readonly #options: RecordingOptions;
  /** Undefined if the size of any source is unknown. */
  readonly #totalBytes: number | undefined;
  #readBytes = 0;
  /** Number of sources completed so far. */
  #sources = 0;
  #workerRestarts = 0;

  constructor(options: RecordingOptions) {
    this.#options = options;
    this.#totalBytes = bytesToRead(options);
  }

  async run(): Promise<Recorded> {
    const { settings, listing, recorder, reuse, hooks, profile, workFolder, keepThreads } = this.#options;
    const { signal, plugInCalls } = hooks;
    recorder.skipped(listing.skipped);
    const onRestart = (): void => {
      this.#workerRestarts++;
    };
    const onGiantLine = (): void => hooks.heap?.hold();
    const onThread = (): void => hooks.heap?.restore();
    const isReused = (index: number): boolean => reuse.has(index);
    const workers = chooseWorkers(
      refsIn(listing.sources, (index) => !isReused(index)),
      settings,
    );
    hooks.heap?.begin(workers.isLong);
    const deliveries = runWorkers(listing.sources, settings, workers.count, {
      signal,
      onThread,
      onRestart,
      onGiantLine,
      profile,
      isReused,
      plugInCalls,
      workFolder,
      keepThreads,
      needsResults: hooks.onResult !== undefined && hooks.onFindings === undefined,
    });
    profile?.enter('record');
    for await (const delivery of profile?.eachLater('wait', deliveries) ?? deliveries)
      await this.#takeDelivery(delivery);
    await this.#takeReused(listing.sources.length);
    this.#reportProgress();
    profile?.enter('other');
    signal?.throwIfAborted();
    this.#end();
    return {
      workers,
      readBytes: this.#readBytes,
      workerRestarts: this.#workerRestarts,
      sources: this.#sources,
    };
  }

  async #takeDelivery(delivery: Delivery<HandedOver>): Promise<void> {
    const { reuse, hooks, profile } = this.#options;
    if (delivery.profile !== undefined) profile?.add(delivery.profile);
    hooks.signal?.throwIfAborted();
    hooks.heap?.check();
    this.#readBytes += delivery.readBytes;
    for (const result of delivery.results) {
      if (result.kind === 'source-begin' && reuse !== NOTHING_REUSED) await this.#takeReused(result.source);
      const done = result.kind === 'recorded' ? this.#add(result) : this.#take(result);
      if (done !== undefined) await done;
    }
    this.#reportProgress();
  }

  async #add(recorded: RecordedSources): Promise<void> {
    await this.#takeReused(recorded.first);
    const { hooks, recorder, checkpoints } = this.#options;
    for (const { findings } of recorded.notes) hooks.onFindings?.(findings);
    await recorder.add(recorded);
    this.#sources += recorded.notes.length;
    checkpoints.see(recorded);
  }

  /** Records the results of the reused sources before this index. */
  async #takeReused(index: number): Promise<void> {
    const { reuse, hooks } = this.#options;
    await takeEach(reuse.before(index), (result) => {
      hooks.signal?.throwIfAborted();
      if (result.kind === 'source-begin') this.#reportProgress();
      return this.#take(result);
    });
  }

  #take(result: Result): Promise<void> | void {
    const { hooks, listing } = this.#options;
    const shown = hooks.onResult?.(result, listing);
    // a hook may return anything, such as the length that `push` returns
    return isPromise(shown) ? shown.then(() => this.#record(result)) : this.#record(result);
  }

  #record(result: Result): Promise<void> | void {
    const done = this.#options.recorder.accept(result);
    return done === undefined ? this.#recorded(result) : done.then(() => this.#recorded(result));
  }

  #recorded(result: Result): void {
    const { settings, ledger, checkpoints } = this.#options;
    if (result.kind === 'source') this.#sources++;
    // a percentage refers to all lines, so it can only be checked at the end
    if (typeof settings.maxQuarantine === 'number') checkTolerance(settings, ledger.rejectionCounts());
    checkpoints.see(result);
  }

  #reportProgress(): void {
    const { hooks, listing, ledger } = this.#options;
    hooks.onProgress?.({
      sources: this.#sources,
      totalSources: listing.sources.length,
      readBytes: this.#readBytes,
      totalBytes: this.#totalBytes,
      records: ledger.records(),
      rejections: ledger.rejectionCounts().rejections,
    });
  }

  /** Checks that every source was completed, except those after the limit of sessions. */
  #end(): void {
    const { settings, listing, ledger } = this.#options;
    const [done, all] = [this.#sources, listing.sources.length];
    if (settings.limit === undefined && done !== all)
      throw new TurnmillError('unfinished', `the workers stopped after ${done} of ${all} sources`);
    ledger.overLimit(all - done);
  }
}

const isPromise = (value: unknown): value is Promise<unknown> =>
  typeof (value as Promise<unknown> | undefined)?.then === 'function';

function bytesToRead({ listing, reuse }: RecordingOptions): number | undefined {
  let bytes = 0;
  let index = 0;
  for (const { path, sizeBytes } of listing.sources) {
    if (path === undefined) return undefined;
    if (!reuse.has(index++)) bytes += sizeBytes;
  }
  return bytes;
}
