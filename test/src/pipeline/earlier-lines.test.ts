import { appendFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { readEarlierLines } from '../../../src/pipeline/earlier-lines.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { randomFrom } from '../../support/plain-logs.ts';

function written(lines: readonly string[]): { path: string; bytes: number } {
  const path = join(temporaryFolder(), 'lines');
  const text = lines.map((line) => `${line}\n`).join('');
  writeFileSync(path, text);
  return { path, bytes: Buffer.byteLength(text) };
}

it('gives every line, of any length, parked at any of them', () => {
  const random = randomFrom(3);
  const lines = Array.from({ length: 300 }, (_, i) => {
    const size = Math.floor(random() ** 8 * 2_000_000);
    return String.fromCharCode(97 + (i % 26)).repeat(size);
  });
  const { path, bytes } = written([...lines, 'é', '']);
  for (const parking of [0, 0.3, 1]) {
    const reader = readEarlierLines(path, bytes);
    const found: string[] = [];
    for (let line = reader.next(); line !== undefined; line = reader.next()) {
      found.push(line.toString());
      if (random() < parking) reader.park();
    }
    expect(found).toEqual([...lines, 'é', '']);
    expect(reader.next()).toBeUndefined();
  }
});

it('ends where it is told to, whatever comes behind', () => {
  const { path, bytes } = written(['one', 'two']);
  appendFileSync(path, 'three\nfou');
  const reader = readEarlierLines(path, bytes);
  expect([reader.next(), reader.next(), reader.next()].map((line) => line?.toString())).toEqual([
    'one',
    'two',
    undefined,
  ]);
});

it.each([
  [3, 'does not end with a line feed'],
  [99, 'ends after 8 of 99 bytes'],
])('a file of which %i bytes should count: invalid-dataset', (bytes, message) => {
  const { path } = written(['one', 'two']);
  const reader = readEarlierLines(path, bytes);
  expect(() => {
    while (reader.next() !== undefined);
  }).toThrow(expect.objectContaining({ code: 'invalid-dataset', message: expect.stringContaining(message) }));
});

it('a file that is gone is an input/output error', () => {
  expect(() => readEarlierLines('/nowhere/at-all', 5).next()).toThrow(
    expect.objectContaining({ code: 'io' }),
  );
});
