import { describe, expect, it, test } from 'vitest';
import {
  countWords,
  isBlank,
  isSpace,
  skipSpace,
  strip,
  WHITE_SPACE,
} from '../../../transforms/model/white-space.ts';

/** Python 3.11: [c for c in range(0x110000) if chr(c).strip() == '']. */
const PYTHON_SPACES = [
  ...[0x09, 0x0a, 0x0b, 0x0c, 0x0d, 0x1c, 0x1d, 0x1e, 0x1f, 0x20, 0x85, 0xa0, 0x1680],
  ...[0x2000, 0x2001, 0x2002, 0x2003, 0x2004, 0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200a],
  ...[0x2028, 0x2029, 0x202f, 0x205f, 0x3000],
];
const ALL = String.fromCharCode(...PYTHON_SPACES);

test('white space is exactly what Python strips', () => {
  const found = [...Array(0x10000).keys()].filter(isSpace);
  expect(found).toEqual(PYTHON_SPACES);
});

test('the class for regular expressions is the same set', () => {
  const inClass = new RegExp(`^[${WHITE_SPACE}]$`);
  const found = [...Array(0x10000).keys()].filter((c) => inClass.test(String.fromCharCode(c)));
  expect(found).toEqual(PYTHON_SPACES);
});

describe('strip', () => {
  it('removes white space of every kind, only at both ends', () => {
    expect(strip(`${ALL}a${ALL}b${ALL}`)).toBe(`a${ALL}b`);
    expect(strip(ALL)).toBe('');
    expect(strip('')).toBe('');
    expect(strip('ab')).toBe('ab');
  });

  it('keeps characters that JavaScript trims and Python does not', () => {
    expect(strip('\ufeffa\ufeff')).toBe('\ufeffa\ufeff');
    expect(strip('\u200ba\u180e')).toBe('\u200ba\u180e');
  });
});

test('isBlank is true for empty text and white space', () => {
  expect([isBlank(''), isBlank(ALL), isBlank(`${ALL}.`), isBlank('\ufeff')]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('skipSpace stops at the first other character and at the end', () => {
  expect(skipSpace('  a', 0)).toBe(2);
  expect(skipSpace('a  ', 1)).toBe(3);
  expect(skipSpace('a', 0)).toBe(0);
  expect(skipSpace('a', 5)).toBe(5);
});

describe('countWords', () => {
  test.each([
    ['', 0],
    [ALL, 0],
    ['one', 1],
    [' one two ', 2],
    [`one${ALL}two`, 2],
    ['one-two', 1],
    ['a\ufeffb', 1],
    ['a b c d e f g', 7],
  ])('of %j is %d', (text, words) => {
    expect(countWords(text, 10)).toBe(words);
  });

  it('stops at the limit', () => {
    expect(countWords('a b c d', 2)).toBe(2);
    expect(countWords('a b', 0)).toBe(0);
  });
});

test('reads 5 MB of spaces in linear time', () => {
  const blanks = ' '.repeat(5_000_000);
  expect(strip(`${blanks}x${blanks}`)).toBe('x');
  expect(isBlank(blanks)).toBe(true);
  expect(countWords(blanks, 7)).toBe(0);
});
