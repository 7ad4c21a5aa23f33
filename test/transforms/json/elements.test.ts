import { describe, expect, it } from 'vitest';
import {
  createCountingScanner,
  createTextScanner,
  crowdedAt,
  elementsIn,
  isCrowdedText,
  pathTo,
} from '../../../transforms/json/elements.ts';
import { createPlainScanner } from '../../../transforms/json/scanner.ts';
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

it('isCrowdedText recognises a text that would be millions of values', () => {
  expect(isCrowdedText(`[${'0,'.repeat(1_100_000)}0]`)).toBe(true);
  expect(isCrowdedText(`{"a":"${'0,'.repeat(1_100_000)}"}`)).toBe(false);
  expect(isCrowdedText('[1,2]')).toBe(false);
});

describe('createCountingScanner', () => {
  const scanner = createCountingScanner(createPlainScanner(), 3);
  const scan = (json: string): readonly number[] => [scanner.value(encode(json), 0, 0), scanner.crowdAt];

  it('fails where a crowded value opens, and agrees with the scanner elsewhere', () => {
    expect(scan('[1,2,3]')).toEqual([7, -1]);
    expect(scan('{"a":[1,2,3,4]}')).toEqual([-1, 5]);
    expect(scan('[1,2,3,4')).toEqual([-1, -1]);
    expect(scan('["1,2,3,4,5"]')).toEqual([13, -1]);
  });
});

it('createTextScanner treats a value with very many elements as text', () => {
  const scanner = createTextScanner();
  const list = (count: number): Uint8Array => encode(`[${'0,'.repeat(count - 1)}0]`);
  expect(scanner.value(list(100_000), 0, 0)).toBe(200_001);
  expect(scanner.value(list(100_001), 0, 0)).toBe(-1);
});

it('pathTo names only keys that are read', () => {
  const json = '{"request":{"messages":[{},{"tool_calls":[{"secret":[0]}]}]}}';
  const to = (text: string): string => pathTo(encode(json), 0, json.indexOf(text));
  expect(to('[0]')).toBe('request.messages[1].tool_calls[0].*');
  expect(to('[{"secret')).toBe('request.messages[1].tool_calls');
  expect(pathTo(encode(json), 0, 0)).toBe('');
  const deep = `${'['.repeat(30)}${']'.repeat(30)}`;
  expect(pathTo(encode(deep), 0, 29)).toBe(`${'[0]'.repeat(10)}...`);
});
