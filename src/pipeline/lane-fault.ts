/**
 * Faults for tests only: TURNMILL_FAULT=WAY:SOURCE[:TIMES[:BATCHES]] makes a worker thread fail while it reads SOURCE, in
 * its first TIMES readings (1 when left out), after it has posted BATCHES batches since it took the source (0). Without a
 * SOURCE it fails before it has any. The ways are `worker-exit`, `worker-oom` and `worker-bug` (a reported fault).
 */
import type { LaneSource } from './lane.ts';

/** To be called when a source was taken, and after each batch. */
export type Strike = (source: LaneSource, batches: number) => void;

const WAYS: Readonly<Record<string, () => never>> = {
  'worker-exit': () => process.exit(9), // in a worker thread it ends the thread
  'worker-oom': exhaustMemory,
  'worker-bug': () => {
    throw new Error('TURNMILL_FAULT asked for it');
  },
};

export function strikeFrom(setting: string | undefined): Strike | undefined {
  const [way = '', name = '', times = '1', after = '0'] = setting?.split(':') ?? [];
  const fail = WAYS[way];
  if (fail === undefined) return undefined;
  if (name === '') fail();
  return ({ ref, deaths = [] }, batches) => {
    if (ref.name === name && deaths.length < Number(times) && batches === Number(after)) fail();
  };
}

/** Are worker threads to fail? Then they read everything: this thread could not be replaced. */
export function faultsThreads(): boolean {
  return (process.env.TURNMILL_FAULT ?? '').startsWith('worker-');
}

function exhaustMemory(): never {
  const kept: unknown[] = [];
  for (;;) kept.push(Array.from({ length: 100_000 }, Math.random));
}
