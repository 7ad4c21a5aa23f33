/** Parses the header of a gzip member (RFC 1952 §2.3) for its length and validity; its fields are not needed. */
import { crc32 } from 'node:zlib';

const FHCRC = 2;
const FEXTRA = 4;
const FNAME = 8;
const FCOMMENT = 16;
const RESERVED = 0xe0;
const FIXED_BYTES = 10;
/** The format does not limit the length of names, but a header is held in memory as a whole. */
const MAX_HEADER_BYTES = 1024 * 1024;

/**
 * @param bytes the header, as far as it is available
 * @returns the header's length in bytes, 0 if more bytes are needed, or a text that says why it is invalid
 */
export function gzipHeaderLength(bytes: Uint8Array): number | string {
  if (bytes.length > 0 && bytes[0] !== 0x1f) return 'not a gzip header';
  if (bytes.length > 1 && bytes[1] !== 0x8b) return 'not a gzip header';
  if (bytes.length < FIXED_BYTES) return 0;
  const flags = bytes[3] as number;
  if (bytes[2] !== 8) return 'unknown compression method';
  if ((flags & RESERVED) !== 0) return 'reserved header flags are set';

  let end = FIXED_BYTES;
  if (flags & FEXTRA) {
    if (bytes.length < end + 2) return 0;
    end += 2 + (bytes[end] as number) + 256 * (bytes[end + 1] as number);
  }
  for (const flag of [FNAME, FCOMMENT]) {
    if ((flags & flag) === 0) continue;
    const nul = bytes.indexOf(0, end);
    if (nul < 0) return bytes.length > MAX_HEADER_BYTES ? 'the header does not end' : 0;
    end = nul + 1;
  }
  if (flags & FHCRC) {
    if (bytes.length < end + 2) return 0;
    const stored = (bytes[end] as number) + 256 * (bytes[end + 1] as number);
    if ((crc32(bytes.subarray(0, end)) & 0xffff) !== stored) return 'the header checksum is wrong';
    end += 2;
  }
  return bytes.length < end ? 0 : end;
}
