/**
 * Faults for tests only: TURNMILL_FAULT=WAY:SOURCE[:TIMES[:BATCHES]] makes a worker thread fail while it reads SOURCE, in
 * its first TIMES readings (1 when left out), after it has posted BATCHES batches since it took the source (0). Without a
 * SOURCE it fails before it has any. The ways are `worker-exit`, `worker-oom` and `worker-bug` (a reported fault).
 * TURNMILL_FAULT=stage:NAME:N makes a stage throw at the N-th element that a lane gives it.
 */
import type { StreamElement } from '../../transforms/model/element.ts';
import type { Handlers } from '../../transforms/stage.ts';
import type { ChainLink } from './chain.ts';
import type { LaneSource } from './task.ts';

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

/** The chain, with a fault in one of its stages when `TURNMILL_FAULT` asks for it. */
export function withStageFault(
  links: readonly ChainLink[],
  setting: string | undefined = process.env.TURNMILL_FAULT,
): readonly ChainLink[] {
  const [way, name, at] = setting?.split(':') ?? [];
  return way === 'stage'
    ? links.map((link) => (link.name === name ? throwing(link, Number(at)) : link))
    : links;
}

function throwing({ name, handlers }: ChainLink, at: number): ChainLink {
  let seen = 0;
  const kinds = Object.entries(handlers) as [string, (element: StreamElement) => Iterable<StreamElement>][];
  const counted = kinds.map(([kind, handler]) => [
    kind,
    (element: StreamElement) => {
      if (++seen === at) throw new Error(`TURNMILL_FAULT asked for it in ${name}`);
      return handler(element);
    },
  ]);
  return { name, handlers: Object.fromEntries(counted) as Handlers };
}
