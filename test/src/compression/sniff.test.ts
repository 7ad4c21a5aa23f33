import { expect, test } from 'vitest';
import { SNIFF_BYTES, sniff } from '../../../src/compression/sniff.ts';
import { SourceFault } from '../../../src/errors.ts';

test.each<[string, number[], string]>([
  ['gzip', [0x1f, 0x8b, 8], 'gzip'],
  ['gzip of an unknown method', [0x1f, 0x8b, 0], 'gzip'],
  ['the first byte of gzip only', [0x1f], 'none'],
  ['nothing', [], 'none'],
  ['JSON', [...Buffer.from('{"a":1}')], 'none'],
  ['a BOM', [0xef, 0xbb, 0xbf, 0x7b], 'none'],
  ['text that begins like zip', [...Buffer.from('PKZIP!')], 'none'],
])('%s is recognised by its magic', (_, head, expected) => {
  expect(sniff(Uint8Array.from(head))).toBe(expected);
});

test.each<[string, number[]]>([
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd, 4, 0]],
  ['zstd', [0x5a, 0x2a, 0x4d, 0x18, 1, 0]],
  ['zip', [0x50, 0x4b, 3, 4, 20, 0]],
  ['zip', [0x50, 0x4b, 5, 6, 0, 0]],
  ['bzip2', [0x42, 0x5a, 0x68, 0x39]],
  ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]],
])('%s is refused by its name', (name, head) => {
  expect(head.length).toBeLessThanOrEqual(SNIFF_BYTES);
  expect(() => sniff(Uint8Array.from(head))).toThrow(
    expect.objectContaining({
      reason: 'unsupported-compression',
      message: expect.stringContaining(`${name} is not read`),
    }),
  );
  expect(() => sniff(Uint8Array.from(head))).toThrow(SourceFault);
});
