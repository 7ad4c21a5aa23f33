/** Micro benchmarks of everything other than parsing JSON: framing, timestamps, stages as streams, writing records. */

import { Readable, Writable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { LineFramer } from '../../src/input/framing/lines.ts';
import chat, { chatRecord } from '../../transforms/formats/chat.ts';
import { createKeeper } from '../../transforms/json/keep.ts';
import type { StreamElement } from '../../transforms/model/element.ts';
import { parseEpoch, parseTimestamp } from '../../transforms/model/timestamp.ts';
import { fuse, type Handlers } from '../../transforms/stage.ts';
import { StageStream } from '../../transforms/stage-stream.ts';
import { generateCorpus } from '../corpus/generate.ts';
import { byteTape } from '../corpus/json-style.ts';
import type { CorpusSink } from '../corpus/sinks.ts';

export interface MicroCase {
  readonly name: string;
  /** Bytes handled by one call, for GB/s; undefined if bytes do not matter. */
  readonly bytes?: number;
  /** Items handled by one call, for nanoseconds per item. */
  readonly items: number;
  /** Returns a value that depends on all of the work, so that no part can be optimised away. */
  run(): number | Promise<number>;
}

const sampleBytes = 8_000_000;

/** Bytes of a log, and its lines without their line feeds. Lines of the same session are adjacent. */
export interface Sample {
  readonly bytes: Buffer;
  readonly lines: readonly Buffer[];
}

const makeSample = (): Sample => {
  const tape = byteTape(2 * sampleBytes);
  const ends: number[] = [];
  const sink: CorpusSink = {
    tape,
    beginSession: () => {},
    endLine: () => ends.push(tape.length),
    endSession: () => {},
    close: () => {},
  };
  generateCorpus({ kind: 'main', bytes: sampleBytes, seed: 1, growthEntries: 0 }, sink);
  const bytes = tape.bytes.subarray(0, tape.length);
  const lines = ends.map((end, line) => bytes.subarray(line === 0 ? 0 : ends[line - 1], end - 1));
  return { bytes, lines };
};

let cachedSample: Sample | undefined;

/** Returns the same sample each time. */
export const sample = (): Sample => {
  cachedSample ??= makeSample();
  return cachedSample;
};

/** Returns the elements of `request.messages` of a line. */
export const messagesOf = (line: Buffer): readonly object[] =>
  (JSON.parse(line.toString('utf8')) as { request: { messages: object[] } }).request.messages;

/** Copying with and without splitting into lines. */
export const framingCases = (): readonly MicroCase[] => {
  const { bytes, lines } = sample();
  const target = Buffer.alloc(256 * 1024);
  const shared = { bytes: bytes.length, items: lines.length };
  return [
    {
      ...shared,
      name: 'copy only',
      run: () => {
        let copied = 0;
        for (let at = 0; at < bytes.length; ) {
          const count = bytes.copy(target, 0, at);
          at += count;
          copied += count;
        }
        return copied;
      },
    },
    {
      ...shared,
      name: 'copy and cut into lines',
      run: () => {
        const framer = new LineFramer('micro', bytes.length);
        let cut = 0;
        for (let at = 0; at < bytes.length; ) {
          const count = bytes.copy(framer.space(), 0, at);
          for (const element of framer.filled(count)) cut += element.origin.length;
          at += count;
        }
        return cut;
      },
    },
  ];
};

const timeCount = 1000;

const timesCase = (
  name: string,
  parse: (text: string) => bigint | undefined,
  texts: readonly string[],
): MicroCase => ({
  name,
  items: texts.length,
  run: () => texts.reduce((sum, text) => sum + (parse(text) === undefined ? 0 : 1), 0),
});

/** ISO 8601 and seconds since 1970. */
export const timestampCases = (): readonly MicroCase[] => {
  const dates = Array.from({ length: timeCount }, (_, i) => new Date(1_768_284_000_000 + i * 61_001));
  return [
    timesCase(
      'ISO 8601',
      parseTimestamp,
      dates.map((date) => date.toISOString()),
    ),
    timesCase(
      'seconds since 1970',
      parseEpoch,
      dates.map((date) => String(date.getTime() / 1000)),
    ),
  ];
};

const elementCount = 4096;
const stages = 3;
const batchElements = 64;

const handlers: Handlers = { 'session-end': (end) => [end] };
const elements: readonly StreamElement[] = Array.from({ length: elementCount }, (_, i) => ({
  kind: 'session-end',
  origin: { source: 'a', line: i + 1, offset: i, length: 1 },
  last: false,
}));
const batches = Array.from({ length: elementCount / batchElements }, (_, i) =>
  elements.slice(i * batchElements, (i + 1) * batchElements),
);

const through = async (chunks: readonly object[]): Promise<number> => {
  const chain = Array.from({ length: stages }, () => new StageStream(handlers));
  let count = 0;
  const sink = new Writable({
    objectMode: true,
    highWaterMark: 1,
    write(chunk: object, _encoding, done) {
      count += Array.isArray(chunk) ? chunk.length : 1;
      done();
    },
  });
  await pipeline([Readable.from(chunks, { objectMode: true, highWaterMark: 1 }), ...chain, sink]);
  return count;
};

export const stageStreamCases = (): readonly MicroCase[] => [
  { name: 'streams, element by element', items: elementCount, run: () => through(elements) },
  { name: `streams, batches of ${batchElements}`, items: elementCount, run: () => through(batches) },
  {
    name: 'fused',
    items: elementCount,
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

/** Writing the messages of one long line. */
export const writingCases = (): readonly MicroCase[] => {
  const longest = sample().lines.toSorted((a, b) => b.length - a.length)[0] as Buffer;
  const objects = messagesOf(longest);
  const messages = objects.map((message) => ({ bytes: Buffer.from(JSON.stringify(message)), role: 'user' }));
  const bytes = chatRecord(messages, []).length;
  return [
    {
      name: `format ${chat.name}: slices put together`,
      bytes,
      items: 1,
      run: () => chatRecord(messages, []).length,
    },
    {
      name: 'copies that outlive their line (keep)',
      bytes,
      items: messages.length,
      run: () => {
        const keep = createKeeper();
        return messages.reduce(
          (sum, message) => sum + keep(message.bytes, 0, message.bytes.length).length,
          0,
        );
      },
    },
    {
      name: 'JSON.stringify to bytes',
      bytes,
      items: 1,
      run: () => Buffer.from(JSON.stringify({ messages: objects, tools: [] })).length,
    },
  ];
};
