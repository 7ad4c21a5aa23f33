/** The viewer's index counts and separates records of several lines as `build` has written them. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { RecordIndex } from '../../../src/view/record-index.ts';
import { temporaryFolder } from '../../support/folder.ts';

const RECORDS = 700;
const trace = (i: number): string =>
  [
    `{"type":"session","harness":"unknown","id":"s${i}"}`,
    ...Array.from({ length: (i * 7) % 5 }, (_, k) => `{"type":"message","message":{"at":${k}}}`),
  ].join('\n');
const table = (i: number): string => `[[samples]]\nmessages = [\n  "${'é'.repeat(i % 9)}[[samples]]",\n]\n`;
const line = (i: number): string => `{"messages":[],"i":${i}}`;

function indexed(shard: string, records: readonly string[]): RecordIndex {
  const path = join(temporaryFolder(), 'unpacked');
  writeFileSync(path, records.map((record) => `${record}\n`).join(''));
  const index = new RecordIndex(path, shard);
  onTestFinished(() => index.close());
  return index;
}

test.each([
  ['data/a-00000.sts.jsonl', trace],
  ['data/a-00000.sts.jsonl.zst', trace],
  ['data/a-00000.toml', table],
  ['data/a-00000.toml.gz', table],
  ['data/a-00000.jsonl', line],
])('has the records of every page: %s', (shard, make) => {
  const all = Array.from({ length: RECORDS }, (_, i) => make(i));
  const index = indexed(shard, all);
  expect(index.records).toBe(RECORDS);
  for (const [from, count] of [
    ...Array.from({ length: 40 }, (_, from) => [from, 1] as const),
    ...([
      [0, RECORDS],
      [0, 50],
      [50, 50],
      [137, 200],
      [RECORDS - 3, 50],
      [RECORDS - 1, 1],
    ] as const),
  ]) {
    const page = index.page(from, count);
    expect(page.map(({ content }) => content.toString())).toEqual(all.slice(from, from + count));
    expect(page.map(({ bytes }) => bytes)).toEqual(page.map(({ content }) => content.length));
  }
  for (const [from, count] of [
    [-1, 1],
    [RECORDS, 1],
    [0, 0],
  ] as const)
    expect(index.page(from, count)).toEqual([]);
});

test('reads the requested part of a record and knows its full length', () => {
  const index = indexed('data/a-00000.sts.jsonl', [trace(1), trace(2)]);
  for (const most of [1, 49, 50, 60, 1000]) {
    const page = index.page(0, 2, most);
    expect(page.map(({ content }) => content.toString())).toEqual(
      [trace(1), trace(2)].map((text) => text.slice(0, most)),
    );
    expect(page.map(({ bytes }) => bytes)).toEqual([trace(1).length, trace(2).length]);
  }
});

test('takes lines before the first header for a record, as an update does', () => {
  const index = indexed('data/a-00000.sts.jsonl', ['', '{"type":"message"}', trace(1)]);
  expect(index.records).toBe(2);
  expect(index.page(0, 1)).toEqual([{ bytes: 19, content: Buffer.from('\n{"type":"message"}') }]);
});

test('finds a record whose first line spans two reads of the file', () => {
  for (const [shard, make] of [
    ['data/a-00000.toml', table],
    ['data/a-00000.sts.jsonl', trace],
  ] as const) {
    const rest = make(1);
    for (const into of [0, 1, 5, 20]) {
      const first = `${rest.slice(0, rest.indexOf('\n') + 1)}${'x'.repeat(1024 * 1024 - into - 2 - rest.indexOf('\n'))}`;
      const index = indexed(shard, [first, rest]);
      expect([into, index.records]).toEqual([into, 2]);
      expect(index.page(1, 1)[0]?.content.toString()).toBe(rest);
    }
  }
});
