/** How a shard is packed, by the name that `--compress` gives it. */
import { gzipMember, zstdFrame } from '../compression/pack.ts';

export interface Packing {
  readonly suffix: '.gz' | '.zst';
  /** Lines are gathered to about so much, and packed. */
  readonly blockBytes: number;
  /** One member or frame. */
  readonly pack: (bytes: Uint8Array) => Uint8Array;
}

const MEBIBYTE = 1024 * 1024;

/** zstd finds what repeats over megabytes, and may need a process for each block. */
export const PACKINGS: Readonly<Record<'gzip' | 'zstd', Packing>> = {
  gzip: { suffix: '.gz', blockBytes: MEBIBYTE, pack: gzipMember },
  zstd: { suffix: '.zst', blockBytes: 4 * MEBIBYTE, pack: zstdFrame },
};
