/**
 * Holds the results of a source that do not fit in memory, as parts: in a file, or compressed in memory if the run may
 * not write files.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { crc32 } from '../crc32.ts';
import { notAsWritten } from '../dataset/fs-faults.ts';
import { UnlinkedFile } from '../dataset/unlinked-file.ts';
import { decodePart, encodePart, joinSmall } from '../ledger/part.ts';
import type { Result } from '../ledger/result.ts';

export interface HeldParts {
  write(results: readonly Result[]): void;
  /** Yields all results in order, and may be called again. The bytes of a result are valid until the next one. */
  read(): Iterable<Result>;
  close(): void;
}

/** Size and checksum of a part, which are kept in memory, so that damage is detected before the part is used. */
interface WrittenPart {
  readonly bytes: number;
  readonly crc32: number;
}

export class FileParts implements HeldParts {
  readonly #file: UnlinkedFile;
  readonly #parts: WrittenPart[] = [];
  /** Reused for all parts that are read, because V8 is slow to free buffers outside its heap. */
  #memory = Buffer.alloc(0);

  /** Creates the file, which must not exist. */
  constructor(path: string) {
    this.#file = new UnlinkedFile(path);
  }

  /** Writes the pieces of a part one after the other, so that none is copied. */
  write(results: readonly Result[]): void {
    let bytes = 0;
    let checksum = 0;
    for (const piece of joinSmall(encodePart(results))) {
      bytes += piece.length;
      checksum = crc32(piece, checksum);
      this.#file.append(piece);
    }
    this.#parts.push({ bytes, crc32: checksum });
  }

  /** Throws `io` if a part differs from what was written. */
  *read(): Generator<Result> {
    let at = 0;
    for (const { bytes, crc32: checksum } of this.#parts) {
      if (this.#memory.length < bytes) this.#memory = Buffer.allocUnsafeSlow(bytes);
      const part = this.#memory.subarray(0, bytes);
      this.#file.read(at, part);
      if (crc32(part) !== checksum) throw notAsWritten(this.#file.path);
      yield* decodePart([part]);
      at += bytes;
    }
  }

  /** Closes the file, which frees its disk space. */
  close(): void {
    this.#file.close();
  }
}

/** For runs that write no files: they drop the bytes of records, so a session takes about 40 bytes. */
export class MemoryParts implements HeldParts {
  #blocks: Buffer[] = [];

  write(results: readonly Result[]): void {
    this.#blocks.push(deflateRawSync(Buffer.concat(encodePart(results)), { level: 1 }));
  }

  *read(): Generator<Result> {
    for (const block of this.#blocks) yield* decodePart([inflateRawSync(block)]);
  }

  close(): void {
    this.#blocks = [];
  }
}
