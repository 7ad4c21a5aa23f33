import { appendFileSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { BlockSums } from '../../../src/reuse/block-sums.ts';
import { CheckedLines } from '../../../src/reuse/checked-lines.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { randomFrom } from '../../support/plain-logs.ts';

function sumsOf(content: Uint8Array): BlockSums {
  const sums = new BlockSums();
  // pieces end inside blocks
  for (let at = 0; at < content.length; at += 100_003) sums.add(content.subarray(at, at + 100_003));
  return sums;
}

function written(lines: readonly string[]): { path: string; bytes: number; sums: BlockSums } {
  const path = join(temporaryFolder(), 'lines');
  const text = lines.map((line) => `${line}\n`).join('');
  writeFileSync(path, text);
  return { path, bytes: Buffer.byteLength(text), sums: sumsOf(Buffer.from(text)) };
}

it('yields every line of any length, parked at any of them', () => {
  const random = randomFrom(3);
  const lines = Array.from({ length: 300 }, (_, i) => {
    const size = Math.floor(random() ** 8 * 2_000_000);
    return String.fromCharCode(97 + (i % 26)).repeat(size);
  });
  const { path, bytes, sums } = written([...lines, 'é', '']);
  for (const parking of [0, 0.3, 1]) {
    const reader = new CheckedLines(path, bytes, sums);
    const found: string[] = [];
    for (let line = reader.next(); line !== undefined; line = reader.next()) {
      found.push(line.toString());
      if (random() < parking) reader.park();
    }
    expect(found).toEqual([...lines, 'é', '']);
    expect(reader.next()).toBeUndefined();
  }
});

it('ends at the requested length, whatever follows', () => {
  const { path, bytes, sums } = written(['one', 'two']);
  appendFileSync(path, 'three\nfou');
  const reader = new CheckedLines(path, bytes, sums);
  expect([reader.next(), reader.next(), reader.next()].map((line) => line?.toString())).toEqual([
    'one',
    'two',
    undefined,
  ]);
});

it.each([
  [3, 'does not end with a line feed'],
  [99, 'ends after 8 of 99 bytes'],
])('reports invalid-dataset when %i bytes of the file should count', (bytes, message) => {
  const { path } = written(['one', 'two']);
  const reader = new CheckedLines(path, bytes, sumsOf(readFileSync(path).subarray(0, bytes)));
  expect(() => {
    while (reader.next() !== undefined);
  }).toThrow(expect.objectContaining({ code: 'invalid-dataset', message: expect.stringContaining(message) }));
});

it('reports io when the file is gone', () => {
  expect(() => new CheckedLines('/nowhere/at-all', 5, new BlockSums()).next()).toThrow(
    expect.objectContaining({ code: 'io' }),
  );
});

it.each([0, 0.5, 1])('reports io when a bit changes after the file was checked (parked %d)', (parking) => {
  const lines = Array.from({ length: 2000 }, (_, i) => `${i}`.repeat(40));
  const { path, bytes, sums } = written(lines);
  const content = readFileSync(path);
  for (const at of [0, 65_535, 65_536, 150_000, bytes - 1]) {
    writeFileSync(path, content.with(at, (content[at] ?? 0) ^ 1));
    const random = randomFrom(at);
    const reader = new CheckedLines(path, bytes, sums);
    let seen = 0;
    expect(() => {
      for (let line = reader.next(); line !== undefined; line = reader.next()) {
        expect(line.toString()).toBe(lines[seen++]);
        if (random() < parking) reader.park();
      }
    }).toThrow(expect.objectContaining({ code: 'io', subject: path }));
    reader.park();
  }
});

it('takes any number of bytes, and says when fewer are left', () => {
  const random = randomFrom(4);
  const content = Buffer.from(Array.from({ length: 400_000 }, (_, i) => (i * 31 + (i >> 8)) & 0xff));
  const path = join(temporaryFolder(), 'bytes');
  writeFileSync(path, content);
  const reader = new CheckedLines(path, content.length, sumsOf(content));
  for (let at = 0; at < content.length; ) {
    const count = Math.min(Math.ceil(random() ** 4 * 150_000), content.length - at);
    expect(reader.take(count)?.equals(content.subarray(at, at + count))).toBe(true);
    at += count;
    if (random() < 0.3) reader.park();
  }
  expect(reader.take(1)).toBeUndefined();
  const short = new CheckedLines(path, content.length, sumsOf(content));
  expect(() => short.take(content.length + 1)).toThrow('is cut');
  expect(short.take(content.length)?.equals(content)).toBe(true);
});
