import { describe, expect, test } from 'vitest';
import { blockOf, isBlocks, withoutBlocks } from '../../../transforms/rules/blocks.ts';

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
});

describe('withoutBlocks', () => {
  test.each([
    ['x', 'x'],
    ['x <a>1', 'x <a>1'],
    ['x </a> <a>', 'x </a> <a>'],
    ['x\n\n<a>1</a>\n', 'x\n'],
    ['<a>1</a>\nx', 'x'],
    [' <a>1</a> <a>2</a> x <a>3</a> y', 'x y'],
    ['x<a>1<a>2</a>3</a>', 'x3</a>'],
    ['x <a>1</a><a>2', 'x<a>2'],
    ['<a>1</a> ', ''],
    ['x\x85\x1c<a>1</a>', 'x'],
    ['x\ufeff<a>1</a>', 'x\ufeff'],
    ['\x1f<a>1</a>\x85', ''],
  ])('%j becomes %j', (text, expected) => {
    expect(withoutBlocks(text, A)).toBe(expected);
  });

  test.each([
    ['openers', '<a>'.repeat(1_000_000)],
    ['ends', '</a>'.repeat(1_000_000)],
    ['blanks', ' '.repeat(5_000_000)],
  ])('keeps 5 MB of %s, in linear time', (_what, text) => {
    expect(withoutBlocks(text, A)).toBe(text);
  });

  test('cuts a million blocks in linear time', () => {
    expect(withoutBlocks(`x${' <a></a>'.repeat(1_000_000)}`, A)).toBe('x');
  });
});
