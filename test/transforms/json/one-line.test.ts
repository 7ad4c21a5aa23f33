import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { oneLine, withoutIndentation } from '../../../transforms/json/one-line.ts';
import { jsonText } from '../arbitraries.ts';
import { KINDS, text } from '../bytes.ts';

describe.each(KINDS)('of a %s', (_kind, make) => {
  it('JSON without line breaks is the same object', () => {
    const json = make('{"a": "\\n\\r",\t"b":1}');
    expect(oneLine(json)).toBe(json);
  });

  it('every CR and LF becomes a space, in a copy', () => {
    const json = make('{\r\n"a":\n1,\r"b":2}');
    expect(text(oneLine(json))).toBe('{  "a": 1, "b":2}');
    expect(text(json)).toBe('{\r\n"a":\n1,\r"b":2}');
  });

  it('a single CR or LF is enough', () => {
    expect(text(oneLine(make('[\r]')))).toBe('[ ]');
    expect(text(oneLine(make('[\n]')))).toBe('[ ]');
  });

  it('values and lengths do not change', () => {
    fc.assert(
      fc.property(jsonText, (json) => {
        const line = text(oneLine(make(json)));
        expect(line).not.toMatch(/[\r\n]/);
        expect(Buffer.byteLength(line)).toBe(Buffer.byteLength(json));
        expect(JSON.parse(line)).toEqual(JSON.parse(json));
      }),
    );
  });
});

describe('without indentation', () => {
  it('text of one line is unchanged', () => {
    fc.assert(
      fc.property(jsonText, (json) => {
        if (!/[\r\n]/.test(json)) expect(withoutIndentation(json)).toBe(json);
        expect(JSON.parse(withoutIndentation(json))).toEqual(JSON.parse(json));
      }),
    );
  });

  it('text that JavaScript or Python has indented is as Python writes it', () => {
    const value = { a: [1, { b: '\\n, x' }], c: {}, d: [] };
    expect(withoutIndentation(JSON.stringify(value, null, 2))).toBe(
      '{"a": [1, {"b": "\\\\n, x"}], "c": {}, "d": []}',
    );
  });

  it('5 MB of line breaks are read in linear time', () => {
    expect(
      withoutIndentation(`[${',\n  1'.repeat(1_000_000).slice(1)}${'\n'.repeat(1_000_000)}]`),
    ).toHaveLength(2_999_999 + 1);
  });
});
