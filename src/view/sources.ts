/** Reopens the logs of a dataset, but only those that a build from the same inputs would list. */

import type { SourceLine } from '../dataset/schema/ledger.ts';
import { readAgain } from '../input/second-reading.ts';
import { joinFolders } from '../input/sources/folder-sessions.ts';
import { listSources } from '../input/sources/list.ts';
import type { SourceRef } from '../input/sources/source.ts';

const MAX_BYTES = 4 * 1024 * 1024;

export type SourceName = Pick<SourceLine, 'source' | 'input'>;

export class LogSources {
  readonly #inputs: readonly string[];
  #byName: Map<string, SourceRef> | undefined;

  /** @param inputs inputs of the build, in order */
  constructor(inputs: readonly string[]) {
    this.#inputs = inputs;
  }

  get isEmpty(): boolean {
    return this.#inputs.length === 0;
  }

  find({ source, input = 0 }: SourceName): SourceRef | undefined {
    this.#byName ??= new Map(
      Array.from(joinFolders(listSources(this.#inputs), this.#inputs, undefined).sources, (ref) => [
        `${ref.input}/${ref.name}`,
        ref,
      ]),
    );
    return this.#byName.get(`${input}/${source}`);
  }

  /** Returns bytes of a source, after decompression; undefined if they cannot be read. */
  async bytesAt(name: SourceName, offset: number, length: number): Promise<Uint8Array | undefined> {
    const ref = this.find(name);
    const reading = ref === undefined ? undefined : await readAgain(ref, undefined);
    try {
      return (await reading?.take(offset, Math.min(length, MAX_BYTES), MAX_BYTES))?.bytes;
    } finally {
      await reading?.close();
    }
  }
}
