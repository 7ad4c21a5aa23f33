import { crc32 as crc32Of } from 'node:zlib';

/**
 * Returns the CRC-32 of bytes, or of all bytes so far.
 * @param sum the checksum of the bytes before these. For a part of an empty buffer, Node returns 0 instead of it
 */
export function crc32(bytes: Uint8Array, sum = 0): number {
  return bytes.length === 0 ? sum : crc32Of(bytes, sum);
}
