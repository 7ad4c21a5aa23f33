/** A lane in a worker thread: gets units of sources, posts batches, and waits while too much of them is unread. */

import { parentPort, workerData } from 'node:worker_threads';
import { TurnmillError } from '../errors.ts';
import { batchWeight, type Outcome } from '../ledger/result.ts';
import { reloadPlugIns } from '../settings/plug-ins.ts';
import type { LaneSettings } from '../settings/settings.ts';
import { type Strike, strikeFrom } from './lane-fault.ts';
import { type Batch, runLane, WINDOW_BYTES } from './run-task.ts';
import type { LaneSource } from './task.ts';

/** From the main thread: sources to read, that a batch was taken, or that there is no more. */
export type ToWorker =
  | { readonly type: 'unit'; readonly sources: readonly LaneSource[] }
  | { readonly type: 'taken'; readonly weight: number }
  | { readonly type: 'end' };

/** To the main thread. */
export type FromWorker =
  | { readonly type: 'batch'; readonly batch: Batch; readonly weight: number }
  | { readonly type: 'fault'; readonly code: string; readonly message: string; readonly stack: string };

export interface LaneWorkerData {
  readonly settings: LaneSettings;
  /** One cell of shared memory: the index of the source in hand. It outlives the thread. */
  readonly inHand: Int32Array<SharedArrayBuffer>;
}

const port = parentPort;
if (port !== null) await run(port, workerData as LaneWorkerData, strikeFrom(process.env.TURNMILL_FAULT));

async function run(
  to: NonNullable<typeof parentPort>,
  { settings, inHand }: LaneWorkerData,
  strike: Strike | undefined,
): Promise<void> {
  const queue: LaneSource[] = [];
  let ended = false;
  let unread = 0;
  let current: LaneSource | undefined;
  let batches = 0; // since it is current
  let wake: () => void = () => undefined;
  const message = (): Promise<void> =>
    new Promise((resolve) => {
      wake = resolve;
    });

  to.on('message', (got: ToWorker) => {
    if (got.type === 'unit') queue.push(...got.sources);
    else if (got.type === 'taken') unread -= got.weight;
    else ended = true;
    wake();
  });

  async function* sources(): AsyncGenerator<LaneSource> {
    for (;;) {
      const next = queue.shift();
      if (next !== undefined) {
        current = next;
        batches = 0;
        Atomics.store(inHand, 0, next.index);
        strike?.(next, batches);
        yield next;
      } else if (ended) return;
      else await message();
    }
  }

  try {
    const plugIns = await reloadPlugIns(settings.plugIns.files);
    for await (const batch of runLane(sources(), { ...settings, plugIns })) {
      while (unread > WINDOW_BYTES) await message();
      const weight = batchWeight(batch.outcomes);
      unread += weight;
      to.postMessage({ type: 'batch', batch, weight } satisfies FromWorker, transfersOf(batch.outcomes));
      if (current !== undefined) strike?.(current, ++batches);
    }
  } catch (error) {
    const { message: text, stack = '' } = error as Error;
    const code = error instanceof TurnmillError ? error.code : '';
    to.postMessage({ type: 'fault', code, message: text, stack } satisfies FromWorker);
  }
  to.close();
}

/** The buffers that nobody else uses: they move instead of being copied. */
function transfersOf(outcomes: readonly Outcome[]): ArrayBuffer[] {
  return outcomes.flatMap((outcome) => {
    const bytes = outcome.kind === 'row' ? outcome.bytes : undefined;
    const whole = bytes !== undefined && bytes.length === bytes.buffer.byteLength;
    return whole ? [bytes.buffer as ArrayBuffer] : [];
  });
}
