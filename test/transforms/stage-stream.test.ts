import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { SessionEnd, StreamElement } from '../../transforms/model/element.ts';
import type { Handlers } from '../../transforms/stage.ts';
import { StageStream } from '../../transforms/stage-stream.ts';
import { entryOf, originOf, user } from './checks/samples.ts';

const END: SessionEnd = { kind: 'session-end', origin: originOf(9), last: true };
const entry = (line: number) => entryOf([user('x')], line);
const lines = (elements: readonly StreamElement[]) => elements.map(({ origin }) => origin.line);

/** Gives each entry `times` times, and tells how many it has made. */
function fanOut(times: number) {
  const state = { made: 0 };
  const handlers: Handlers = {
    *entry(element) {
      for (let i = 0; i < times; i++) {
        state.made++;
        yield element;
      }
    },
  };
  return { handlers, state };
}

const sink = (into: StreamElement[], slow = false) =>
  new Writable({
    objectMode: true,
    highWaterMark: 1,
    write(element: StreamElement, _encoding, done) {
      into.push(element);
      if (slow) void setImmediate().then(() => done());
      else done();
    },
  });
const source = (elements: readonly StreamElement[]) =>
  Readable.from(elements, { objectMode: true, highWaterMark: 1 });

describe('a stage as a stream', () => {
  it.each([false, true])('gives what its handlers make, in order (slow sink: %s)', async (slow) => {
    const made: StreamElement[] = [];
    const { handlers } = fanOut(3);
    await pipeline(source([entry(1), END, entry(2)]), new StageStream(handlers), sink(made, slow));
    expect(lines(made)).toEqual([1, 1, 1, 9, 2, 2, 2]);
  });

  it('goes on when elements are dropped', async () => {
    const made: StreamElement[] = [];
    const drop = new StageStream({ entry: () => [] });
    await pipeline(source([...Array.from({ length: 50 }, (_, i) => entry(i)), END]), drop, sink(made, true));
    expect(made).toEqual([END]);
  });

  it('ends without elements', async () => {
    const made: StreamElement[] = [];
    await pipeline(source([]), new StageStream({}), sink(made));
    expect(made).toEqual([]);
  });

  it('counts elements in and out by kind', async () => {
    const stage = new StageStream({ entry: (element) => [element, END], 'session-end': () => [] });
    await pipeline(source([entry(1), END, entry(2)]), stage, sink([]));
    expect([...stage.counts.in]).toEqual([
      ['entry', 2],
      ['session-end', 1],
    ]);
    expect([...stage.counts.out]).toEqual([
      ['entry', 2],
      ['session-end', 2],
    ]);
  });

  describe('of batches', () => {
    const batches = (...chunks: (readonly StreamElement[])[]) =>
      Readable.from(chunks, { objectMode: true, highWaterMark: 1 });
    const batchSink = (into: (readonly StreamElement[])[], slow = false) =>
      new Writable({
        objectMode: true,
        highWaterMark: 1,
        write(batch: readonly StreamElement[], _encoding, done) {
          into.push(batch);
          if (slow) void setImmediate().then(() => done());
          else done();
        },
      });

    it.each([false, true])('gives the same elements in the same order (slow sink: %s)', async (slow) => {
      const made: (readonly StreamElement[])[] = [];
      const { handlers } = fanOut(3);
      const stage = new StageStream(handlers);
      await pipeline(batches([entry(1), END], [], [entry(2)]), stage, batchSink(made, slow));
      expect(made.map(lines)).toEqual([
        [1, 1, 1, 9],
        [2, 2, 2],
      ]);
      expect([...stage.counts.in]).toEqual([
        ['entry', 2],
        ['session-end', 1],
      ]);
      expect(stage.counts.out.get('entry')).toBe(6);
    });

    it('cuts what one batch fans out to', async () => {
      const made: (readonly StreamElement[])[] = [];
      const { handlers, state } = fanOut(1000);
      const stage = new StageStream(handlers);
      await pipeline(batches([entry(1)]), stage, batchSink(made, true));
      expect(state.made).toBe(1000);
      expect(Math.max(...made.map(({ length }) => length))).toBe(64);
      expect(made.flat()).toHaveLength(1000);
    });

    it('ends the pipeline when a handler throws in the middle of one', async () => {
      const stage = new StageStream({
        entry(element) {
          if (element.origin.line === 2) throw new Error('broken');
          return [element];
        },
      });
      await expect(pipeline(batches([entry(1), entry(2)]), stage, batchSink([]))).rejects.toThrow('broken');
    });
  });

  it('can be composed with others and read as an iterator', async () => {
    const [first, second] = [fanOut(2), fanOut(2)].map(({ handlers }) => new StageStream(handlers));
    const made: StreamElement[] = [];
    for await (const element of source([entry(1), entry(2)])
      .pipe(first as StageStream)
      .pipe(second as StageStream)) {
      made.push(element as StreamElement);
    }
    expect(lines(made)).toEqual([1, 1, 1, 1, 2, 2, 2, 2]);
  });
});

describe('backpressure', () => {
  it('stops a fan-out of any size until its elements are taken', async () => {
    const { handlers, state } = fanOut(1_000_000);
    const stage = new StageStream(handlers);
    stage.write(entry(1));
    await setImmediate();
    const before = state.made;
    expect(before).toBeLessThan(3);
    for (let taken = 1; taken <= 20; taken++) {
      expect(stage.read()).not.toBeNull();
      await setImmediate();
      expect(state.made).toBeLessThan(before + taken + 2);
    }
    stage.destroy();
  });

  it('holds back the writer while an element is in work', async () => {
    const { handlers } = fanOut(5);
    const stage = new StageStream(handlers);
    const written: number[] = [];
    for (const line of [1, 2, 3]) stage.write(entry(line), () => written.push(line));
    await setImmediate();
    expect(written).toEqual([]);
    const made: StreamElement[] = [];
    stage.end();
    for await (const element of stage) made.push(element as StreamElement);
    expect(lines(made)).toEqual([1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3]);
    expect(written).toEqual([1, 2, 3]);
  });
});

describe('a throw', () => {
  const failing = (handlers: Handlers) => {
    const made: StreamElement[] = [];
    return { made, run: pipeline(source([entry(1), entry(2)]), new StageStream(handlers), sink(made)) };
  };

  it('of a handler ends the pipeline', async () => {
    const { run } = failing({
      entry() {
        throw new Error('at once');
      },
    });
    await expect(run).rejects.toThrow('at once');
  });

  it('in the middle of what a handler makes ends the pipeline', async () => {
    const { run, made } = failing({
      *entry(element) {
        yield element;
        throw new Error('after one');
      },
    });
    await expect(run).rejects.toThrow('after one');
    expect(made.length).toBeLessThan(2);
  });

  it('while the reader takes more ends the stream', async () => {
    const stage = new StageStream({
      *entry(element) {
        yield element;
        yield element;
        throw new Error('later');
      },
    });
    stage.write(entry(1));
    const read = async () => {
      for await (const element of stage) expect(element).toBeDefined();
    };
    await expect(read()).rejects.toThrow('later');
  });
});
