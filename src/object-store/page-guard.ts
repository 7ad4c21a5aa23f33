/** Ends a listing that a store would continue for ever, because it repeats a page or sends only empty ones. */
import { StoreFault } from './fault.ts';

/** Stores send empty pages where they skip many deleted objects, but not this many in a row. */
const MAX_EMPTY_PAGES = 1000;
/** Entries of one listing. */
const MAX_ENTRIES = 10_000_000;

export class PageGuard {
  readonly #markers = new Set<string>();
  #emptyPages = 0;
  #entries = 0;

  /**
   * Checks a page that another one follows.
   * @param marker what the request for the next page names
   * @throws StoreFault
   */
  check(marker: string, entries: number): void {
    if (this.#markers.has(marker)) throw endless('RepeatedPage');
    this.#markers.add(marker);
    this.#emptyPages = entries === 0 ? this.#emptyPages + 1 : 0;
    this.#entries += entries;
    if (this.#emptyPages >= MAX_EMPTY_PAGES) throw endless('TooManyEmptyPages');
    if (this.#entries >= MAX_ENTRIES) throw endless('TooManyEntries');
  }
}

const endless = (code: string): StoreFault => new StoreFault(code, undefined, false);
