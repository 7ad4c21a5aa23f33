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

/** Emits each entry `times` times and counts the emitted ones. */
function fanOut(times: number) {
  const state = { emitted: 0 };
  const handlers: Handlers = {
    *entry(element) {
      for (let i = 0; i < times; i++) {
        state.emitted++;
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

describe('handlers of a stage', () => {
  const given = (handlers: unknown, chunk: unknown = entry(1)) =>
    pipeline(Readable.from([chunk, END]), new StageStream(handlers as Handlers), sink([]));

  it.each([
    ['a Promise', { entry: async () => [] }, 'must return a list of elements, but returned a Promise'],
    ['nothing', { entry: () => undefined }, 'must return a list of elements, but returned undefined'],
    ['the element alone', { entry: (one: unknown) => one }, 'a single element of the kind entry'],
    ['an async generator', { async *entry() {} }, 'but returned an async generator'],
    ['a text', { entry: () => 'secret' }, 'but returned a string of 6 characters'],
    ['null in a list', { entry: () => [null] }, 'returned a list with null'],
    ['undefined in a list', { entry: () => [undefined] }, 'returned a list with undefined'],
    ['a list in a list', { entry: (one: unknown) => [[one]] }, 'returned a list with a list'],
  ])('end the pipeline when they return %s', async (_what, handlers, message) => {
    await expect(given(handlers)).rejects.toThrow(message);
    await expect(given(handlers, [entry(1)])).rejects.toThrow(message);
  });

  it.each([undefined, null])('end the pipeline when they throw %s', async (thrown) => {
    const throwing = {
      entry: () => {
        throw thrown;
      },
    };
    await expect(given(throwing)).rejects.toThrow(`a handler threw ${thrown}`);
  });

  it.each([
    ['nothing', undefined, 'takes an object of handlers, such as parse.create(), but got undefined'],
    ['a function', () => [], 'but got a function'],
    [
      'a kind that does not exist',
      { entree: () => [] },
      "there is no kind 'entree'; the kinds are line, entry",
    ],
    ['a number', { entry: 1 }, 'the handler for the kind entry is a number'],
  ])('are refused: %s', (_what, handlers, message) => {
    expect(() => new StageStream(handlers as never)).toThrow(message);
  });
});

describe('a stage as a stream', () => {
  it.each([false, true])('emits the elements of its handlers in order (slow sink: %s)', async (slow) => {
    const emitted: StreamElement[] = [];
    const { handlers } = fanOut(3);
    await pipeline(source([entry(1), END, entry(2)]), new StageStream(handlers), sink(emitted, slow));
    expect(lines(emitted)).toEqual([1, 1, 1, 9, 2, 2, 2]);
  });

  it('continues when elements are dropped', async () => {
    const emitted: StreamElement[] = [];
    const drop = new StageStream({ entry: () => [] });
    await pipeline(
      source([...Array.from({ length: 50 }, (_, i) => entry(i)), END]),
      drop,
      sink(emitted, true),
    );
    expect(emitted).toEqual([END]);
  });

  it('ends without elements', async () => {
    const emitted: StreamElement[] = [];
    await pipeline(source([]), new StageStream({}), sink(emitted));
    expect(emitted).toEqual([]);
  });

  describe('a stage as a stream of batches', () => {
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

    it.each([false, true])('emits the same elements in the same order (slow sink: %s)', async (slow) => {
      const emitted: (readonly StreamElement[])[] = [];
      const { handlers } = fanOut(3);
      const stage = new StageStream(handlers);
      await pipeline(batches([entry(1), END], [], [entry(2)]), stage, batchSink(emitted, slow));
      expect(emitted.map(lines)).toEqual([
        [1, 1, 1, 9],
        [2, 2, 2],
      ]);
    });

    it('cuts the elements of one batch into batches', async () => {
      const emitted: (readonly StreamElement[])[] = [];
      const { handlers, state } = fanOut(1000);
      const stage = new StageStream(handlers);
      await pipeline(batches([entry(1)]), stage, batchSink(emitted, true));
      expect(state.emitted).toBe(1000);
      expect(Math.max(...emitted.map(({ length }) => length))).toBe(64);
      expect(emitted.flat()).toHaveLength(1000);
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

  it('can be composed with other stages and read as an iterator', async () => {
    const [first, second] = [fanOut(2), fanOut(2)].map(({ handlers }) => new StageStream(handlers));
    const emitted: StreamElement[] = [];
    for await (const element of source([entry(1), entry(2)])
      .pipe(first as StageStream)
      .pipe(second as StageStream)) {
      emitted.push(element as StreamElement);
    }
    expect(lines(emitted)).toEqual([1, 1, 1, 1, 2, 2, 2, 2]);
  });
});

describe('backpressure', () => {
  it('stops a fan-out of any size until its elements are read', async () => {
    const { handlers, state } = fanOut(1_000_000);
    const stage = new StageStream(handlers);
    stage.write(entry(1));
    await setImmediate();
    const before = state.emitted;
    expect(before).toBeLessThan(3);
    for (let taken = 1; taken <= 20; taken++) {
      expect(stage.read()).not.toBeNull();
      await setImmediate();
      expect(state.emitted).toBeLessThan(before + taken + 2);
    }
    stage.destroy();
  });

  it('blocks the writer while an element is processed', async () => {
    const { handlers } = fanOut(5);
    const stage = new StageStream(handlers);
    const written: number[] = [];
    for (const line of [1, 2, 3]) stage.write(entry(line), () => written.push(line));
    await setImmediate();
    expect(written).toEqual([]);
    const emitted: StreamElement[] = [];
    stage.end();
    for await (const element of stage) emitted.push(element as StreamElement);
    expect(lines(emitted)).toEqual([1, 1, 1, 1, 1, 2, 2, 2, 2, 2, 3, 3, 3, 3, 3]);
    expect(written).toEqual([1, 2, 3]);
  });
});

describe('a throw', () => {
  const failing = (handlers: Handlers) => {
    const emitted: StreamElement[] = [];
    return { emitted, run: pipeline(source([entry(1), entry(2)]), new StageStream(handlers), sink(emitted)) };
  };

  it('of a handler ends the pipeline', async () => {
    const { run } = failing({
      entry() {
        throw new Error('at once');
      },
    });
    await expect(run).rejects.toThrow('at once');
  });

  it('between two elements of a handler ends the pipeline', async () => {
    const { run, emitted } = failing({
      *entry(element) {
        yield element;
        throw new Error('after one');
      },
    });
    await expect(run).rejects.toThrow('after one');
    expect(emitted.length).toBeLessThan(2);
  });

  it('while the reader reads on ends the stream', async () => {
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
