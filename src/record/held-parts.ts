/**
 * Holds the results of a source that do not fit in memory, as parts: in a file, or compressed in memory if the run may
 * not write files.
 */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { HeldFile } from '../dataset/held-file.ts';
import { decodePart, encodePart, joinSmall } from '../ledger/part.ts';
import type { Result } from '../ledger/result.ts';

export interface HeldParts {
  write(results: readonly Result[]): void;
  /** Yields all results in order, and may be called again. The bytes of a result are valid until the next one. */
  read(): Iterable<Result>;
  close(): void;
}

export class FileParts implements HeldParts {
  readonly #file: HeldFile;

  constructor(path: string) {
    this.#file = new HeldFile(path);
  }

  write(results: readonly Result[]): void {
    this.#file.write(joinSmall(encodePart(results)));
  }

  /** Throws `io` if a part differs from what was written. */
  *read(): Generator<Result> {
    for (const block of this.#file.read()) yield* decodePart([block]);
  }

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
