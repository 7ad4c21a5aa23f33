import { describe, expect, test } from 'vitest';
import { blockOf, isBlocks } from '../../../transforms/rules/blocks.ts';

const A = blockOf('a');
const FILE = { open: '# File', close: '</END>' };

describe('isBlocks', () => {
  test.each([
    ['<a>1</a>', true],
    [' <a>1</a>\n<a></a> ', true],
    ['# File x <END> y </END>\n<a>1</a>', true],
    ['<a>1</a> x', false],
    ['x <a>1</a>', false],
    ['<a>1', false],
    ['', false],
    [' \n', false],
  ])('%j: %s', (text, expected) => {
    expect(isBlocks(text, [A, FILE])).toBe(expected);
  });

  test.each([
    ['<a>Only another `<a>...</a>` ends it.</a>', true],
    ['<a>x <a>y</a> <a>z</a></a>\n<a>1</a>', true],
    ['<a>x <a> y</a>\n<a>1</a>', true],
    ['<a>x <a>y</a> z', false],
    ['<a>x <a>y</a> z</a> x', false],
  ])('skips pairs in a block that may name its tag: %j: %s', (text, expected) => {
    expect(isBlocks(text, [{ ...A, namesTag: true }, FILE])).toBe(expected);
  });

  test.each([
    ['openers', '<a>'.repeat(1_000_000), false],
    ['pairs', '<a><a></a> '.repeat(500_000), true],
    ['blocks', '<a></a> '.repeat(1_000_000), true],
  ])('reads 5 MB of %s that may name their tag, in linear time', (_what, text, expected) => {
    expect(isBlocks(text, [{ ...A, namesTag: true }, FILE])).toBe(expected);
  });

  test.each([
    ['openers', '<a>'.repeat(1_000_000), false],
    ['blocks', '<a></a> '.repeat(1_000_000), true],
    ['blanks', ' '.repeat(5_000_000), false],
  ])('reads 5 MB of %s, in linear time', (_what, text, expected) => {
    expect(isBlocks(text, [A, FILE])).toBe(expected);
  });
});
