/**
 * The files that a walk through folders skips because of their names or of an option: counts them by reason and by
 * extension, and lists the first thousand in sorting order.
 */
import type { PassedOverCounts, PassedOverReason, SkippedSource } from './source.ts';

/** Files beyond this number are only counted. */
export const MAX_NAMED = 1000;
/** Rarer extensions are counted together. */
const MAX_EXTENSIONS = 100;

const PACKED = /\.(?:gz|zst|bz2|xz|zip)$/i;
const EXTENSION = /[^.](\.[a-z0-9_]{1,10})$/i;
const OTHER = 'other';
const NONE = 'none';

type Order = (a: SkippedSource, b: SkippedSource) => number;

export class PassedOver {
  readonly #order: Order;
  readonly #extensions = new Map<string, number>();
  readonly #reasons = new Map<PassedOverReason, number>();
  #named: SkippedSource[] = [];

  constructor(order: Order) {
    this.#order = order;
  }

  add(file: SkippedSource & { readonly reason: PassedOverReason }): void {
    const extension = extensionOf(file.name.slice(file.name.lastIndexOf('/') + 1));
    this.#extensions.set(extension, (this.#extensions.get(extension) ?? 0) + 1);
    this.#reasons.set(file.reason, (this.#reasons.get(file.reason) ?? 0) + 1);
    this.#named.push(file);
    if (this.#named.length >= 2 * MAX_NAMED) this.#named = this.named();
  }

  get counts(): PassedOverCounts {
    return Object.fromEntries(this.#reasons);
  }

  /** Returns the first files in sorting order, so that the choice does not depend on the order of the walk. */
  named(): SkippedSource[] {
    return firstNamed(this.#named, this.#order);
  }

  /** Returns the number of files by extension, in lower case; all but the most frequent extensions as `other`. */
  extensions(): Readonly<Record<string, number>> {
    return shownExtensions(this.#extensions);
  }
}

/** Sorts the files, and returns the first thousand. */
export function firstNamed(files: SkippedSource[], order: Order): SkippedSource[] {
  return files.sort(order).slice(0, MAX_NAMED);
}

/** Returns the counts by extension; all but the most frequent as `other`. */
export function shownExtensions(counts: ReadonlyMap<string, number>): Readonly<Record<string, number>> {
  const all = [...counts].sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  const shown = new Map(all.slice(0, MAX_EXTENSIONS));
  for (const [, n] of all.slice(MAX_EXTENSIONS)) shown.set(OTHER, (shown.get(OTHER) ?? 0) + n);
  return Object.fromEntries([...shown].sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** Returns `.csv` for `a.csv`, `a.CSV.1` and `a.csv-20260101`; `.csv.gz` for `a.csv.gz`. */
function extensionOf(name: string): string {
  const packed = PACKED.exec(name)?.[0].toLowerCase() ?? '';
  const plain = withoutNumbers(name.slice(0, name.length - packed.length));
  const own = EXTENSION.exec(plain)?.[1]?.toLowerCase();
  if (own !== undefined) return own + packed;
  return plain.includes('.', 1) ? OTHER : packed || NONE;
}

/** Strips the numbers and dates that a rotation appends to a name. */
function withoutNumbers(name: string): string {
  for (let end = name.length; ; ) {
    let at = end - 1;
    while (isDigit(name, at)) at--;
    if (at === end - 1 || (name[at] !== '.' && name[at] !== '-')) return name.slice(0, end);
    end = at;
  }
}

function isDigit(text: string, at: number): boolean {
  const unit = text.charCodeAt(at);
  return unit >= 0x30 && unit <= 0x39;
}
