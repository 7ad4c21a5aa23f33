import { expect, test } from 'vitest';
import { FirstSources, quickHash } from '../../../src/record/first-sources.ts';

const hashOf = (text: string): string => {
  const words = new Uint32Array(4);
  quickHash(text, words);
  return words.join(' ');
};

test('keeps the first source of each of many ids', () => {
  const first = new FirstSources();
  const ids = Array.from({ length: 200_000 }, (_, i) => `market-brief-${1768342443120394000n + BigInt(i)}`);
  expect(ids.every((id, i) => first.of(id, i, false) === i)).toBe(true);
  expect(ids.every((id, i) => first.of(id, i + 1, true) === i)).toBe(true);
});

test('remembers no more ids than it may', () => {
  const first = new FirstSources(2);
  expect(['a', 'b', 'c', 'a', 'b', 'c'].map((id, i) => first.of(id, i, false))).toEqual([0, 1, 2, 0, 1, 5]);
});

test('does not remember an id that is new in the last source', () => {
  const first = new FirstSources();
  expect([first.of('a', 0, false), first.of('b', 1, true), first.of('a', 1, true)]).toEqual([0, 1, 0]);
  expect(first.of('b', 2, false)).toBe(2);
});

test('texts that differ in one code unit, in length or in order differ in every word of their hash', () => {
  const texts = [
    '',
    '\0',
    '\0\0',
    'a',
    'b',
    'ab',
    'ba',
    'a\0',
    '\u0100',
    'x'.repeat(7),
    'x'.repeat(8),
    'x'.repeat(9),
  ];
  for (let i = 0; i < 64; i++) texts.push(`${'x'.repeat(i)}y${'x'.repeat(63 - i)}`);
  const hashes = texts.map(hashOf);
  expect(new Set(hashes).size).toBe(texts.length);
  for (let word = 0; word < 4; word++) {
    expect(new Set(hashes.map((hash) => hash.split(' ')[word])).size).toBeGreaterThan(texts.length - 3);
  }
});
