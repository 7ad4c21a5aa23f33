import { expect, test } from 'vitest';
import { parseSize, plural, showCount, showDuration, showSize } from '../../src/sizes.ts';

test.each([
  ['0', 0],
  ['4096', 4096],
  ['1k', 1024],
  ['512k', 512 * 1024],
  ['1K', 1024],
  ['1kB', 1000],
  ['1KiB', 1024],
  ['100MB', 100_000_000],
  ['100MiB', 104_857_600],
  ['1GiB', 2 ** 30],
  ['1g', 2 ** 30],
  ['2TB', 2e12],
  ['7b', 7],
])('%s is %d bytes', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes);
});

test.each([
  '',
  '1e3',
  '0x10',
  '-1',
  '1.5G',
  'G',
  '1GG',
  '1iB',
  '1Ki',
  '9007199254740993',
  '99999999999T',
  ' 1',
  '1 PiB',
])('%j is not a size', (text) => {
  expect(parseSize(text)).toBeUndefined();
});

test('sizes, counts and times are readable', () => {
  expect([0, 1023, 1024, 1536, 2 ** 30, 350 * 2 ** 20].map(showSize)).toEqual([
    '0 B',
    '1023 B',
    '1 KiB',
    '1.5 KiB',
    '1 GiB',
    '350 MiB',
  ]);
  expect([0, 999, 1000, 1234567].map(showCount)).toEqual(['0', '999', '1,000', '1,234,567']);
  expect([0, 1, 2000].map((n) => plural(n, 'shard'))).toEqual(['0 shards', '1 shard', '2,000 shards']);
  expect([0, 9_940, 12_000, 185_000, 7_620_000].map(showDuration)).toEqual([
    '0.0 s',
    '9.9 s',
    '12 s',
    '3 min 05 s',
    '2 h 07 min',
  ]);
});
