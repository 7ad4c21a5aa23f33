/**
 * How to compress a file of lines: a shard as `--compress` says, a log by its own name. A file may hold several members
 * or frames in a row, so no state is kept between them. The bytes depend on the version of zlib or zstd, but not on
 * clock, platform or number of threads.
 */

import zlib from 'node:zlib';
import { type Compression, compressionNamed } from '../input/decompress/sniff.ts';
import { packWithProgram } from '../input/decompress/zstd-program.ts';
import { packWithZlib, zlibHasZstd } from '../input/decompress/zstd-zlib.ts';

const LEVEL = 6;
/** zlib writes no time, and its OS byte (3, 10 or 19 by platform) becomes 255, "unknown". */
const OS_BYTE = 9;
const OS_UNKNOWN = 255;

/** Compresses to a gzip member. */
export function gzipMember(bytes: Uint8Array): Uint8Array {
  const member = zlib.gzipSync(bytes, { level: LEVEL });
  member[OS_BYTE] = OS_UNKNOWN;
  return member;
}

/** Compresses to a frame with a checksum. Throws `unavailable` or `io` if the zstd program is needed and fails. */
export function zstdFrame(bytes: Uint8Array): Uint8Array {
  return zlibHasZstd() ? packWithZlib(bytes) : packWithProgram(bytes);
}

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
