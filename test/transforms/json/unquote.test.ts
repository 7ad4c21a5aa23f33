import fc from 'fast-check';
import { expect, test } from 'vitest';
import { unquote } from '../../../transforms/json/unquote.ts';
import { decode, encode } from '../../../transforms/json/utf8.ts';

const textOf = (json: string): string => decode(unquote(encode(json)));

test.each([
  ['""', ''],
  ['"{\\"a\\":1}"', '{"a":1}'],
  ['"\\\\ \\/ \\b\\f\\n\\r\\t"', '\\ / \b\f\n\r\t'],
  ['"\\u0041\\u00e9\\u2264\\u00E9"', 'Aé≤é'],
  ['"\\ud83d\\ude00\u{1f600}"', '\u{1f600}\u{1f600}'],
])('%s is a text', (json, text) => {
  expect(textOf(json)).toBe(text);
});

test.each([
  ['"a\\ud83d"', 'a\\ud83d'],
  ['"\\uDE00b"', '\\ude00b'],
  ['"\\ud83d\\ud83d\\ude00"', '\\ud83d\u{1f600}'],
  ['"\\ud83d\\u0041"', '\\ud83dA'],
])('a lone surrogate of %s stays an escape', (json, text) => {
  expect(textOf(json)).toBe(text);
});

test('the text of any string in any spelling is its UTF-8', () => {
  const unit = fc.oneof(
    fc.constantFrom('"', '\\', '/', '\n', '\u0000', 'é', '≤'),
    fc.string({ unit: 'grapheme' }),
  );
  const escaped = (one: string): string =>
    [...Array(one.length).keys()]
      .map((i) => `\\u${one.charCodeAt(i).toString(16).padStart(4, '0')}`)
      .join('');
  const pieces = fc.array(fc.tuple(unit, fc.boolean()));
  fc.assert(
    fc.property(pieces, (all) => {
      const json = all.map(([one, isEscaped]) =>
        isEscaped ? escaped(one) : JSON.stringify(one).slice(1, -1),
      );
      expect(textOf(`"${json.join('')}"`)).toBe(all.map(([one]) => one).join(''));
    }),
  );
});
