/**
 * F050 to F052: lines of a gigabyte, a million levels of nesting, a million keys, messages and tools, a string of 200 MB. Memory stays
 * within 150 MB plus a few times --max-line, the line becomes one record with its place, and the lines after it are read.
 */
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createGzip } from 'node:zlib';
import { describe, expect } from 'vitest';
import { formats } from '../../transforms/formats/index.ts';
import { buildLogs, entryLine, readDataset } from '../support/build-logs.ts';
import { faultTest } from '../support/faults.ts';
import { temporaryFolder } from '../support/folder.ts';
import { type Measured, runMeasured } from '../support/peak.ts';

const MB = 1024 * 1024;
const BASE_MB = 150;
const GIGABYTE = 1024 * MB;
/** The slab grows by copying, so old and new slab may exist at the same time. */
const SLAB_COST = 2;

async function buildFrom(
  chunks: Iterable<string | Uint8Array> | undefined,
  args: readonly string[],
): Promise<Measured & ReturnType<typeof readDataset>> {
  const out = join(temporaryFolder(), 'out');
  const shared = ['--out', out, '--group-by', 'none', '--workers', '1'];
  const run = await runMeasured(
    ['build', ...(chunks === undefined ? [] : ['-']), ...args, ...shared],
    chunks,
  );
  expect([0, 3], run.stderr).toContain(run.status);
  return { ...run, ...readDataset(out) };
}

const good = (at: number): string => `${entryLine({ at })}\n`;

function* times(chunk: Uint8Array, bytes: number): Generator<Uint8Array> {
  for (let left = bytes; left > 0; left -= chunk.length) yield chunk.subarray(0, left);
}

function* around(begin: string, chunk: string, bytes: number, end: string): Generator<string | Uint8Array> {
  yield good(1);
  yield begin;
  yield* times(Buffer.from(chunk.repeat(MB / chunk.length)), bytes);
  yield end;
}

const shapes: Readonly<Record<string, () => Generator<string | Uint8Array>>> = {
  'valid JSON': () => around('{"a":"', 'x', GIGABYTE, `"}\n${good(2)}`),
  garbage: () => around('', '\0\xff{[', GIGABYTE, `\n${good(2)}`),
  'brackets without an end': () => around('', '[{"a":', GIGABYTE - (GIGABYTE % 6), `\n${good(2)}`),
  'no line feed at all': () => around('{"a":"', 'x', GIGABYTE, ''),
};

describe('F050 a line of a gigabyte', () => {
  for (const [kind, chunks] of Object.entries(shapes)) {
    faultTest(
      'F050',
      `${kind}: one quarantine record with its place, and the lines after it are read`,
      { long: true },
      async () => {
        const { status, sums, quarantine, peakMb } = await buildFrom(chunks(), ['--max-line', '16MiB']);
        const after = kind === 'no line feed at all' ? 0 : 1;
        expect([status, sums.fates]).toEqual([
          3,
          { 'rejected:line-too-long': 1, snapshot: 1, ...(after === 1 ? { superseded: 1 } : {}) },
        ]);
        expect(quarantine).toMatchObject([{ reason: 'line-too-long', line: 2, byte_start: good(1).length }]);
        expect((quarantine[0]?.byte_end ?? 0) - good(1).length).toBeGreaterThan(0.99 * GIGABYTE);
        expect(quarantine[0]).not.toHaveProperty('raw_b64');
        expect(peakMb).toBeLessThan(BASE_MB + SLAB_COST * 16);
      },
    );
  }

  faultTest(
    'F050',
    'packed to a megabyte: rejected by its ratio, or read with --max-ratio',
    { long: true },
    async () => {
      const path = join(temporaryFolder(), 's.jsonl.gz');
      const packed: Buffer[] = [];
      const gzip = createGzip();
      gzip.on('data', (chunk: Buffer) => packed.push(chunk));
      for (const chunk of shapes['valid JSON']?.() ?? [])
        if (!gzip.write(chunk)) await new Promise((go) => gzip.once('drain', go));
      const packedAll = once(gzip, 'end');
      gzip.end();
      await packedAll;
      writeFileSync(path, Buffer.concat(packed));
      const bomb = await buildFrom(undefined, [path, '--max-line', '16MiB']);
      expect(bomb.sums.fates).toEqual({ 'rejected:decompression-limit': expect.any(Number) });
      const args = [path, '--max-line', '16MiB', '--max-ratio', '2000'];
      const { sums, peakMb } = await buildFrom(undefined, args);
      expect(sums.fates).toEqual({ 'rejected:line-too-long': 1, snapshot: 1, superseded: 1 });
      expect(peakMb).toBeLessThan(BASE_MB + SLAB_COST * 16);
    },
  );
});

const nested = (open: string, levels: number, close: string): string =>
  `${open.repeat(levels)}0${close.repeat(levels)}`;
const LEVELS = [513, 100_000, 1_000_000];

