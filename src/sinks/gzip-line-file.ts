/**
 * A line file whose lines are gathered to about 1 MiB and written as one gzip member each: members may follow one
 * another in a file, so nothing has to be kept between blocks and the descriptor can be parked. Clock and platform
 * are not in the bytes: zlib writes no time, and its OS byte (3, 10 or 19 by platform) is set to 255, "unknown".
 */
import { gzipSync } from 'node:zlib';
import { createAppendFile } from './append-file.ts';
import { createByteBuffer } from './byte-buffer.ts';
import { type LineFile, NEWLINE } from './line-file.ts';

const BLOCK_BYTES = 1024 * 1024;
const LEVEL = 6;
const OS_BYTE = 9;
const OS_UNKNOWN = 255;

export interface GzipLineFile extends LineFile {
  /** Bytes of the file on disk; what is still gathered is not in it. */
  readonly bytes: number;
  /** Memory that the gathered lines hold. */
  readonly pendingBytes: number;
}

/** One gzip member of these bytes. */
export function gzipMember(bytes: Uint8Array): Uint8Array {
  const member = gzipSync(bytes, { level: LEVEL });
  member[OS_BYTE] = OS_UNKNOWN;
  return member;
}

/** Makes the file, which must not exist. `park` keeps the gathered lines; `flush` ends the member. */
export function createGzipLineFile(path: string, options: { mode?: number } = {}): GzipLineFile {
  const file = createAppendFile(path, options);
  const block = createByteBuffer();
  let lines = 0;

  function flush(): void {
    if (block.length === 0) return;
    file.write(gzipMember(block.bytes()));
    block.release();
  }

  return {
    path,
    get bytes() {
      return file.bytes;
    },
    get lines() {
      return lines;
    },
    get pendingBytes() {
      return block.capacity;
    },
    write(line) {
      block.append(line);
      block.append(NEWLINE);
      lines += 1;
      if (block.length >= BLOCK_BYTES) flush();
    },
    flush,
    sync() {
      flush();
      file.sync();
    },
    checkpoint() {
      file.sync();
      return block.bytes();
    },
    park: () => file.park(),
    close() {
      flush();
      file.close();
    },
    abandon() {
      block.release();
      file.abandon();
    },
  };
}
