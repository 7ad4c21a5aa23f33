import { expect, test } from 'vitest';
import { RecordLines } from '../../../src/dataset/record-lines.ts';
import { recordStart } from '../../../src/dataset/shard-name.ts';

const begins = recordStart('data/a-00000.toml') ?? (() => true);
const line = Buffer.from;

test('a line that begins a record ends the previous one', () => {
  const records = new RecordLines(begins);
  expect(records.add(line('[[samples]]'))).toBeUndefined();
  expect(records.add(line('a = 1'))).toBeUndefined();
  expect(records.add(line(''))).toBeUndefined();
  const first = records.add(line('[[samples]]'));
  expect(first?.content.toString()).toBe('[[samples]]\na = 1\n');
  expect(first?.bytes).toBe(first?.content.length);
  expect(records.end()?.content.toString()).toBe('[[samples]]');
  expect(records.end()).toBeUndefined();
});

test('the first line begins a record, even if it is empty', () => {
  const records = new RecordLines(begins);
  expect(records.end()).toBeUndefined();
  records.add(line(''));
  records.add(line('b'));
  expect(records.end()?.content.toString()).toBe('\nb');
});

test('a record keeps only the requested bytes but has its full length', () => {
  const records = new RecordLines(begins, 14);
  records.add(line('[[samples]]'));
  records.add(line('abc'), 300);
  records.add(line('def'));
  expect(records.end()).toEqual({ bytes: 11 + 1 + 300 + 1 + 3, content: line('[[samples]]\nab') });
});

test("a line's memory may be reused once the line was added", () => {
  const room = line('[[samples]]');
  const records = new RecordLines(begins);
  records.add(room);
  room.fill(0);
  expect(records.end()?.content.toString()).toBe('[[samples]]');
});
