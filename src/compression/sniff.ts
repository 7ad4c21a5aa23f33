/**
 * Recognises compressed sources by their first bytes; the file's name has no say (reliability.md, F075). None of the
 * magics can begin JSON, so plain logs are never mistaken, and what cannot be read is refused by its name instead of
 * being rejected line by line.
 */
import { SourceFault } from '../errors.ts';

export type Compression = 'gzip' | 'none';

const GZIP = [0x1f, 0x8b];

const REFUSED: readonly (readonly [name: string, magic: readonly number[]])[] = [
  ['zstd', [0x28, 0xb5, 0x2f, 0xfd]],
  ['zip', [0x50, 0x4b, 0x03, 0x04]],
  ['zip', [0x50, 0x4b, 0x05, 0x06]],
  ['bzip2', [0x42, 0x5a, 0x68]],
  ['xz', [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00]],
];

/** How many bytes `sniff` looks at; a shorter head is fine when the source has no more. */
export const SNIFF_BYTES: number = 6;

/**
 * @param head the source's first bytes
 * @throws SourceFault `unsupported-compression` for zstd, zip, bzip2 and xz
 */
export function sniff(head: Uint8Array): Compression {
  if (startsWith(head, GZIP)) return 'gzip';
  const name = REFUSED.find(([, magic]) => startsWith(head, magic))?.[0] ?? skippableFrame(head);
  if (name === undefined) return 'none';
  throw new SourceFault('unsupported-compression', `${name} is not read: unpack it, or pack it with gzip`);
}

function startsWith(head: Uint8Array, magic: readonly number[]): boolean {
  return head.length >= magic.length && magic.every((byte, i) => head[i] === byte);
}

/** A zstd file may begin with a frame to be skipped; the low four bits of its first byte are free. */
function skippableFrame(head: Uint8Array): string | undefined {
  const starts = ((head[0] ?? 0) & 0xf0) === 0x50 && startsWith(head.subarray(1), [0x2a, 0x4d, 0x18]);
  return starts ? 'zstd' : undefined;
}
