/**
 * Packs bytes as one gzip member or one zstd frame: a file may hold one after the other, so nothing has to be kept between two
 * of them. Clock, platform and number of threads are not in the bytes; the version of zlib or zstd is.
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

/** With its checksum. Throws `unavailable` or `io` where the program is needed and fails. */
export function zstdFrame(bytes: Uint8Array): Uint8Array {
  return zlibHasZstd() ? packWithZlib(bytes) : packWithProgram(bytes);
}