describe('F051 deep nesting', () => {
  faultTest(
    'F051',
    'in a message, a tool, the reply and unread members: too-deep, and the other lines are read',
    {},
    async () => {
      const places = [
        entryLine({ messages: [{ role: 'user', content: '@' }] }),
        entryLine({ tools: [{ name: 'f', parameters: '@' }] }),
        entryLine({ reply: { role: 'assistant', content: '@' } }),
        '{"unread":"@"}',
        '"@"',
      ];
      const deep = LEVELS.flatMap((levels) => [
        nested('[', levels, ']'),
        nested('{"a":', levels, '}'),
        '['.repeat(levels),
      ]);
      const bad = places.flatMap((place) => deep.map((json) => place.replace('"@"', () => json)));
      const log = [entryLine(), ...bad, entryLine({ at: 2 }), ''].join('\n');
      const { status, sums, peakMb } = await buildFrom([log], []);
      expect([status, sums.fates]).toEqual([
        3,
        { 'rejected:too-deep': bad.length, snapshot: 1, superseded: 1 },
      ]);
      expect(peakMb).toBeLessThan(BASE_MB + 50);
    },
  );

  for (const { name } of formats) {
    faultTest(
      'F051',
      `in arguments that are a string: no crash, and no record over 512 levels, ${name}`,
      { long: name !== 'chat-inline' },
      async () => {
        const files = Object.fromEntries(
          LEVELS.flatMap((levels) => [
            nested('[', levels, ']'),
            nested('{"a":', levels, '}'),
            '{"a":['.repeat(levels),
          ]).map((args, i) => {
            const tool_calls = [{ id: 'a', type: 'function', function: { name: 'f', arguments: args } }];
            const messages = [{ role: 'user', content: 'x' }];
            return [
              `${i}.jsonl`,
              entryLine({ messages, reply: { role: 'assistant', content: null, tool_calls } }),
            ] as const;
          }),
        );
        const { sums, records } = await buildLogs({ files: { ...files, 'good.jsonl': entryLine() } }, [
          '--format',
          name,
        ]);
        expect(sums.lines).toBe(10);
        for (const record of records) JSON.stringify(JSON.parse(record)); // JSON.parse recurses, and overflows at some thousand levels
      },
    );
  }
});

const MILLION = 1_000_000;
/** Memory per byte of a line that holds only the smallest messages or tools: their objects and their bytes. */
const SMALLEST_COST = 80;
const listOf = (text: (i: number) => string): string =>
  Array.from({ length: MILLION }, (_, i) => text(i)).join(',');
const filled = (parts: Parameters<typeof entryLine>[0], json: string): string =>
  entryLine(parts).replace('"@"', () => json);

describe('F052 huge counts and huge values', () => {
  const keys = `{${listOf((i) => `"k${i}":${i}`)}}`;
  const cases: Readonly<Record<string, () => string>> = {
    'a million keys in a value of a message': () =>
      filled({ messages: [{ role: 'user', content: 'x', more: '@' }] }, keys),
    'a million keys in a message': () => filled({ messages: '@' }, `[{"role":"user",${keys.slice(1)}]`),
    'a million keys in an entry': () => `${entryLine().slice(0, -1)},${keys.slice(1)}`,
    'a million messages': () =>
      filled({ messages: '@' }, `[${listOf(() => '{"role":"user","content":""}')}]`),
    'a million distinct messages': () =>
      filled({ messages: '@' }, `[${listOf((i) => `{"role":"user","content":"${i}"}`)}]`),
    'a million tools': () => filled({ tools: '@' }, `[${listOf((i) => `{"name":"f${i}"}`)}]`),
    'a million tools with one name': () =>
      filled({ tools: '@' }, `[${listOf((i) => `{"name":"f","v":${i}}`)}]`),
    'a million calls': () =>
      filled(
        { reply: { role: 'assistant', content: null, tool_calls: '@' } },
        `[${listOf((i) => `{"id":"${i}","function":{"name":"f","arguments":"{}"}}`)}]`,
      ),
    'a hundred thousand entries on a line': () =>
      Array.from({ length: MILLION / 10 }, (_, i) => entryLine({ at: new Date(i).toISOString() })).join(''),
  };

  for (const [kind, make] of Object.entries(cases)) {
    faultTest(
      'F052',
      `${kind}: with --max-elements a record, in bounded memory`,
      { long: true },
      async () => {
        const line = make();
        const limit = ['--max-elements', '2000000'];
        const { status, sums, peakMb, stderr } = await buildFrom([line, '\n'], limit);
        expect([status, sums.records], stderr).toEqual([0, 1]);
        expect(peakMb).toBeLessThan(BASE_MB + (SMALLEST_COST * line.length) / MB);
      },
    );
  }

  faultTest(
    'F052',
    'a string of 200 MB becomes a record, or a rejection with --max-line',
    { long: true },
    async () => {
      const text = (): Generator<string | Uint8Array> => {
        const [before = '', after = ''] = entryLine({
          at: 3,
          messages: [{ role: 'user', content: '@' }],
        }).split('@');
        return around(before, 'é', 200 * MB, `${after}\n`);
      };
      const whole = await buildFrom(text(), []);
      expect([whole.status, whole.sums.fates]).toEqual([0, { snapshot: 1, superseded: 1 }]);
      expect(whole.records[0]?.length).toBeGreaterThan(100 * MB);
      const limited = await buildFrom(text(), ['--max-line', '16MiB']);
      expect(limited.sums.fates).toEqual({ 'rejected:line-too-long': 1, snapshot: 1 });
      expect(limited.peakMb).toBeLessThan(BASE_MB + SLAB_COST * 16);
    },
  );
});
