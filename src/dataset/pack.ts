/**
 * Compresses bytes to one gzip member or one zstd frame. A file may hold several in a row, so no state is kept between
 * them. The result depends on the version of zlib or zstd, but not on clock, platform or number of threads.
 */
import zlib from 'node:zlib';
import { packWithProgram } from '../input/decompress/zstd-program.ts';
import { packWithZlib, zlibHasZstd } from '../input/decompress/zstd-zlib.ts';

const LEVEL = 6;
/** zlib writes no time, and its OS byte (3, 10 or 19 by platform) becomes 255, "unknown". */
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
