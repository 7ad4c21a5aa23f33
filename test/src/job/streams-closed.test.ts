/** However a run ends, it closes its input streams, because each may hold a connection. */
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { ReadableStream } from 'node:stream/web';
import { describe, expect, it } from 'vitest';
import type { StreamSource } from '../../../src/input/sources/stream-source.ts';
import { build } from '../../../src/job/build.ts';
import { inspect } from '../../../src/job/inspect.ts';
import { read } from '../../../src/job/read.ts';
import { resolveSettings } from '../../../src/settings/settings.ts';
import type { StreamElement } from '../../../transforms/model/element.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry } from '../cli/small-logs.ts';

const LINE = Buffer.from(`${entry()}\n`);

function signal(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((done) => {
    resolve = done;
  });
  return { promise, resolve };
}

interface Watched {
  readonly stream: AsyncIterable<Uint8Array>;
  /** Resolves when the stream is closed. */
  readonly closed: Promise<unknown>;
  /** Resolves when the second chunk is requested. */
  readonly stalled: Promise<unknown>;
}

/** Streams that yield one line and then stall forever. */
const STALLING: Readonly<Record<string, () => Watched>> = {
  'a Node Readable': () => {
    const { promise: stalled, resolve } = signal();
    let reads = 0;
    const stream = new Readable({
      highWaterMark: 1,
      read() {
        if (++reads === 1) this.push(LINE);
        else resolve();
      },
    });
    return { stream, closed: new Promise((done) => stream.once('close', done)), stalled };
  },
  'a web stream': () => {
    const { promise: closed, resolve: close } = signal();
    const { promise: stalled, resolve: stall } = signal();
    let pulls = 0;
    const stream = new ReadableStream<Uint8Array>({
      pull(controller) {
        if (++pulls === 1) controller.enqueue(LINE);
        else {
          stall();
          return new Promise(() => undefined);
        }
        return undefined;
      },
      cancel: () => close(),
    });
    return { stream, closed, stalled };
  },
};

/** An endless stream as a generator, which can end only at a `yield`. */
function generator(chunks: number): Watched & { readonly pulled: () => number } {
  const { promise: closed, resolve } = signal();
  let pulled = 0;
  async function* lines(): AsyncGenerator<Uint8Array> {
    try {
      for (; pulled < chunks; pulled++) yield Buffer.from(`${entry({ id: `s${pulled}` })}\n`);
    } finally {
      resolve();
    }
  }
  return { stream: lines(), closed, stalled: closed, pulled: () => pulled };
}

describe.each(Object.entries(STALLING))('%s', (_kind, make) => {
  it('is closed when the run is stopped while it waits for bytes', async () => {
    const { stream, closed, stalled } = make();
    const stop = new AbortController();
    const out = join(temporaryFolder(), 'out');
    const run = build({ inputs: [{ name: 'a.jsonl', stream }], out }, { signal: stop.signal });
    run.catch(() => undefined);
    await stalled;
    stop.abort(new Error('stopped'));
    await expect(run).rejects.toThrow('stopped');
    await closed;
  });

  it('is closed when the run ends before reading it', async () => {
    const { stream, closed } = make();
    const bad: StreamSource = { name: 'a.jsonl', stream: Readable.from([Buffer.from('oops\n')]) };
    const run = build({ inputs: [bad, { name: 'b.jsonl', stream }], onReject: 'fail' });
    await expect(run).rejects.toMatchObject({ code: 'rejected' });
    await closed;
  });

  it('is closed when the settings are wrong', async () => {
    const { stream, closed } = make();
    await expect(build({ inputs: [{ name: 'a', stream }], format: 'x' })).rejects.toMatchObject({
      code: 'usage',
    });
    await closed;
  });

  it('is closed when iteration of its elements stops, before the first one or while it waits', async () => {
    const unread = make();
    read({ name: 'a', stream: unread.stream }).destroy();
    await unread.closed;

    const waiting = make();
    const left = read({ name: 'a', stream: waiting.stream });
    left.read();
    await waiting.stalled;
    left.destroy();
    await waiting.closed;
  });

  it('is closed when the pipeline after it fails', async () => {
    const { stream, closed } = make();
    const failing = async (): Promise<void> => {
      throw new Error('full');
    };
    await expect(pipeline(read({ name: 'a', stream }), failing)).rejects.toThrow('full');
    await closed;
  });

  it('ends its elements when their signal is aborted', async () => {
    const { stream, closed, stalled } = make();
    const stop = new AbortController();
    const first = read({ name: 'a', stream }, { signal: stop.signal }).iterator().next();
    first.catch(() => undefined);
    await stalled;
    stop.abort(new Error('stopped'));
    await expect(first).rejects.toThrow('stopped');
    await closed;
  });
});

describe('an async generator', () => {
  it('is ended at the limit, and the next one is never started', async () => {
    const one = generator(Number.POSITIVE_INFINITY);
    let begun = false;
    const two = {
      async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array> {
        begun = true;
        yield LINE;
      },
    };
    const inputs = [
      { name: 'a.jsonl', stream: one.stream },
      { name: 'b.jsonl', stream: two },
    ];
    const { sums } = await build({ inputs, limit: 3, sessionBy: 'run' });
    expect(sums.sessions.seen).toBe(3);
    await one.closed;
    expect(begun).toBe(false);
  });

  it('is pulled no further than its elements are', async () => {
    const one = generator(1_000_000);
    const elements = read({ name: 'a', stream: one.stream }).iterator();
    await elements.next();
    const room = 1024 * 1024; // for the first bytes of the source and for the slab
    expect(one.pulled() * LINE.length).toBeLessThan(room);
    const { value } = await elements.next();
    expect((value as StreamElement).kind).toBe('line');
    expect(one.pulled() * LINE.length).toBeLessThan(room);
    await elements.return?.();
    await one.closed;
  });

  it('is ended at the limit of inspect', async () => {
    const two = generator(100_000);
    let seen = 0;
    await inspect({
      settings: resolveSettings({ inputs: [{ name: 'a.jsonl', stream: two.stream }] }),
      after: 'framing',
      see: () => void seen++,
      enough: () => seen >= 3,
    });
    expect(seen).toBe(3);
    await two.closed;
  });

  it('does not keep the run from being stopped when it yields empty chunks forever', async () => {
    async function* empty(): AsyncGenerator<Uint8Array> {
      for (;;) yield new Uint8Array(0);
    }
    const stop = new AbortController();
    setImmediate(() => stop.abort(new Error('stopped')));
    const run = build({ inputs: [{ name: 'a', stream: empty() }] }, { signal: stop.signal });
    await expect(run).rejects.toThrow('stopped');
  });
});
