import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { IdSet } from '../../../transforms/model/id-set.ts';

describe('a set of ids', () => {
  it('has the ids that were added, and no other', () => {
    const id = fc.oneof(fc.uuid(), fc.string({ maxLength: 40 }), fc.nat(20).map(String));
    fc.assert(
      fc.property(fc.array(id), fc.array(id), (added, others) => {
        const ids = new IdSet();
        for (const one of added) ids.add(one);
        const known = new Set(added);
        for (const one of [...added, ...others]) expect(ids.has(one)).toBe(known.has(one));
        expect(ids.size).toBe(known.size);
      }),
    );
  });

  it('keeps them while it grows', () => {
    const ids = new IdSet();
    const count = 40_000;
    for (let i = 0; i < count; i++) {
      expect(ids.has(`session-number-${i}`)).toBe(false);
      ids.add(`session-number-${i}`);
    }
    for (let i = 0; i < count; i++) {
      ids.add(`session-number-${i}`);
      expect(ids.has(`session-number-${i}`)).toBe(true);
    }
    expect([ids.size, ids.has(`session-number-${count}`)]).toEqual([count, false]);
  });

  it('is empty after it was cleared', () => {
    const ids = new IdSet();
    for (let i = 0; i < 5000; i++) ids.add(`${i}`);
    ids.clear();
    expect([ids.size, ids.has('7')]).toEqual([0, false]);
    ids.add('7');
    expect([ids.size, ids.has('7'), ids.has('8')]).toEqual([1, true, false]);
  });
});
