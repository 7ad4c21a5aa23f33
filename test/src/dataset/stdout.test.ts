import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { StdoutSink } from '../../../src/dataset/stdout.ts';
import { compiledSink } from './compiled.ts';
import { temporaryFolder } from './temporary.ts';

const folder = temporaryFolder();
const bytes = (text: string) => new TextEncoder().encode(text);

describe('the stdout sink, in process', () => {
  test('batches small records and delays none for long', async () => {
    const chunks: string[] = [];
    const sink = new StdoutSink(
      new Writable({
        write(chunk, _, done) {
          chunks.push(String(chunk));
          done();
        },
      }),
    );
    expect(sink.write(bytes('a'))).toBeUndefined();
    expect(sink.write(bytes('b'))).toBeUndefined();
    expect(chunks).toEqual([]);
    await expect.poll(() => chunks).toEqual(['a\nb\n']);
    sink.write(bytes('c'));
    await sink.end();
    expect(chunks).toEqual(['a\nb\n', 'c\n']);
    expect([sink.records, sink.bytes]).toEqual([3, 6]);
  });

  test('F144 applies backpressure while the reader is slow', async () => {
    const stream = new PassThrough({ highWaterMark: 1000 });
    const sink = new StdoutSink(stream);
    const wait = sink.write(new Uint8Array(70_000));
    expect(wait).toBeInstanceOf(Promise);
    let waited = false;
    void wait?.then(() => {
      waited = true;
    });
    await setImmediate();
    expect(waited).toBe(false);
    stream.resume();
    await wait;
    await sink.end();
  });

  test('reports a failed timed write at the next call and never throws it from the timer', async () => {
    let failed = false;
    const sink = new StdoutSink(
      new Writable({
        write(_chunk, _encoding, done) {
          failed = true;
          done(Object.assign(new Error('x'), { code: 'EPIPE' }));
        },
      }),
    );
    sink.write(bytes('a'));
    await expect.poll(() => failed).toBe(true);
    await setImmediate(); // the stream emits its error later
    await expect(sink.write(bytes('b'))).rejects.toMatchObject({ code: 'broken-pipe' });
    await expect(sink.end()).rejects.toMatchObject({ code: 'broken-pipe' });
  });

  test('reports a stream that someone else closed as an io fault', async () => {
    const stream = new PassThrough({ highWaterMark: 1 });
    const sink = new StdoutSink(stream);
    const wait = sink.write(new Uint8Array(70_000));
    stream.destroy();
    await expect(wait).rejects.toMatchObject({ code: 'io' });
  });

  test('writes every byte to a file or device itself', async () => {
    const stream = createWriteStream('', { fd: openSync(folder.in('a'), 'w') });
    const sink = new StdoutSink(stream as unknown as Writable & { fd: number });
    for (let i = 0; i < 1000; i += 1) await sink.write(bytes(`${i}`.repeat(100)));
    await sink.end();
    expect(readFileSync(folder.in('a'), 'utf8').split('\n').length).toBe(1001);
    stream.destroy();
  });
});

describe('the stdout sink, in a process', () => {
  const build = mkdtempSync(join(tmpdir(), 'turnmill-compiled-'));
  let module: string;
  beforeAll(() => {
    module = compiledSink(build, 'stdout');
  });
  afterAll(() => rmSync(build, { recursive: true, force: true }));

  /** Writes 20 MB of records and prints the fault's code, or `done`, to stderr. */
  async function run(command: (node: string) => string): Promise<{ out: string; err: string }> {
    const script = `import { StdoutSink } from ${JSON.stringify(module)};
      const sink = new StdoutSink();
      try {
        for (let i = 0; i < 20000; i++) await sink.write(Buffer.alloc(1000, "x"));
        await sink.end();
        console.error("done", process.memoryUsage.rss() < 150e6 ? "small" : "large");
      } catch (error) { console.error(error.code); }`;
    const node = `"${process.execPath}" --input-type=module -e '${script}'`;
    const child = spawn('sh', ['-c', command(node)]);
    let out = '';
    let err = '';
    child.stdout.on('data', (chunk) => (out += chunk));
    child.stderr.on('data', (chunk) => (err += chunk));
    await once(child, 'close');
    return { out: out.trim(), err: err.trim() };
  }

  test('writes every byte to a pipe', async () => {
    expect(await run((node) => `${node} | (sleep 0.3; wc -c)`)).toEqual({
      out: '20020000',
      err: 'done small',
    });
  });
  test('writes every byte to a file', async () => {
    const path = folder.in('out');
    expect(await run((node) => `${node} > ${path}; wc -c < ${path}`)).toEqual({
      out: '20020000',
      err: 'done small',
    });
  });
  test('F029 reports broken-pipe when the reader goes away', async () => {
    expect(await run((node) => `${node} | head -c 10`)).toEqual({ out: 'xxxxxxxxxx', err: 'broken-pipe' });
  });
  test('F020 reports io for /dev/full', async () => {
    expect((await run((node) => `${node} > /dev/full`)).err).toBe('io');
  });
  test('F022 reports io at a file size limit', async () => {
    expect((await run((node) => `prlimit --fsize=100000 ${node} > ${folder.in('out')}`)).err).toBe('io');
  });
  test('writes to /dev/null', async () => {
    expect((await run((node) => `${node} > /dev/null`)).err).toBe('done small');
  });
});
