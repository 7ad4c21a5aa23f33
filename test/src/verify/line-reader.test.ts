import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { readLines } from '../../../src/verify/line-reader.ts';
import { Problems } from '../../../src/verify/problems.ts';
import { hasZstd, zstd } from '../../support/zstd.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'turnmill-lines-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

async function read(
  bytes: string | Uint8Array,
  name = 'f.jsonl',
): Promise<{ values: unknown[]; problems: string[] }> {
  writeFileSync(join(folder, name), bytes);
  const problems = new Problems();
  const values: unknown[] = [];
  for await (const { value } of readLines(join(folder, name), name, problems)) values.push(value);
  return { values, problems: problems.kept.map(({ message }) => message) };
}

test('finds no line and no problem in an empty file', async () => {
  expect(await read('')).toEqual({ values: [], problems: [] });
});

test('ends lines only at line feeds', async () => {
  expect(await read('{"a":"\u2028"}\n{"b":1}\n')).toEqual({
    values: [{ a: '\u2028' }, { b: 1 }],
    problems: [],
  });
});

test('reads and reports a last line without a line feed', async () => {
  expect(await read('{}')).toEqual({
    values: [{}],
    problems: ['expected a newline as the last byte, found none'],
  });
});

test('reports bytes that are not UTF-8, also when the file ends inside a character', async () => {
  const { problems } = await read(Buffer.from('{"a":"\xff"}\n', 'latin1'));
  expect(problems).toEqual(['expected UTF-8, found invalid bytes']);
  expect((await read(Buffer.from('{}\n\xc3', 'latin1'))).problems[0]).toBe(
    'expected UTF-8, found invalid bytes',
  );
});

test('never shows the content of a line in a problem', async () => {
  const { values, problems } = await read('secret\n"secret"\n\n{}\n');
  expect(values).toEqual([undefined, undefined, undefined, {}]);
  expect(problems).toHaveLength(3);
  expect(problems.join()).not.toContain('secret');
});

test('reads all members of a gzip file', async () => {
  const packed = Buffer.concat([gzipSync('{"a":1}\n'), gzipSync('{"b":2}\n')]);
  expect(await read(packed, 'f.jsonl.gz')).toEqual({ values: [{ a: 1 }, { b: 2 }], problems: [] });
});

test('reports a truncated gzip file without throwing', async () => {
  const { problems } = await read(gzipSync('{"a":1}\n').subarray(0, -4), 'f.jsonl.gz');
  expect(problems.join()).toContain('expected gzip data, found');
});

test('reports bytes after the gzip data without throwing', async () => {
  for (const bytes of [[0], [0x0a], [0x1f], [0, 0, 0x1f, 0x8b], Array<number>(300).fill(0)]) {
    const packed = Buffer.concat([gzipSync('{"a":1}\n'), Buffer.from(bytes)]);
    for (let again = 0; again < 20; again++) {
      const { problems } = await read(packed, 'f.jsonl.gz');
      expect(problems.join()).toContain('expected gzip data, found');
    }
  }
});

/** Counts characters that are split while `work` runs: with every chunk split2 splits everything that it holds. */
async function splitChars(work: () => Promise<void>): Promise<number> {
  const { split } = String.prototype;
  let chars = 0;
  String.prototype.split = function (this: string, ...args: Parameters<typeof split>) {
    chars += this.length;
    return split.apply(this, args);
  } as typeof split;
  try {
    await work();
  } finally {
    String.prototype.split = split;
  }
  return chars;
}

test('splits a line of 16 MB a few times, not once for every 64 kB', async () => {
  const line = JSON.stringify({ long: 'x'.repeat(16 * 1024 * 1024) });
  const chars = await splitChars(async () => {
    const { values, problems } = await read(`${line}\n{}\n`);
    expect(values).toHaveLength(2);
    expect(problems).toEqual([]);
  });
  expect(chars).toBeGreaterThan(line.length); // the count does see the splitter
  expect(chars).toBeLessThan(10 * line.length);
});

test('throws a fault for a file that cannot be read', async () => {
  const reading = readLines(join(folder, 'none'), 'none', new Problems()).next();
  await expect(reading).rejects.toMatchObject({ name: 'TurnmillError', code: 'io' });
});

describe.skipIf(!hasZstd)('zstd', () => {
  const packed = Buffer.concat([zstd('{"a":1}\n'), zstd('{"b":2}\n')]);

  test('reads all frames of a file, and a long line', async () => {
    expect(await read(packed, 'f.jsonl.zst')).toEqual({ values: [{ a: 1 }, { b: 2 }], problems: [] });
    const long = zstd(`{"a":"${'x'.repeat(9_000_000)}"}\n`);
    const { values, problems } = await read(Buffer.concat([packed, long]), 'f.jsonl.zst');
    expect([values.length, problems]).toEqual([3, []]);
  });

  test('reports damaged data', async () => {
    const wrong = Buffer.from(packed);
    wrong[wrong.length - 1] = (wrong.at(-1) as number) ^ 1;
    const cut = [1, 2, 4, 5, 10].map((bytes) => packed.subarray(0, -bytes));
    const followed = ['g', 'garbage', '\0', '\x28\xb5\x2f'].map((bytes) =>
      Buffer.concat([packed, Buffer.from(bytes, 'latin1')]),
    );
    for (const damaged of [wrong, ...cut, ...followed]) {
      const { problems } = await read(damaged, 'f.jsonl.zst');
      expect(problems.join()).toContain('expected zstd data, found ');
    }
  });
});
