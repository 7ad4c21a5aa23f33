/**
 * The oracle's parser and writers against JSON.parse, with fast-check: they accept the same texts, produce the same values, and the Python
 * layout reads back as the same tree.
 */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { parseJson, tryParseJson } from '../support/oracle/parse-json.ts';
import { recordText } from '../support/oracle/record-text.ts';
import { dump } from '../support/oracle/write-python.ts';

function accepts(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

const options = { numRuns: 500, seed: 20260113 };

test('a JSON text is parsed to its last byte, and its Python layout means the same', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(undefined, 1, '\t'), (value, indent) => {
      const text = JSON.stringify(value, null, indent);
      const tree = parseJson(text);
      expect(recordText(tree)).toBe(text);
      expect(JSON.parse(dump(tree))).toEqual(JSON.parse(text));
      expect(dump(parseJson(dump(tree)))).toBe(dump(tree));
    }),
    options,
  );
});

test('a damaged text is accepted exactly when JSON.parse accepts it', () => {
  const damage = fc.record({
    value: fc.jsonValue(),
    at: fc.nat(200),
    cut: fc.nat(2),
    put: fc.constantFrom(
      '',
      '"',
      '\\',
      ',',
      ':',
      '{',
      '}',
      '[',
      ']',
      '0',
      '-',
      '.',
      'e',
      ' ',
      '\n',
      '\u0000',
      '\ufeff',
      'n',
      '\\u',
      '\u00a0',
    ),
  });
  fc.assert(
    fc.property(damage, ({ value, at, cut, put }) => {
      const text = JSON.stringify(value);
      const from = at % (text.length + 1);
      const damaged = text.slice(0, from) + put + text.slice(from + cut);
      expect([damaged, tryParseJson(damaged) !== undefined]).toEqual([damaged, accepts(damaged)]);
    }),
    { ...options, numRuns: 3000 },
  );
});
