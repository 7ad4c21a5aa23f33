import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ShapeCounter } from '../../../transforms/formats/record-shape.ts';

/** Names of inherited members, and names that objects sort by themselves. */
const ODD = ['__proto__', 'constructor', 'toString', 'valueOf', 'hasOwnProperty', '1', '0', '', '?'];

test('calls are counted by any name, as in a map', () => {
  fc.assert(
    fc.property(fc.array(fc.oneof(fc.constantFrom(...ODD), fc.string({ maxLength: 2 }))), (calls) => {
      const counter = new ShapeCounter();
      const expected = new Map<string, number>();
      for (const name of calls) {
        counter.call(name);
        expected.set(name || '?', (expected.get(name || '?') ?? 0) + 1);
      }
      const counted = counter.take().calls;
      expect(Object.entries(counted)).toEqual(Object.entries(Object.fromEntries(expected)));
      expect(structuredClone(counted)).toEqual(counted);
    }),
  );
});
