import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import { quote, respace, respaceText } from '../../../transforms/json/respace.ts';
import { encode } from '../../../transforms/json/utf8.ts';
import { jsonText } from '../arbitraries.ts';
import { asArray, KINDS } from '../bytes.ts';

/** Written by Python 3.11 with json.dumps(json.loads(source), ensure_ascii=False), for numbers whose text Python keeps. */
const PYTHON: readonly (readonly [source: string, dumped: string])[] = [
  ['{}', '{}'],
  ['[ ]', '[]'],
  ['{"a":1,"b":[1,2,{"c":null}]}', '{"a": 1, "b": [1, 2, {"c": null}]}'],
  ['{\r\n\t"a" :\n1 ,\n"b" : true\n}', '{"a": 1, "b": true}'],
  ['[[],{},"",0,-1.5,false]', '[[], {}, "", 0, -1.5, false]'],
  ['"\\u00e9\\u4e2d\\ud83d\\ude00"', '"é中\u{1f600}"'],
  ['"\\/ \\u002f \\u0041"', '"/ / A"'],
  ['"\\u0008\\u0009\\u000a\\u000c\\u000d"', '"\\b\\t\\n\\f\\r"'],
  ['"\\u0000\\u001F\\u007f"', '"\\u0000\\u001f\u007f"'],
  ['"\\"\\\\"', '"\\"\\\\"'],
  ['"a,b:c {} [ ]  d"', '"a,b:c {} [ ]  d"'],
  ['{"k\\u00e9y,:":"v"}', '{"kéy,:": "v"}'],
  ['{"2":1,"1":2}', '{"2": 1, "1": 2}'],
  ['"\\u2028\\u2029\\u0085\\ufeff"', '"\u2028\u2029\u0085\ufeff"'],
  ['12345678901234567890', '12345678901234567890'],
  ['1.0', '1.0'],
];

describe.each(KINDS)('of a %s', (_kind, make) => {
  test.each(PYTHON)('%j is spaced as in Python: %j', (source, dumped) => {
    expect(respace(make(source))).toBe(dumped);
    expect(respaceText(` ${source}\n`)).toBe(dumped);
  });

  it('keeps the text of numbers, duplicate keys and the order', () => {
    expect(respace(make('{"b":1e400,"a":-0,"b":1.10,"a":1E+2}'))).toBe(
      '{"b": 1e400, "a": -0, "b": 1.10, "a": 1E+2}',
    );
  });

  it('keeps a lone surrogate as an escape', () => {
    expect(respace(make('["\\uD800","a\\udc00b"]'))).toBe('["\\ud800", "a\\udc00b"]');
  });
});

/** The text without white space outside of strings. */
const tokens = (json: string) => json.match(/"(?:[^"\\]|\\.)*"|[^\s"]/g)?.join('');

test('keeps values, the text of numbers and the order, and changes nothing the second time', () => {
  fc.assert(
    fc.property(jsonText, (json) => {
      const output = respace(asArray(json));
      expect(JSON.parse(output)).toEqual(JSON.parse(json));
      expect(respace(encode(output))).toBe(output);
      const normal = json.replace(/"(?:[^"\\]|\\.)*"/g, (string) => JSON.stringify(JSON.parse(string)));
      expect(tokens(output)).toBe(tokens(normal));
      expect(output.replace(/"(?:[^"\\]|\\.)*"/g, '""')).toMatch(/^(?:[^\s,:]|, |: )*$/);
    }),
    { numRuns: 1000 },
  );
});

describe('respaceText', () => {
  test.each([
    '',
    ' ',
    '{',
    '{"a":1}}',
    '1 2',
    'NaN',
    '{a:1}',
    "{'a':1}",
    '\ufeff{}',
    '{"a":"\ud800"}',
    'not json',
    '\u00a01',
  ])('returns undefined for %j, which is not JSON', (text) => {
    expect(respaceText(text)).toBeUndefined();
  });

  it('reads any JSON value, with JSON white space around it', () => {
    expect(respaceText('\r\n\t 7 ')).toBe('7');
    expect(respaceText('"x"')).toBe('"x"');
    expect(respaceText('null')).toBe('null');
  });

  it('returns undefined for a value that is nested too deep', () => {
    expect(respaceText('['.repeat(512) + ']'.repeat(512))).toHaveLength(1024);
    expect(respaceText('['.repeat(513) + ']'.repeat(513))).toBeUndefined();
    expect(respaceText('['.repeat(1_000_000))).toBeUndefined();
  });
});

test('quote writes the fewest escapes', () => {
  expect(quote('é"\\\n\u0001\u2028/\u{1f600}\ud800')).toBe('"é\\"\\\\\\n\\u0001\u2028/\u{1f600}\\ud800"');
});
