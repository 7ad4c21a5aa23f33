import { expect, test } from 'vitest';
import {
  allowedBytes,
  checkLimits,
  RATIO_FROM_BYTES,
  UNLIMITED,
} from '../../../../src/input/decompress/limits.ts';

const limits = { maxDecompressed: 1e12, maxRatio: undefined };
const FROM = RATIO_FROM_BYTES;
const refused = expect.objectContaining({ reason: 'decompression-limit' });

test.each<[string, 'gzip' | 'zstd', number, number]>([
  ['any ratio up to a size', 'gzip', FROM, 1],
  ['200 times of gzip', 'gzip', 2 * FROM, FROM / 100],
  ['10,000 times of zstd', 'zstd', 2 * FROM, FROM / 5000],
  ['as much as is allowed', 'gzip', 1e12, 1e12],
])('F076 allows %s', (_, packing, yieldedBytes, read) => {
  expect(() => checkLimits(limits, packing, yieldedBytes, read)).not.toThrow();
});

test('F076 refuses more than the size, or more than the ratio beyond a size, each by its flag', () => {
  expect(() => checkLimits(limits, 'gzip', 1e12 + 1, 1e12)).toThrow(refused);
  expect(() => checkLimits(limits, 'gzip', 2 * FROM, FROM / 100 - 1)).toThrow(refused);
  expect(() => checkLimits(limits, 'zstd', 2 * FROM, FROM / 5000 - 1)).toThrow(refused);
  expect(() => checkLimits({ ...limits, maxRatio: 1000 }, 'gzip', 2 * FROM, FROM / 500)).not.toThrow();
  expect(() => checkLimits({ ...limits, maxRatio: 1000 }, 'zstd', 2 * FROM, FROM / 501)).toThrow(refused);
  expect(() => checkLimits({ ...limits, maxDecompressed: 10 }, 'gzip', 11, 11)).toThrow(refused);
  expect(() => checkLimits(UNLIMITED, 'gzip', 1e15, 1)).not.toThrow();
});

test('F076 accepts the limit and refuses one byte more', () => {
  expect(allowedBytes({ ...limits, maxRatio: 1.5 }, 'gzip', 400_000_001)).toBe(600_000_001);
  expect(allowedBytes({ ...limits, maxRatio: 1.5 }, 'gzip', 1)).toBe(FROM);
  expect(allowedBytes({ ...limits, maxDecompressed: 10 }, 'gzip', 1)).toBe(10);
  for (const maxDecompressed of [10, 1e12]) {
    for (const read of [1, 1e6 + 1, 1e9]) {
      const some = { maxDecompressed, maxRatio: 1.5 };
      const allowed = allowedBytes(some, 'gzip', read);
      expect(() => checkLimits(some, 'gzip', allowed, read)).not.toThrow();
      expect(() => checkLimits(some, 'gzip', allowed + 1, read)).toThrow(refused);
    }
  }
});
