import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { createEntryLog, type Place, placesOf } from '../../../transforms/model/entry-log.ts';

/** Places as from the framer: lines and offsets never go back. */
const places: fc.Arbitrary<readonly Place[]> = fc
  .array(
    fc.tuple(fc.nat(300), fc.oneof(fc.nat(300), fc.integer({ min: 0, max: 2 ** 44 })), fc.nat(2 ** 31 - 1)),
    {
      maxLength: 60,
    },
  )
  .map((steps) => {
    let [line, offset] = [1, 0];
    return steps.map(([lines, bytes, length]) => {
      line += lines;
      offset += bytes;
      return { line, offset, length };
    });
  });

const written = (log: ReturnType<typeof createEntryLog>, list: readonly Place[]) => {
  for (const place of list) log.add({ source: 'a', ...place });
  return log.take();
};

test('places are read back as written', () => {
  fc.assert(
    fc.property(places, places, (first, second) => {
      const log = createEntryLog();
      const [one, two] = [written(log, first), written(log, second)];
      expect([...placesOf(one)]).toEqual(first);
      expect([...placesOf(two)]).toEqual(second);
      expect([one.count, two.count]).toEqual([first.length, second.length]);
    }),
  );
});

describe('a log', () => {
  it('of no entries is empty', () => {
    const { count, packed } = createEntryLog().take();
    expect([count, packed.length]).toEqual([0, 0]);
  });

  it('holds the largest offsets', () => {
    const place = { line: 2 ** 53 - 1, offset: 2 ** 53 - 1, length: 2 ** 53 - 1 };
    expect([...placesOf(written(createEntryLog(), [place]))]).toEqual([place]);
  });

  it('takes a few bytes for each entry', () => {
    const list = Array.from({ length: 1000 }, (_, i) => ({ line: i + 1, offset: i * 5000, length: 4999 }));
    expect(written(createEntryLog(), list).packed.length).toBeLessThan(5001);
  });

  it('that was taken does not change with later additions', () => {
    const log = createEntryLog();
    const first = written(log, [{ line: 1, offset: 0, length: 9 }]);
    written(log, [{ line: 7, offset: 70, length: 99 }]);
    expect([...placesOf(first)]).toEqual([{ line: 1, offset: 0, length: 9 }]);
  });
});
