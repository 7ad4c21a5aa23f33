/**
 * A line file that gathers lines into blocks and writes each block as one gzip member or zstd frame. No state is kept
 * between blocks, so the descriptor can be parked.
 */
import { crc32 } from '../crc32.ts';
import { type AppendFile, createAppendFile } from './append-file.ts';
import { ByteBuffer } from './byte-buffer.ts';
import { type LineFile, NEWLINE } from './line-file.ts';
import type { Packing } from './packing.ts';

/** Creates the file, which must not exist. `park` keeps the gathered lines; `flush` ends the block. */
export function createPackedLineFile(path: string, packing: Packing, mode?: number): PackedLineFile {
  return new PackedLineFile(createAppendFile(path, mode), packing);
}

export class PackedLineFile implements LineFile {
  readonly path: string;
  readonly #file: AppendFile;
  readonly #packing: Packing;
  readonly #block = new ByteBuffer();
  #lines = 0;
  #contentCrc32 = 0;

  /** @param file that was just created */
  constructor(file: AppendFile, packing: Packing) {
    this.path = file.path;
    this.#file = file;
    this.#packing = packing;
  }

  /** Bytes of the file on disk, without the block that is being gathered. */
  get bytes(): number {
    return this.#file.bytes;
  }

  get crc32(): number {
    return this.#file.crc32;
  }

  /** CRC-32 of the lines before compression, to compare with the unpacked file. */
  get contentCrc32(): number {
    return this.#contentCrc32;
  }

  get lines(): number {
    return this.#lines;
  }

  /** Memory of the gathered lines. */
  get pendingBytes(): number {
    return this.#block.capacity;
  }

  write(line: Uint8Array): void {
    this.#block.append(line);
    this.#block.append(NEWLINE);
    this.#lines += 1;
    if (this.#block.length >= this.#packing.blockBytes) this.flush();
  }

  flush(): void {
    if (this.#block.length === 0) return;
    const bytes = this.#block.bytes();
    this.#contentCrc32 = crc32(bytes, this.#contentCrc32);
    this.#file.write(this.#packing.pack(bytes));
    this.#block.release();
  }

  sync(): void {
    this.flush();
    this.#file.sync();
  }

  checkpoint(): Uint8Array {
    this.#file.sync();
    return this.#block.bytes();
  }

  park(): void {
    this.#file.park();
  }

  close(): void {
    this.flush();
    this.#file.close();
  }

  abandon(): void {
    this.#block.release();
    this.#file.abandon();
  }
}
