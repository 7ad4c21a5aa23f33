/** The ids of `--only`, and which of them were not found: an id may be mistyped, or be from other logs. */
import { shortName } from '../../transforms/formats/shape-counter.ts';
import { printable } from '../printable.ts';
import { showCount } from '../sizes.ts';

const MAX_SHOWN = 5;

export class ListedIds {
  readonly #ids: ReadonlySet<string>;
  readonly #missing: Set<string>;

  constructor(ids: readonly string[]) {
    this.#ids = new Set(ids);
    this.#missing = new Set(ids);
  }

  /** Notes that an id was found. @returns whether it is listed */
  see(id: string | null = ''): boolean {
    const isListed = id !== null && this.#ids.has(id);
    if (isListed) this.#missing.delete(id);
    return isListed;
  }

  get hasMissing(): boolean {
    return this.#missing.size > 0;
  }

  /** Whether there are ids, and none was found. */
  get isAllMissing(): boolean {
    return this.hasMissing && this.#missing.size === this.#ids.size;
  }

  /**
   * Returns a text that names the ids that were not found; undefined if there are none.
   * @param place where ids are looked for, such as `log`
   */
  missingIn(place: string): string | undefined {
    if (!this.hasMissing) return undefined;
    const missing = this.#missing.size;
    const ids = [...this.#missing].slice(0, MAX_SHOWN).map((id) => printable(shortName(id)));
    const names = `${ids.join(', ')}${missing > MAX_SHOWN ? ', ...' : ''}`;
    if (this.#ids.size === 1) return `the id in --only is in no ${place}: ${names}`;
    if (this.isAllMissing)
      return `none of the ${showCount(missing)} ids in --only is in any ${place}: ${names}`;
    return `${showCount(missing)} of the ${showCount(this.#ids.size)} ids in --only ${missing === 1 ? 'is' : 'are'} in no ${place}: ${names}`;
  }
}
