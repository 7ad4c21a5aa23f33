import { expect, test } from 'vitest';
import { SourceFault } from '../../../../src/errors.ts';
import { compressionNamed, SNIFF_BYTES, sniff } from '../../../../src/input/decompress/sniff.ts';

test.each<[string, number[], string]>([
  ['gzip', [0x1f, 0x8b, 8], 'gzip'],
  ['gzip of an unknown method', [0x1f, 0x8b, 0], 'gzip'],
  ['the first byte of gzip only', [0x1f], 'none'],
  ['nothing', [], 'none'],
  ['JSON', [...Buffer.from('{"a":1}')], 'none'],
  ['a BOM', [0xef, 0xbb, 0xbf, 0x7b], 'none'],
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd, 4, 0], 'zstd'],
  ['zstd that begins with a frame to be skipped', [0x5a, 0x2a, 0x4d, 0x18, 1, 0], 'zstd'],
  ['the first bytes of zstd only', [0x28, 0xb5, 0x2f], 'none'],
  ['text that begins like a frame to be skipped', [...Buffer.from('P*M!')], 'none'],
  ['text that begins like zip', [...Buffer.from('PKZIP!')], 'none'],
])('%s is recognised by its magic number', (_, head, expected) => {
  expect(sniff(Uint8Array.from(head))).toBe(expected);
});

test.each<[string, number[]]>([
  ['zip', [0x50, 0x4b, 3, 4, 20, 0]],
  ['zip', [0x50, 0x4b, 5, 6, 0, 0]],
  ['bzip2', [0x42, 0x5a, 0x68, 0x39]],
  ['lz4', [0x04, 0x22, 0x4d, 0x18]],
  ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0]],
])('%s is refused by its name', (name, head) => {
  expect(head.length).toBeLessThanOrEqual(SNIFF_BYTES);
  expect(() => sniff(Uint8Array.from(head))).toThrow(
    expect.objectContaining({
      reason: 'unsupported-compression',
      message: expect.stringContaining(name),
    }),
  );
  expect(() => sniff(Uint8Array.from(head))).toThrow(SourceFault);
});

test('F075 the name decides only when a cut has left too few bytes', () => {
  expect(sniff(Uint8Array.of(0x1f), 'gzip')).toBe('gzip');
  expect(sniff(new Uint8Array(0), 'gzip')).toBe('gzip');
  expect(sniff(new Uint8Array(0), 'zstd')).toBe('zstd');
  expect(sniff(Uint8Array.of(0x28, 0xb5), 'zstd')).toBe('zstd');
  expect(sniff(Uint8Array.of(0x28, 0xb5), 'gzip')).toBe('none');
  expect(sniff(Uint8Array.of(0x7b), 'gzip')).toBe('none');
  expect(sniff(Uint8Array.of(0x1f, 0x8b), 'zstd')).toBe('gzip');
});

test('a name suggests a compression or none', () => {
  const names = ['a.jsonl.gz', 'a.JSON.GZ', 'a.ndjson.zst', 'a.jsonl', 'a.json', 'a.log', 'gz', '-'];
  expect(names.map(compressionNamed)).toEqual([
    ...['gzip', 'gzip', 'zstd', 'none', 'none', 'none'],
    ...[undefined, undefined],
  ]);
});

test('an archive of Inspect gets a hint to convert it to JSON, any other zip a hint to unpack it', () => {
  const zip = Uint8Array.of(0x50, 0x4b, 0x03, 0x04);
  expect(() => sniff(zip, undefined, 'logs/run.eval')).toThrow('inspect log dump');
  expect(() => sniff(zip, undefined, 'logs/run.zip')).toThrow('zip is not supported');
});
