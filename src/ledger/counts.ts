/** Counts by name, and the bins of histograms. */
import type { Counts } from '../dataset/schema/ledger.ts';

/** Pairs of a name and its count, sorted by name. */
export type CountList = readonly (readonly [name: string, count: number])[];

/** Counts by name, without the names whose count is 0. */
export class Tally {
  #counts = new Map<string, number>();

  add(name: string, n = 1): void {
    if (n !== 0) this.#counts.set(name, (this.#counts.get(name) ?? 0) + n);
  }

  addAll(counts: CountList): void {
    for (const [name, n] of counts) this.add(name, n);
  }

  get(name: string): number {
    return this.#counts.get(name) ?? 0;
  }

  sum(): number {
    let sum = 0;
    for (const n of this.#counts.values()) sum += n;
    return sum;
  }

  clear(): void {
    if (this.#counts.size > 0) this.#counts = new Map();
  }

  /** Returns the counts, sorted by name. */
  sorted(): CountList {
    return sortedCounts(this.#counts);
  }

  toObject(): Counts {
    return Object.fromEntries(this.sorted());
  }
}

/** The empty list, shared because most lists are empty. */
export const NO_COUNTS: CountList = [];

/** Up to this many counts, as most sources and sessions have, are sorted by insertion: `sort` takes several times as long. */
const FEW = 8;

export function sortedCounts(counts: ReadonlyMap<string, number>): CountList {
  if (counts.size === 0) return NO_COUNTS;
  if (counts.size > FEW) return [...counts].sort(([a], [b]) => (a < b ? -1 : 1));
  const sorted: (readonly [string, number])[] = [];
  for (const count of counts) {
    let at = sorted.length;
    for (; at > 0 && (sorted[at - 1] as readonly [string, number])[0] > count[0]; at--)
      sorted[at] = sorted[at - 1] as readonly [string, number];
    sorted[at] = count;
  }
  return sorted;
}

/**
 * Bins: one for each number from 0 to 7, then four per octave. They are fixed, so that counts can be added in any
 * order.
 */
const ONES = 8;
const PER_OCTAVE = 4;
const FIRST_OCTAVE = 3;

/** Returns the index of the bin that contains a whole number. */
export function binOf(value: number): number {
  if (value < ONES) return value;
  const octave = Math.floor(Math.log2(value));
  return ONES + (octave - FIRST_OCTAVE) * PER_OCTAVE + Math.floor((value / 2 ** octave - 1) * PER_OCTAVE);
}

/** Returns the first and the last whole number of a bin. */
export function binRange(bin: number): readonly [from: number, to: number] {
  if (bin < ONES) return [bin, bin];
  const octave = FIRST_OCTAVE + Math.floor((bin - ONES) / PER_OCTAVE);
  const from = 2 ** octave * (1 + ((bin - ONES) % PER_OCTAVE) / PER_OCTAVE);
  return [from, from + 2 ** octave / PER_OCTAVE - 1];
}
