import fc from 'fast-check';
import { expect, test } from 'vitest';
import { shapeOfRecord } from '../../../transforms/formats/record-shape.ts';
import { ShapeCounter } from '../../../transforms/formats/shape-counter.ts';
import { encode } from '../../../transforms/json/utf8.ts';

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

test('a record that is split has the messages of both parts; texts have none', () => {
  const calling = '{"role":"assistant","tool_calls":[{"function":{"name":"f"}}]}';
  const split = `{"prompt":[{"role":"user"},${calling}],"completion":[{"role":"tool"},${calling}],"tools":[]}`;
  expect(shapeOfRecord(encode(split), 'trl')).toEqual({
    roles: { user: 1, assistant: 2, tool: 1 },
    calls: { f: 2 },
  });
  expect(shapeOfRecord(encode('{"prompt":"a","completion":"b"}'), 'prompt')).toBeUndefined();
});
