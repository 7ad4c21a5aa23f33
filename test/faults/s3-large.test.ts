/**
 * Large inputs and outputs in a store, within the memory that docs/reference/s3.md promises: an object of 5 GB that the store generates on the fly,
 * hundreds of objects with 64 of them open at a time, and an output of many parts. Takes a few minutes:
 * npm run build && TURNMILL_FAULTS=all npx vitest run test/faults/s3-large.test.ts
 */
import { expect } from 'vitest';
import { entryLine } from '../support/build-logs.ts';
import { faultTest } from '../support/faults.ts';
import { runMeasured } from '../support/peak.ts';
import { startStore } from '../support/s3-logs.ts';
import type { Body, S3Server } from '../support/s3-server.ts';

const MIB = 1024 * 1024;
const LINE_BYTES = 64 * 1024;
/** The memory of a run on files beyond its lines, and what a store adds to it beyond the window and the parts (docs/reference/s3.md). */
const FILES_BYTES = 135e6;
const STORE_BYTES = 60e6;

const NUMBER = '0000000000';
/** One session with room for its number. */
const TEMPLATE = ((): Buffer => {
  const lineOf = (text: string): string =>
    `${entryLine({ id: NUMBER, messages: [{ role: 'user', content: text }] })}\n`;
  return Buffer.from(lineOf('x'.repeat(LINE_BYTES - lineOf('').length)));
})();
const NUMBER_AT = TEMPLATE.indexOf(NUMBER);

/** An object of `count` sessions, generated on request. */
function sessions(count: number, first = 0): Body {
  return {
    size: count * LINE_BYTES,
    read(from, to) {
      const begin = Math.floor(from / LINE_BYTES);
      const lines = Array.from({ length: Math.ceil(to / LINE_BYTES) - begin }, (_, i) => {
        const line = Buffer.from(TEMPLATE);
        line.write(String(first + begin + i).padStart(NUMBER.length, '0'), NUMBER_AT, 'latin1');
        return line;
      });
      return Buffer.concat(lines).subarray(from - begin * LINE_BYTES, to - begin * LINE_BYTES);
    },
  };
}

async function peakOf(
  server: S3Server,
  args: readonly string[],
  allowedBytes: number,
): Promise<{ readonly text: string }> {
  const words = [...args, '--workers', '1', '--session-by', 'run', '--s3-endpoint', server.endpoint];
  const { status, stdout, stderr, peakMb } = await runMeasured(words);
  const text = `${stdout.toString()}${stderr}`;
  expect([status, text]).toEqual([0, expect.any(String)]);
  const most = FILES_BYTES + STORE_BYTES + 3 * LINE_BYTES + allowedBytes;
  expect(peakMb * MIB).toBeLessThanOrEqual(most);
  return { text };
}

faultTest(
  'S033',
  'an object of 5 GB is read in ranges, within the memory of the window',
  { long: true },
  async () => {
    const server = await startStore();
    const count = Math.ceil(5e9 / LINE_BYTES);
    server.put('bucket/logs/large.jsonl', sessions(count));
    const { text } = await peakOf(server, ['check', 's3://bucket/logs/'], 64 * MIB);
    expect(text).toContain(`${count.toLocaleString('en-US')}`);
    const gets = server.requests.filter(({ kind }) => kind === 'get');
    expect(gets.length).toBe(Math.ceil((count * LINE_BYTES) / (8 * MIB)));
  },
);

faultTest(
  'S033',
  '300 objects of 2 MB, 64 of them open at a time, stay within their window',
  { long: true },
  async () => {
    const server = await startStore();
    for (let i = 0; i < 300; i++) server.put(`bucket/logs/${i}.jsonl`, sessions(32, i * 32));
    const fault = server.holdDownloads(64);
    const options = ['--s3-in-flight', '64', '--s3-window', '160MiB'];
    const { text } = await peakOf(server, ['check', 's3://bucket/logs/', ...options], 160 * MIB);
    expect(fault.fired).toBe(64);
    expect(server.mostOpen).toBe(64);
    expect(text).toContain('9,600');
  },
);

faultTest('S033', 'an output of many parts takes the memory of four parts', { long: true }, async () => {
  const server = await startStore();
  for (let i = 0; i < 8; i++) server.put(`bucket/logs/${i}.jsonl`, sessions(600, i * 600));
  const partBytes = 16 * MIB;
  const args = ['build', 's3://bucket/logs/', '--out', 's3://bucket/ds/', '--group-by', 'none'];
  await peakOf(server, args, 64 * MIB + 4 * partBytes);
  expect(server.requests.filter(({ kind }) => kind === 'part').length).toBeGreaterThan(15);
  expect(server.uploads.size).toBe(0);
});
