import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { sortedCounts, Tally } from '../../../src/ledger/counts.ts';

const names = fc.uniqueArray(fc.string({ maxLength: 4 }), { maxLength: 20 });

describe('sorted counts', () => {
  test('are in the order of their names, whether few or many', () => {
    fc.assert(
      fc.property(names, (all) => {
        const sorted = [...all].sort();
        const counts = new Map(all.map((name) => [name, name.length + 1]));
        expect(sortedCounts(counts)).toEqual(sorted.map((name) => [name, name.length + 1]));
      }),
    );
  });

  test('do not change the tally', () => {
    const tally = new Tally();
    for (const name of ['b', 'a', 'b']) tally.add(name);
    expect(tally.sorted()).toEqual([
      ['a', 1],
      ['b', 2],
    ]);
    tally.add('a', 4);
    expect(tally.toObject()).toEqual({ a: 5, b: 2 });
  });
});
