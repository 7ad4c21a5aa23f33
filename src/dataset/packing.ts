/** How a file of lines is packed: a shard by the name that `--compress` gives, a log by its own. */

import { type Compression, compressionNamed } from '../input/decompress/sniff.ts';
import { gzipMember, zstdFrame } from './pack.ts';

type Packed = Exclude<Compression, 'none'>;

export interface Packing {
  readonly suffix: '.gz' | '.zst';
  /** Lines are gathered to about so much, and packed. */
  readonly blockBytes: number;
  /** One member or frame. */
  readonly pack: (bytes: Uint8Array) => Uint8Array;
}

const MEBIBYTE = 1024 * 1024;

/** zstd finds what repeats over megabytes, and may need a process for each block. */
export const PACKINGS: Readonly<Record<Packed, Packing>> = {
  gzip: { suffix: '.gz', blockBytes: MEBIBYTE, pack: gzipMember },
  zstd: { suffix: '.zst', blockBytes: 4 * MEBIBYTE, pack: zstdFrame },
};

/** Compression of the file with this name; undefined if it is not compressed. */
export function packingNamed(name: string): Packing | undefined {
  const compression = compressionNamed(name) ?? 'none';
  return compression === 'none' ? undefined : PACKINGS[compression];
}
