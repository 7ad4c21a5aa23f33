/** How to compress a file of lines: a shard as `--compress` says, a log by its own name. */

import { type Compression, compressionNamed } from '../input/decompress/sniff.ts';
import { gzipMember, zstdFrame } from './pack.ts';

type Packed = Exclude<Compression, 'none'>;

export interface Packing {
  readonly suffix: '.gz' | '.zst';
  /** About how many bytes of lines are gathered for one block. */
  readonly blockBytes: number;
  /** Compresses to one member or frame. */
  readonly pack: (bytes: Uint8Array) => Uint8Array;
}

const MEBIBYTE = 1024 * 1024;

/** zstd finds repetitions over megabytes, and may need a process for each block. */
export const PACKINGS: Readonly<Record<Packed, Packing>> = {
  gzip: { suffix: '.gz', blockBytes: MEBIBYTE, pack: gzipMember },
  zstd: { suffix: '.zst', blockBytes: 4 * MEBIBYTE, pack: zstdFrame },
};

/** Compression by the name of the file; undefined if it is not compressed. */
export function packingNamed(name: string): Packing | undefined {
  const compression = compressionNamed(name) ?? 'none';
  return compression === 'none' ? undefined : PACKINGS[compression];
}
