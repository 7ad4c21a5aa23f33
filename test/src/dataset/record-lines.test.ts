import { expect, test } from 'vitest';
import { RecordLines } from '../../../src/dataset/record-lines.ts';
import { recordStart } from '../../../src/dataset/shard-name.ts';

const begins = recordStart('data/a-00000.toml') ?? (() => true);
const line = Buffer.from;

test('a line that begins a record ends the one before it', () => {
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

test('the first line begins a record, whatever it says, also when it is empty', () => {
  const records = new RecordLines(begins);
  expect(records.end()).toBeUndefined();
  records.add(line(''));
  records.add(line('b'));
  expect(records.end()?.content.toString()).toBe('\nb');
});

test('a record is kept as far as it is wanted, and its length is the whole', () => {
  const records = new RecordLines(begins, 14);
  records.add(line('[[samples]]'));
  records.add(line('abc'), 300);
  records.add(line('def'));
  expect(records.end()).toEqual({ bytes: 11 + 1 + 300 + 1 + 3, content: line('[[samples]]\nab') });
});

test('the memory of a line may be used again once it was added', () => {
  const room = line('[[samples]]');
  const records = new RecordLines(begins);
  records.add(room);
  room.fill(0);
  expect(records.end()?.content.toString()).toBe('[[samples]]');
});
