/** Writes `ledger/paths.bin` (src/dataset/layout.ts): the paths of the conversations whose records are compared. */
import type { AppendFile } from '../dataset/append-file.ts';
import { byteFileOver, type LineFile } from '../dataset/line-file.ts';
import type { ContainerPlace } from '../dataset/schema/ledger.ts';
import { PATH_HASH_BYTES } from '../ledger/compared-path.ts';

/** A conversation with records that are written or contained. */
export interface WrittenPath {
  readonly hashes: Uint8Array;
  /** Bits of the run's formats that wrote it, or would have. */
  readonly formats: number;
  /** Place of its first record, if it is written. */
  readonly place: ContainerPlace | undefined;
}

export class PathWriter {
  readonly file: Omit<LineFile, 'lines'>;
  readonly #allFormats: number;
  readonly #head = Buffer.alloc(4);
  /** Formats of the conversations that not all of them wrote. */
  readonly #partly = new Map<number, number>();
  #count = 0;

  /** @param allFormats bits of all formats of the run */
  constructor(file: AppendFile, allFormats: number) {
    this.file = byteFileOver(file);
    this.#allFormats = allFormats;
  }

  /** Number of messages of all paths so far. */
  get messages(): number {
    return (this.file.bytes - this.#count * this.#head.length) / PATH_HASH_BYTES;
  }

  /** Number of paths so far. */
  get count(): number {
    return this.#count;
  }

  add({ hashes, formats }: WrittenPath): void {
    this.#head.writeUInt32LE(hashes.length / PATH_HASH_BYTES);
    this.file.write(this.#head);
    this.file.write(hashes);
    if (formats !== this.#allFormats) this.#partly.set(this.#count, formats);
    this.#count++;
  }

  /** Returns the bits of the formats that wrote a conversation. */
  formatsOf(path: number): number {
    return this.#partly.get(path) ?? this.#allFormats;
  }
}
