/** Collects the problems of a dataset: the first thousand with their places, and the total number. */

export interface Problem {
  /** Path of the file below the dataset's folder. */
  readonly file: string;
  /** The difference between the expected and the actual content. */
  readonly message: string;
}

const MAX_KEPT = 1000;
const SHOWN_CHARS = 200;

export class Problems {
  readonly #kept: Problem[] = [];
  #count = 0;

  get kept(): readonly Problem[] {
    return this.#kept;
  }

  /** Number of all problems, including those that were not kept. */
  get count(): number {
    return this.#count;
  }

  add(file: string, message: string): void {
    this.#count += 1;
    if (this.#kept.length < MAX_KEPT) this.#kept.push({ file, message });
  }

  /** Adds a problem if the values differ. @param line undefined for the whole file */
  equal(file: string, line: number | undefined, what: string, expected: unknown, found: unknown): void {
    if (expected === found) return;
    const place = line === undefined ? '' : `line ${line}: `;
    this.add(file, `${place}${what}: expected ${shown(expected)}, found ${shown(found)}`);
  }

  /** Compares the counts in a file with a recount: a name that either side lacks counts as 0. */
  equalCounts(
    { file, line }: { readonly file: string; readonly line?: number },
    what: string,
    counted: ReadonlyMap<string, number>,
    stated: ReadonlyMap<string, number>,
  ): void {
    for (const name of new Set([...counted.keys(), ...stated.keys()]))
      this.equal(file, line, `${what} '${name}'`, counted.get(name) ?? 0, stated.get(name) ?? 0);
  }
}

/** Formats a value on one short line. */
function shown(value: unknown): string {
  if (value === undefined) return 'none';
  const text = JSON.stringify(value);
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}...` : text;
}
