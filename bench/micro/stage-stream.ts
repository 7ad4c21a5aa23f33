/**
 * Elements through three stages that are Node streams (`StageStream`), one by one and in batches, against the fused chain of the
 * main job: what crossing a stream costs.
 */
import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { StreamElement } from '../../transforms/model/element.ts';
import { fuse, type Handlers } from '../../transforms/stage.ts';
import { StageStream } from '../../transforms/stage-stream.ts';
import type { MicroCase } from './micro-case.ts';

const count = 4096;
const stages = 3;
const batchElements = 64;

const handlers: Handlers = { 'session-end': (end) => [end] };
const elements: readonly StreamElement[] = Array.from({ length: count }, (_, i) => ({
  kind: 'session-end',
  origin: { source: 'a', line: i + 1, offset: i, length: 1 },
  last: false,
}));
const batches = Array.from({ length: count / batchElements }, (_, i) =>
  elements.slice(i * batchElements, (i + 1) * batchElements),
);

const through = async (chunks: readonly object[]): Promise<number> => {
  const chain = Array.from({ length: stages }, () => new StageStream(handlers));
  const sink = new Writable({
    objectMode: true,
    highWaterMark: 1,
    write: (_chunk, _encoding, done) => done(),
  });
  await pipeline([Readable.from(chunks, { objectMode: true, highWaterMark: 1 }), ...chain, sink]);
  return chain.at(-1)?.counts.out.get('session-end') ?? 0;
};

export const cases = (): readonly MicroCase[] => [
  { name: 'streams, element by element', items: count, run: () => through(elements) },
  { name: `streams, batches of ${batchElements}`, items: count, run: () => through(batches) },
  {
    name: 'fused',
    items: count,
    run: () => {
      let sum = 0;
      const push = fuse(
        Array.from({ length: stages }, () => handlers),
        () => sum++,
      );
      for (const element of elements) push(element);
      return sum;
    },
  },
];
