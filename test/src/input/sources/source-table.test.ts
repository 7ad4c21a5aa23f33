import type { BigIntStats } from 'node:fs';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import type { SourceRef } from '../../../../src/input/sources/source.ts';
import { compareSources, nameOf, SourceTable } from '../../../../src/input/sources/source-table.ts';

const LETTERS = ['a', 'b', '-', '.', '0', '\xc3\xa9', '\xff'];
const segment = fc
  .array(fc.constantFrom(...LETTERS), { minLength: 1, maxLength: 3 })
  .map((all) => all.join(''));
const folder = fc.record({
  input: fc.nat(1),
  relative: fc.option(
    fc.array(segment, { minLength: 1, maxLength: 3 }).map((all) => all.join('/')),
    { nil: undefined },
  ),
  names: fc.uniqueArray(segment, { maxLength: 6 }),
});

const statsOf = (row: number): BigIntStats =>
  ({
    size: BigInt(row) * 3_000_000_000n,
    ctimeNs: 1_768_457_613_150_003_254n,
    dev: 5n,
    ino: BigInt(row),
  }) as BigIntStats;

/** The files of the folders as a list of objects, and as a table. */
function bothOf(
  folders: readonly { input: number; relative: string | undefined; names: readonly string[] }[],
) {
  const table = new SourceTable();
  const list: SourceRef[] = [];
  const seen = new Set<string>();
  for (const { input, relative, names } of folders) {
    const place = { input, path: relative === undefined ? '/logs' : `/logs/${relative}`, relative };
    for (const name of names) {
      const below = relative === undefined ? name : `${relative}/${name}`;
      if (seen.has(`${input}/${below}`)) continue;
      seen.add(`${input}/${below}`);
      const { size, ...stats } = statsOf(list.length);
      const { ctimeNs, dev, ino } = stats;
      const ref = {
        ...nameOf(below),
        input,
        path: `/logs/${below}`,
        sizeBytes: Number(size),
        ctimeNs,
        dev,
        ino,
      };
      if (list.length % 4 === 3) table.addSingle(ref);
      else table.addFile(place, name, statsOf(list.length));
      list.push(ref);
    }
  }
  return { table, list };
}

it('holds the same sources as a list of objects, in the same order', () => {
  fc.assert(
    fc.property(fc.array(folder, { maxLength: 40 }), (folders) => {
      const { table, list } = bothOf(folders);
      table.sort(() => true);
      const sorted = list.sort(compareSources);
      expect([...table]).toEqual(sorted);
      expect(sorted.map((_, i) => table.at(i))).toEqual(sorted);
      expect([table.length, table.at(sorted.length)]).toEqual([sorted.length, undefined]);
    }),
  );
});

it('leaves out the rows that are refused, and names them', () => {
  const { table, list } = bothOf([{ input: 0, relative: 'a', names: ['c', 'b', 'd', 'e\xff'] }]);
  const files: string[] = [];
  table.sort((row) => {
    files.push(`${table.namedAt(row).name} ${table.fileAt(row)}`);
    return row === 0;
  });
  expect(files).toEqual(['a/b 5:1', 'a/c 5:0', 'a/d 5:2', 'a/e\ufffd 5:3']);
  expect([...table]).toEqual([list[0]]);
});

it('grows: five thousand files keep their names and sizes', () => {
  const names = Array.from({ length: 5000 }, (_, i) => `${i}`.padStart(20, '0'));
  const { table, list } = bothOf([{ input: 0, relative: undefined, names }]);
  table.sort(() => true);
  expect([...table]).toEqual(list);
});
