import fc from 'fast-check';
import { expect, it } from 'vitest';
import { SmallSet } from '../../../transforms/model/small-set.ts';

it('is a set, whatever is added and deleted', () => {
  const steps = fc.array(fc.tuple(fc.constantFrom('add', 'delete'), fc.constantFrom('a', 'b', 'c')));
  fc.assert(
    fc.property(steps, (list) => {
      const [small, set] = [new SmallSet<string>(), new Set<string>()];
      for (const [step, value] of list) {
        if (step === 'add') {
          small.add(value);
          set.add(value);
        } else {
          small.delete(value);
          set.delete(value);
        }
        expect([...small]).toEqual([...set]);
        expect(small.size).toBe(set.size);
        expect(small.has('a')).toBe(set.has('a'));
      }
    }),
  );
});
