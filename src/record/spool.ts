/** Holds the results of a source that do not fit in memory, as parts: in a file, or compressed where no file may be written. */
import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { SpoolFile } from '../dataset/spool-file.ts';
import { decodePart, encodePart, joinSmall } from '../ledger/part.ts';
import type { Outcome } from '../ledger/result.ts';

export interface Spool {
  write(results: readonly Outcome[]): void;
  /** Everything that was written, in order. Can be read several times. */
  read(): Iterable<Outcome>;
  close(): void;
}

export class FileSpool implements Spool {
  readonly #file: SpoolFile;

  /** Creates the file. */
  constructor(path: string) {
    this.#file = new SpoolFile(path);
  }

  write(results: readonly Outcome[]): void {
    this.#file.write(joinSmall(encodePart(results)));
  }

  /** Throws `io` when a part is not what was written. */
  *read(): Generator<Outcome> {
    for (const block of this.#file.read()) yield* decodePart([block]);
  }

  close(): void {
    this.#file.close();
  }
}

/** For runs that write no files. They drop the bytes of records, so a session takes about 40 bytes here. */
export class MemorySpool implements Spool {
  #blocks: Buffer[] = [];

  write(results: readonly Outcome[]): void {
    this.#blocks.push(deflateRawSync(Buffer.concat(encodePart(results)), { level: 1 }));
  }

  *read(): Generator<Outcome> {
    for (const block of this.#blocks) yield* decodePart([inflateRawSync(block)]);
  }

  close(): void {
    this.#blocks = [];
  }
}
