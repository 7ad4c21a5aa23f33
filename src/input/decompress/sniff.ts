/**
 * Recognises packed sources by their first bytes, not by their names. JSON cannot begin with a magic number, so plain
 * logs are never mistaken for packed ones, and unsupported compressions are rejected by name instead of line by line.
 */
import { SourceFault } from '../../errors.ts';
import { startsLikeGzip, startsLikeZstd } from './magic.ts';

export type Packing = 'gzip' | 'zstd';
export type Compression = 'none' | Packing;

const REFUSED: readonly (readonly [name: string, magic: readonly number[]])[] = [
  ['zip', [0x50, 0x4b, 0x03, 0x04]],
  ['zip', [0x50, 0x4b, 0x05, 0x06]],
  ['bzip2', [0x42, 0x5a, 0x68]],
  ['lz4', [0x04, 0x22, 0x4d, 0x18]],
  ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]],
];
const EVAL = /\.eval$/i;
const GZIP_MAGIC_BYTES = 2;
const ZSTD_MAGIC_BYTES = 4;

/** Number of bytes that `sniff` looks at; fewer are enough if the source has no more. */
export const SNIFF_BYTES: number = 6;

/**
 * @param head the source's first bytes
 * @param named the compression that its name implies; decides if there are too few bytes for a magic number, as in a
 * truncated file
 * @throws SourceFault `unsupported-compression` for zip, bzip2, lz4 and xz; `known-but-unread` for an archive of Inspect
 */
export function sniff(head: Uint8Array, named?: Compression, fileName = ''): Compression {
  const whole = (bytes: number, format: Compression): boolean => head.length >= bytes || named === format;
  if (startsLikeGzip(head) && whole(GZIP_MAGIC_BYTES, 'gzip')) return 'gzip';
  if (startsLikeZstd(head) && whole(ZSTD_MAGIC_BYTES, 'zstd')) return 'zstd';
  const name = REFUSED.find(([, magic]) => magic.every((byte, i) => head[i] === byte))?.[0];
  if (name === undefined) return 'none';
  if (name === 'zip' && EVAL.test(fileName))
    throw new SourceFault(
      'known-but-unread',
      'this is an archive of Inspect: convert it to JSON with `inspect log dump FILE`',
    );
  throw new SourceFault(
    'unsupported-compression',
    `${name} is not supported: unpack the file, or compress it with gzip or zstd instead`,
  );
}

/** Returns the compression that a file's name implies; undefined if it implies none. */
export function compressionNamed(name: string): Compression | undefined {
  if (/\.gz$/i.test(name)) return 'gzip';
  if (/\.zst$/i.test(name)) return 'zstd';
  return /\.(?:jsonl|ndjson|json|traj|har|log)(?:[.-]\d+)*$/i.test(name) ? 'none' : undefined;
}
