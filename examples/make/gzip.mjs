// One gzip member whose bytes are the same everywhere. The engine's gzip writes the system's number
// into the header, and its match search differs between processors; so the header is made here and
// the text is Huffman-coded without a search. No time stamp, no file name.

import { constants, deflateRawSync } from 'node:zlib';

const HEADER = Buffer.from([0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0xff]);

function crc32(bytes) {
  let crc = 0xffffffff;
  for (const byte of bytes) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit += 1) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb88320 : 0);
  }
  return (crc ^ 0xffffffff) >>> 0;
}

/** Text to one gzip member. */
export function gzip(content) {
  const bytes = Buffer.from(content);
  const trailer = Buffer.alloc(8);
  trailer.writeUInt32LE(crc32(bytes), 0);
  trailer.writeUInt32LE(bytes.length, 4);
  const body = deflateRawSync(bytes, { strategy: constants.Z_HUFFMAN_ONLY, memLevel: 9 });
  return Buffer.concat([HEADER, body, trailer]);
}
