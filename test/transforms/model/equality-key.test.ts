import { isDeepStrictEqual } from 'node:util';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { equalityDigest, equalityKey, parseExactly } from '../../../transforms/model/equality-key.ts';

/** JSON texts of equal values. */
const EQUAL: readonly (readonly [string, string])[] = [
  ['{"a":1,"b":[true,null]}', '{ "b": [true, null], "a": 1.0 }'],
  ['{"2":0,"1":0}', '{"1":0,"2":-0}'],
  ['"\\u0041"', '"A"'],
  ['1e2', '100'],
  ['{"a":{"b":"x"},"c":0}', '{"c":-0,"a":{"b":"\\u0078"}}'],
  ['1e300', '1000e297'],
  ['""', '""'],
];

const parsed = (json: string) => equalityKey(JSON.parse(json));

describe('equalityKey', () => {
  it.each(EQUAL)('is the same for %s and %s', (a, b) => {
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

  it('is the same only for equal values', () => {
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

describe('parseExactly', () => {
  const exact = (json: string) => equalityKey(parseExactly(json));

  it.each([
    ['1234567890123456789', '1234567890123456788'],
    ['[0.12345678901234567]', '[0.12345678901234568]'],
    ['{"id":-90071992547409931}', '{"id":-90071992547409930}'],
    ['1e400', '1e401'],
    ['1e-400', '0'],
    ['1234567890123456789', '"1234567890123456789"'],
    ['["\\\\",12345678901234567890]', '["\\\\",12345678901234567891]'],
  ])('tells %s from %s', (a, b) => {
    expect(exact(a)).not.toBe(exact(b));
  });

  it.each<readonly [string, string]>([
    ...EQUAL,
    ['12345678901234567890', '1234567890123456789.00e1'],
    ['12345678901234567000', '12345678901234567e3'],
    ['0.30000000000000004', '30000000000000004e-17'],
    ['-0.0000000000000000', '0'],
    ['{"a":1e0400}', '{"a":10e399}'],
  ])('gives %s and %s the same key', (a, b) => {
    expect(exact(a)).toBe(exact(b));
  });

  it('changes no text', () => {
    const texts = ['12345678901234567890', '\\"12345678901234567891\\', '\\\\', '', '"'];
    for (const json of [JSON.stringify(texts), JSON.stringify({ [texts.join()]: texts })])
      expect(parseExactly(json)).toEqual(JSON.parse(json));
  });

  it('throws like JSON.parse, and reads a text of 4 MB', () => {
    expect(() => parseExactly('{"n":12345678901234567890')).toThrow(SyntaxError);
    const text = '\\"1234567890123456'.repeat(250_000);
    expect(parseExactly(`["${text}"]`)).toEqual([text.replaceAll('\\"', '"')]);
  });
});

describe('equalityDigest', () => {
  const digestOf = (json: string) => equalityDigest(JSON.parse(json));

  it.each(EQUAL)('is the same for %s and %s', (a, b) => {
    expect(digestOf(a)).toBe(digestOf(b));
  });

  it.each([
    ['{"path":"src/a.ts"}', '{"path":"src/bc.ts"}'],
    ['1', '2'],
    ['true', 'false'],
    ['null', 'false'],
    ['[1]', '[1,1]'],
    ['{"a":1}', '{"b":1}'],
  ])('distinguishes %s from %s', (a, b) => {
    expect(digestOf(a)).not.toBe(digestOf(b));
  });

  it('is the same for equal values', () => {
    const json = fc.jsonValue();
    fc.assert(
      fc.property(json, json, (a, b) => !isDeepStrictEqual(a, b) || equalityDigest(a) === equalityDigest(b)),
    );
    fc.assert(
      fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (object) => {
        const turned = Object.fromEntries(Object.entries(object).reverse());
        expect(equalityDigest(turned)).toBe(equalityDigest(object));
      }),
    );
  });

  it('does not overflow the stack on deep values', () => {
    const depth = 200_000;
    expect(digestOf('['.repeat(depth) + ']'.repeat(depth))).toBe((depth - 1) * 8 + 7);
  });
});
