import { expect, it } from 'vitest';
import { crc32 } from '../../src/crc32.ts';

const abc = new TextEncoder().encode('abc');

it('is the CRC-32 of all bytes so far', () => {
  expect(crc32(abc)).toBe(0x352441c2);
  expect(crc32(abc.subarray(1), crc32(abc.subarray(0, 1)))).toBe(0x352441c2);
});

it.each([
  ['a view of nothing', new Uint8Array(0)],
  ['a view of an empty buffer', Buffer.alloc(0).subarray(0, 0)],
  ['an empty part', abc.subarray(3)],
])('does not change with %s', (_what, empty) => {
  expect(crc32(empty)).toBe(0);
  expect(crc32(empty, crc32(abc))).toBe(0x352441c2);
});
