/** Yields the results of the sources of several datasets, in the order of the merged listing. */
import type { MergeInput } from './merge-input.ts';
import type { MergedListing } from './merged-listing.ts';
import type { Reuse, Step } from './reuse.ts';
import { SourceResults, type SourceResultsOptions } from './source-results.ts';

interface OpenInput {
  readonly results: SourceResults;
  /** Number of sources that follow. */
  left: number;
}

export class MergedSources implements Reuse {
  readonly #merged: MergedListing;
  readonly #options: SourceResultsOptions;
  /** The datasets that are being read. Slices are read one after the other. */
  readonly #open = new Map<MergeInput, OpenInput>();
  #begun = 0;
  #next = 0;

  constructor(merged: MergedListing, options: SourceResultsOptions) {
    this.#merged = merged;
    this.#options = options;
  }

  has(): boolean {
    return true;
  }

  /** @throws TurnmillError `invalid-dataset` or `io` if a file contradicts its dataset */
  *before(index: number): Generator<Step> {
    for (; this.#next < index; this.#next++) {
      const { dataset, key, fingerprint } = this.#merged.ownedAt(this.#next);
      if (!this.#open.has(dataset)) yield dataset.fetchShards();
      const open = this.#open.get(dataset) ?? this.#begin(dataset);
      yield* open.results.of({ index: this.#next, fingerprint, ...key });
      if (--open.left > 0) continue;
      open.results.end();
      this.#open.delete(dataset);
      dataset.close();
    }
  }

  #begin(dataset: MergeInput): OpenInput {
    const number = this.#begun++;
    const pathFor = (name: string): string => this.#options.pathFor(`${number}-${name}`);
    const results = new SourceResults(dataset.run, { ...this.#options, pathFor });
    const open = { results, left: this.#merged.countOf(dataset) };
    this.#open.set(dataset, open);
    return open;
  }
}
