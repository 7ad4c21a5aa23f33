/**
 * Compares a file of a dataset with its manifest while it is read for the first time, so that it is read only once. A
 * file with other bytes is noticed at its end, so nothing may be published before.
 */
import { createHash } from 'node:crypto';
import { BlockSums } from './block-sums.ts';
import { notAsPublished, type PreviousFile } from './previous-run.ts';

export class PublishedSums extends BlockSums {
  readonly #path: string;
  readonly #file: Pick<PreviousFile, 'bytes' | 'sha256'>;
  readonly #hash = createHash('sha256');

  constructor(path: string, file: Pick<PreviousFile, 'bytes' | 'sha256'>) {
    super();
    this.#path = path;
    this.#file = file;
  }

  /**
   * Adds bytes that were not read before, and compares the others.
   * @throws TurnmillError `invalid-dataset` at the end of the file if its hash is another one than that of the manifest
   */
  override match(offset: number, bytes: Uint8Array): boolean {
    const known = this.bytes - offset;
    if (!super.match(offset, bytes.subarray(0, known))) return false;
    const added = bytes.subarray(known);
    if (added.length === 0) return true;
    this.add(added);
    this.#hash.update(added);
    const { bytes: length, sha256 } = this.#file;
    if (this.bytes === length && this.#hash.digest('hex') !== sha256) throw notAsPublished(this.#path);
    return true;
  }
}
