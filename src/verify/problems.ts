/** What is wrong with a dataset: the first thousand problems with their places, and how many there are in all. */

/** One problem: the file below the dataset's folder, and what was expected and found there. */
export interface Problem {
  readonly file: string;
  readonly message: string;
}

export interface Problems {
  readonly kept: readonly Problem[];
  /** All of them, those that were not kept too. */
  readonly count: number;
  add(file: string, message: string): void;
  /** Adds a problem when the two differ; `line` is the one in question, undefined for the whole file. */
  equal(file: string, line: number | undefined, what: string, expected: unknown, found: unknown): void;
}

const MOST_KEPT = 1000;
const SHOWN_CHARS = 200;

export function createProblems(): Problems {
  const kept: Problem[] = [];
  let count = 0;

  function add(file: string, message: string): void {
    count += 1;
    if (kept.length < MOST_KEPT) kept.push({ file, message });
  }

  return {
    kept,
    get count() {
      return count;
    },
    add,
    equal(file, line, what, expected, found) {
      if (expected === found) return;
      const place = line === undefined ? '' : `line ${line}: `;
      add(file, `${place}${what}: expected ${shown(expected)}, found ${shown(found)}`);
    },
  };
}

/** A value as one short line. */
export function shown(value: unknown): string {
  if (value === undefined) return 'none';
  const text = JSON.stringify(value);
  return text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}...` : text;
}
