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
    ['openers', '<a>'.repeat(1_000_000), false],
    ['blocks', '<a></a> '.repeat(1_000_000), true],
    ['blanks', ' '.repeat(5_000_000), false],
  ])('reads 5 MB of %s, in linear time', (_what, text, expected) => {
    expect(isBlocks(text, [A, FILE])).toBe(expected);
  });
});
