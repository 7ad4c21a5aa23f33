import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { equalityKey } from '../../../transforms/checks/equality-key.ts';

const parsed = (json: string) => equalityKey(JSON.parse(json));

describe('equalityKey', () => {
  it.each([
    ['{"a":1,"b":[true,null]}', '{ "b": [true, null], "a": 1.0 }'],
    ['{"2":0,"1":0}', '{"1":0,"2":-0}'],
    ['"\\u0041"', '"A"'],
    ['1e2', '100'],
  ])('is the same for %s and %s', (a, b) => {
    expect(parsed(a)).toBe(parsed(b));
  });

  it.each([
    ['[1,2]', '[2,1]'],
    ['"1"', '1'],
    ['[[],1]', '[[1]]'],
    ['{"a":{},"b":1}', '{"a":{"b":1}}'],
    ['["a","b"]', '["a\\",\\"b"]'],
    ['{"a":"b"}', '["a","b"]'],
    ['null', '"null"'],
    ['{}', '[]'],
  ])('differs for %s and %s', (a, b) => {
    expect(parsed(a)).not.toBe(parsed(b));
  });

  it('is the same exactly for equal values', () => {
    const few = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 3 },
        fc.constantFrom(null, true, false, 0, 1, 12, '', '1', '2:', 'a'),
        fc.array(tie('value'), { maxLength: 3 }),
        fc.dictionary(fc.constantFrom('a', 'b', '1', '', '__proto__'), tie('value'), { maxKeys: 3 }),
      ),
    })).value;
    const json = few.map((value) => JSON.parse(JSON.stringify(value)) as unknown);
    fc.assert(
      fc.property(json, json, (a, b) => (equalityKey(a) === equalityKey(b)) === isDeepStrictEqual(a, b)),
      { numRuns: 2000 },
    );
  });

  it('does not recurse', () => {
    const depth = 300_000;
    expect(equalityKey(JSON.parse('['.repeat(depth) + ']'.repeat(depth)))).toHaveLength(depth * 3);
  });
});
