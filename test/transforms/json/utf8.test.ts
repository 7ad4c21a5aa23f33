import fc from 'fast-check';
import { describe, expect, it, test } from 'vitest';
import {
  decode,
  encode,
  invalidUtf8At,
  parseJson,
  parseString,
  textPieces,
} from '../../../transforms/json/utf8.ts';
import { jsonText } from '../arbitraries.ts';
import { asArray, fromLatin1, KINDS } from '../bytes.ts';

describe.each(KINDS)('of a %s', (_kind, make) => {
  it('decode is the inverse of encode, byte order marks too', () => {
    for (const text of ['', 'a', '\ufeffé', '\u{1f600}\u2028', '\u0000']) {
      expect(decode(make(encode(text)))).toBe(text);
    }
  });

  it('parseJson returns the value', () => {
    expect(parseJson(make('{"é":[1.5,"\\ud83d\\ude00"]}'))).toEqual({ é: [1.5, '\u{1f600}'] });
  });

  test.each([
    ['"plain"', 'plain'],
    ['""', ''],
    ['"a\\n\\"\\u0041"', 'a\n"A'],
    ['"é\u{1f600}"', 'é\u{1f600}'],
    ['"\\ud800"', '\ud800'],
    ['"\u007f"', '\u007f'],
    ['"a\ufeff"', 'a\ufeff'],
  ])('parseString reads %s', (json, value) => {
    const bytes = make(`{${json}:1}`);
    expect(parseString(bytes, 1, bytes.length - 3)).toBe(value);
  });
});

test('parseString equals JSON.parse for every string', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.boolean(), (value, escaped) => {
      const json = JSON.stringify(value);
      const ascii = (c: string) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`;
      const bytes = encode(escaped ? json.replace(/[\u0080-\uffff]/g, ascii) : json);
      expect(parseString(bytes, 0, bytes.length)).toBe(value);
    }),
  );
});

describe('invalidUtf8At', () => {
  test.each([
    ['', -1],
    ['plain', -1],
    ['\xc3\xa9\xe2\x80\xa8\xf0\x9f\x98\x80', -1],
    ['a\xe9', 1],
    ['\xc3\xa9\x80', 2],
    ['ab\xc3', 2],
    ['ab\xe2\x80', 2],
    ['ab\xf0\x9f\x98', 2],
    ['\xc0\xaf', 0],
    ['\xed\xa0\x80', 0],
    ['\xf4\x90\x80\x80', 0],
    ['\xff', 0],
  ])('of %j is %d', (characters, at) => {
    for (const [, make] of KINDS) expect(invalidUtf8At(make(fromLatin1(characters)))).toBe(at);
  });

  it('finds the first byte that a strict decoder rejects', () => {
    const decoder = () => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
    const bytes = fc.array(
      fc.oneof(
        jsonText.map((json) => encode(json)),
        fc.uint8Array({ maxLength: 3 }),
      ),
      { maxLength: 3 },
    );
    fc.assert(
      fc.property(bytes, (pieces) => {
        const whole = asArray(Buffer.concat(pieces));
        const at = invalidUtf8At(whole);
        if (at < 0) expect(() => decoder().decode(whole)).not.toThrow();
        else {
          expect(() => decoder().decode(whole)).toThrow();
          expect(() => decoder().decode(whole.subarray(0, at))).not.toThrow();
        }
      }),
      { numRuns: 1000 },
    );
  });
});

describe('textPieces', () => {
  it.each(['', 'plain', '\u{1f600}\n', '\ud83d', 'é€'])('reads %j', (text) => {
    expect([...textPieces(encode(JSON.stringify(text)))].join('')).toBe(text);
  });

  it.each([false, true])('cuts no character of a long text in two, with escapes: %s', (escaped) => {
    const ascii = (c: string) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`;
    const tokens = fc.constantFrom('a', '"', '\\', 'é', '€', '\u{1f600}', '\ud83d', '\ude00', '\n', '\u0001');
    fc.assert(
      fc.property(fc.array(tokens, { minLength: 1, maxLength: 12 }), (all) => {
        const text = all.join('').repeat(Math.ceil(140_000 / all.join('').length)); // at least two pieces
        const json = JSON.stringify(text);
        const pieces = [...textPieces(encode(escaped ? json.replace(/[\u0080-\uffff]/g, ascii) : json))];
        expect(pieces.length).toBeGreaterThan(1);
        expect(pieces.join('') === text).toBe(true);
        expect(pieces.every((piece) => piece.length <= 70_000)).toBe(true);
        const isCut = pieces.some(
          (piece, i) => /[\ud800-\udbff]$/.test(piece) && /^[\udc00-\udfff]/.test(pieces[i + 1] ?? ''),
        );
        expect(isCut).toBe(false);
      }),
      { numRuns: 40 },
    );
  });
});
