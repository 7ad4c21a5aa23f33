import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { encode, knownText } from '../../../transforms/json/utf8.ts';

const textOf = (json: string): string => {
  const bytes = encode(json);
  return knownText(bytes, 0, bytes.length);
};

describe('knownText', () => {
  it('equals JSON.parse after any other keys', () => {
    const key = fc.oneof(
      fc.string({ unit: 'binary', maxLength: 80 }),
      fc.constantFrom('role', 'rolf', '', '\\', '\u00e9'),
    );
    fc.assert(
      fc.property(fc.array(key, { maxLength: 60 }), (keys) => {
        for (const text of keys) expect(textOf(JSON.stringify(text))).toBe(text);
      }),
    );
  });

  it('distinguishes a key from the same bytes inside an escape', () => {
    expect(textOf('"\\u0061bc"')).toBe('abc');
    expect(textOf('"abc"')).toBe('abc');
    expect(textOf('"\\\\"')).toBe('\\');
    expect(textOf('"\\n"')).toBe('\n');
  });

  it('reads a key inside a longer text', () => {
    expect(knownText(encode('{"role":1}'), 1, 7)).toBe('role');
  });
});
