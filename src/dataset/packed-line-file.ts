/**
 * A line file that gathers lines to blocks and writes each as one gzip member or zstd frame. No state is kept between
 * blocks, so the descriptor can be parked.
 */
import { crc32 } from 'node:zlib';
import { type AppendFile, createAppendFile } from './append-file.ts';
import { createByteBuffer } from './byte-buffer.ts';
import { type LineFile, NEWLINE } from './line-file.ts';
import type { Packing } from './packing.ts';

export interface PackedLineFile extends LineFile {
  /** Bytes of the file on disk, without what is still gathered. */
  readonly bytes: number;
  /** CRC-32 of the lines before compression, to compare with the unpacked file. */
  readonly contentCrc32: number;
  /** Memory of the gathered lines. */
  readonly pendingBytes: number;
}

/** Creates the file, which must not exist. `park` keeps the gathered lines; `flush` ends the block. */
export function createPackedLineFile(
  path: string,
  packing: Packing,
  options: { mode?: number } = {},
): PackedLineFile {
  return packedLineFileOver(createAppendFile(path, options), packing);
}

/** Writes packed lines to a file that was just created. */
export function packedLineFileOver(file: AppendFile, { blockBytes, pack }: Packing): PackedLineFile {
  const { path } = file;
  const block = createByteBuffer();
  let lines = 0;
  let contentChecksum = 0;

  function flush(): void {
    if (block.length === 0) return;
    contentChecksum = crc32(block.bytes(), contentChecksum);
    file.write(pack(block.bytes()));
    block.release();
  }

  return {
    path,
    get bytes() {
      return file.bytes;
    },
    get crc32() {
      return file.crc32;
    },
    get contentCrc32() {
      return contentChecksum;
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
      if (block.length >= blockBytes) flush();
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
