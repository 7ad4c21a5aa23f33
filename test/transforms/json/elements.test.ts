import { describe, expect, it } from 'vitest';
import { crowdedAt, elementsIn, isCrowdedText } from '../../../transforms/json/elements.ts';
import { encode } from '../../../transforms/json/utf8.ts';

const at = (json: string, most: number): number => crowdedAt(encode(json), 0, json.length, most);

describe('crowdedAt', () => {
  it('finds the first array or object that has more', () => {
    expect(at('[1,2,3]', 3)).toBe(-1);
    expect(at('[1,2,3,4]', 3)).toBe(0);
    expect(at('{"a":[1,2],"b":[1,2,3,4]}', 3)).toBe(15);
    expect(at('{"a":1,"b":2,"c":3,"d":4}', 3)).toBe(0);
    expect(at('[[1,2],[3,4],[5,6]]', 3)).toBe(-1);
  });

  it('ignores strings', () => {
    expect(at('["a,b,c,d","\\",[,,,,"]', 3)).toBe(-1);
  });
});

it('elementsIn counts all levels and stops at the limit', () => {
  const count = (json: string, most = 100): number => elementsIn(encode(json), 0, json.length, most);
  expect(count('{"a":[1,2,3],"b":"[,,"}')).toBe(5);
  expect([count('[{},[],{ }]'), count('[[[]]]'), count('[]')]).toEqual([3, 2, 0]);
  expect(count(`[${'{},'.repeat(50)}{}]`, 10)).toBe(11);
});

it('isCrowdedText recognises a text with millions of values', () => {
  expect(isCrowdedText(`[${'0,'.repeat(1_100_000)}0]`)).toBe(true);
  expect(isCrowdedText(`{"a":"${'0,'.repeat(1_100_000)}"}`)).toBe(false);
  expect(isCrowdedText('[1,2]')).toBe(false);
});
