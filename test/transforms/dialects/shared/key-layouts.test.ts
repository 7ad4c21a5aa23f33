import { describe, expect, test } from 'vitest';
import { KeyLayouts } from '../../../../transforms/dialects/shared/key-layouts.ts';
import { encode } from '../../../../transforms/json/utf8.ts';
import { ValueTape } from '../../../../transforms/json/value-tape.ts';

/** Returns the findings of the layouts about an object: the text of a duplicate key, and the values that the tape finds. */
function placed(
  layouts: KeyLayouts,
  text: string,
  ...keys: readonly string[]
): readonly [string | undefined, ...(string | undefined)[]] {
  const bytes = encode(text);
  const tape = new ValueTape();
  tape.fill(bytes, 0);
  const at = layouts.place(bytes, tape);
  const values = keys.map((key) => {
    const row = tape.find(bytes, 0, key);
    return row < 0 ? undefined : `${Buffer.from(bytes.subarray(tape.start(row), tape.end(row)))}`;
  });
  return [at < 0 ? undefined : text.slice(at), ...values];
}

const all = (): KeyLayouts => new KeyLayouts(() => true);

test('the members of objects with the same keys, with others, and with fewer', () => {
  const layouts = all();
  for (let round = 0; round < 3; round++) {
    expect(placed(layouts, '{"a":1,"b":[2,{"a":9}],"c":"3"}', 'a', 'b', 'c', 'd')).toEqual([
      ...[undefined, '1', '[2,{"a":9}]', '"3"', undefined],
    ]);
    expect(placed(layouts, '{"a":4,"c":5}', 'a', 'b', 'c')).toEqual([undefined, '4', undefined, '5']);
    expect(placed(layouts, '{"a":6}', 'a', 'c')).toEqual([undefined, '6', undefined]);
    expect(placed(layouts, '{}', 'a')).toEqual([undefined, undefined]);
  }
});

describe('a key that occurs twice', () => {
  test('is found each time, and its last value counts', () => {
    const layouts = all();
    for (let round = 0; round < 3; round++) {
      expect(placed(layouts, '{"a":1,"b":2,"a":3,"c":4}', 'a', 'c')).toEqual(['"a":3,"c":4}', '3', '4']);
      expect(placed(layouts, '{"a":1,"b":2,"c":3}', 'a')).toEqual([undefined, '1']);
    }
  });

  test('is found with an escape', () => {
    const layouts = all();
    for (let round = 0; round < 3; round++)
      expect(placed(layouts, '{"a":1,"\\u0061":2}', 'a')).toEqual(['"\\u0061":2}', '2']);
  });

  test('may occur, if it is not one of those that must not', () => {
    const layouts = new KeyLayouts((key) => key === 'a');
    expect(placed(layouts, '{"b":1,"b":2}', 'b')).toEqual([undefined, '2']);
    expect(placed(layouts, '{"b":1,"b":2,"a":3,"a":4}', 'a')).toEqual(['"a":4}', '4']);
  });

  test('is found among many keys', () => {
    const many = Array.from({ length: 100 }, (_, i) => `"k${i}":${i}`).join();
    expect(placed(all(), `{${many},"k7":"again"}`, 'k7', 'k99')).toEqual(['"k7":"again"}', '"again"', '99']);
    expect(placed(all(), `{${many}}`, 'k7')).toEqual([undefined, '7']);
  });
});

test('a key beyond ASCII is not taken for another one with the same bytes', () => {
  const layouts = all();
  const [latin, han] = ['é\u0080\u0080', '\u9000']; // in UTF-8, the second one has the code points of the first as bytes
  for (let round = 0; round < 2; round++) {
    expect(placed(layouts, `{"${latin}":1}`, latin, han)).toEqual([undefined, '1', undefined]);
    expect(placed(layouts, `{"${han}":2}`, latin, han)).toEqual([undefined, undefined, '2']);
  }
});

test('objects that all have other keys', () => {
  const layouts = all();
  for (let i = 0; i < 5000; i++)
    expect(placed(layouts, `{"x":0,"k${i}":${i}}`, 'x', `k${i}`)).toEqual([undefined, '0', `${i}`]);
});
