/**
 * Compresses files of lines: shards as `--compress` says, logs according to their names. A file may hold several members
 * or frames in a row, so no state is kept between them. The bytes depend on the version of zlib or zstd, but not on
 * clock, platform or number of threads.
 */

import zlib from 'node:zlib';
import { type Compression, compressionNamed } from '../input/decompress/sniff.ts';
import { packWithProgram } from '../input/decompress/zstd-program.ts';
import { packWithZlib, zlibHasZstd } from '../input/decompress/zstd-zlib.ts';

const LEVEL = 6;
/** zlib writes no time, but an OS byte that depends on the platform (3, 10 or 19); it is replaced by 255, "unknown". */
const OS_BYTE = 9;
const OS_UNKNOWN = 255;

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
  /** Bytes of lines after which a block is complete. */
  readonly blockBytes: number;
  /** Compresses to one member or frame. */
  readonly pack: (bytes: Uint8Array) => Uint8Array;
}

const MEBIBYTE = 1024 * 1024;

/** Blocks for zstd are larger, because it finds repetitions across megabytes and may need a process for each block. */
export const PACKINGS: Readonly<Record<Packed, Packing>> = {
  gzip: { suffix: '.gz', blockBytes: MEBIBYTE, pack: gzipMember },
  zstd: { suffix: '.zst', blockBytes: 4 * MEBIBYTE, pack: zstdFrame },
};

/** Returns the compression that a file's name implies; undefined if it is not compressed. */
export function packingNamed(name: string): Packing | undefined {
  const compression = compressionNamed(name) ?? 'none';
  return compression === 'none' ? undefined : PACKINGS[compression];
}
