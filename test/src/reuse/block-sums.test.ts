import { expect, it } from 'vitest';
import { BLOCK_BYTES, BlockSums } from '../../../src/reuse/block-sums.ts';

const content = Uint8Array.from({ length: 3 * BLOCK_BYTES + 100 }, (_, i) => (i * 7 + (i >> 9)) & 0xff);

function sumsInPiecesOf(length: number): BlockSums {
  const sums = new BlockSums();
  for (let at = 0; at < content.length; at += length) sums.add(content.subarray(at, at + length));
  return sums;
}

it.each([1000, BLOCK_BYTES, BLOCK_BYTES + 1, content.length])(
  'the same bytes match in pieces of %i, block by block or all at once',
  (length) => {
    const sums = sumsInPiecesOf(length);
    expect(sums.match(0, content)).toBe(true);
    for (let at = 0; at < content.length; at += BLOCK_BYTES)
      expect(sums.match(at, content.subarray(at, at + BLOCK_BYTES))).toBe(true);
  },
);

it.each([0, BLOCK_BYTES - 1, BLOCK_BYTES, content.length - 1])('a change in byte %i does not match', (at) => {
  const sums = sumsInPiecesOf(1000);
  const changed = content.with(at, (content[at] as number) ^ 1);
  expect(sums.match(0, changed)).toBe(false);
  const block = Math.floor(at / BLOCK_BYTES) * BLOCK_BYTES;
  expect(sums.match(block, changed.subarray(block, block + BLOCK_BYTES))).toBe(false);
});

it('a moved block, a truncated one and one after the end do not match', () => {
  const sums = sumsInPiecesOf(1000);
  expect(sums.match(BLOCK_BYTES, content.subarray(0, BLOCK_BYTES))).toBe(false);
  expect(sums.match(0, content.subarray(0, 1000))).toBe(false);
  expect(sums.match(4 * BLOCK_BYTES, content.subarray(0, 10))).toBe(false);
});
