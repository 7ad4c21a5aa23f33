/**
 * Yields the results of all reused sources in the order of the listing. The job merges them with the results of the
 * sources that the workers read.
 */
import type { Listing } from '../input/sources/source.ts';
import type { PreviousRun } from './previous-run.ts';
import type { Reuse, Step } from './reuse.ts';
import { type ReusedSource, SourceResults, type SourceResultsOptions } from './source-results.ts';

/** A previous run, and those of its sources that are reused. */
export interface Reusable {
  readonly run: PreviousRun;
  /** The current fingerprint for each index in the listing; undefined for a source that has to be read. */
  readonly fingerprints: readonly (string | undefined)[];
}

export class ReusedSources implements Reuse {
  readonly #reusable: Reusable;
  readonly #listing: Listing;
  readonly #options: SourceResultsOptions;
  /** Undefined until the first results are needed. */
  #results: SourceResults | undefined;
  #next = 0;

  constructor(reusable: Reusable, listing: Listing, options: SourceResultsOptions) {
    this.#reusable = reusable;
    this.#listing = listing;
    this.#options = options;
  }

  has(index: number): boolean {
    return this.#reusable.fingerprints[index] !== undefined;
  }

  /** @throws TurnmillError `invalid-dataset` or `io` if a file contradicts the previous run */
  *before(index: number): Generator<Step> {
    for (; this.#next < index; this.#next++) {
      const source = this.#sourceAt(this.#next);
      if (source === undefined) continue;
      this.#results ??= new SourceResults(this.#reusable.run, this.#options);
      yield* this.#results.of(source);
    }
  }

  #sourceAt(index: number): ReusedSource | undefined {
    const fingerprint = this.#reusable.fingerprints[index];
    const ref = this.#listing.sources.at(index);
    if (fingerprint === undefined || ref === undefined) return undefined;
    const { name, nameBase64, input } = ref;
    return { name, ...(nameBase64 !== undefined && { nameBase64 }), input, index, fingerprint };
  }
}

/** Reuse of two previous runs: all sources from the first run come before those from the second. */
export class SequentialReuse implements Reuse {
  readonly #first: Reuse;
  readonly #second: Reuse;

  constructor(first: Reuse, second: Reuse) {
    this.#first = first;
    this.#second = second;
  }

  has(index: number): boolean {
    return this.#first.has(index) || this.#second.has(index);
  }

  *before(index: number): Generator<Step> {
    yield* this.#first.before(index);
    yield* this.#second.before(index);
  }
}
