/** Sums by name, and their comparison: every name of either side must have the same count, none is 0. */
import type { Problems } from './problems.ts';

export type Counts = Map<string, number>;

export function add(counts: Counts, name: string, n = 1): void {
  if (n !== 0) counts.set(name, (counts.get(name) ?? 0) + n);
}

export function addAll(counts: Counts, more: ReadonlyMap<string, number>): void {
  for (const [name, n] of more) add(counts, name, n);
}

export function sumOf(counts: ReadonlyMap<string, number>): number {
  let sum = 0;
  for (const n of counts.values()) sum += n;
  return sum;
}

/** What the file says in `stated` against what was counted. */
export function compareCounts(
  problems: Problems,
  place: { readonly file: string; readonly line?: number },
  what: string,
  counted: ReadonlyMap<string, number>,
  stated: ReadonlyMap<string, number>,
): void {
  for (const name of new Set([...counted.keys(), ...stated.keys()])) {
    problems.equal(
      place.file,
      place.line,
      `${what} '${name}'`,
      counted.get(name) ?? 0,
      stated.get(name) ?? 0,
    );
  }
}
