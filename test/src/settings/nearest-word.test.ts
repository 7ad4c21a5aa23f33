import { expect, test } from 'vitest';
import { nearestWord } from '../../../src/settings/nearest-word.ts';
import { dialects } from '../../../transforms/dialects/index.ts';
import { formats } from '../../../transforms/formats/index.ts';

const words = [...dialects, ...formats].map(({ name }) => name);

test.each([
  ['claudecode', 'claude-code'],
  ['Claude_Code', 'claude-code'],
  ['claude', 'claude-code'],
  ['claud', 'claude-code'],
  ['gemini', 'gemini-cli'],
  ['shargpt', 'sharegpt'],
  ['openia', 'openai'],
  ['alpaca', undefined],
  ['x', undefined],
  ['', undefined],
  ['c'.repeat(1_000_000), undefined],
])('%.20s is near %s', (word, near) => {
  expect(nearestWord(word, words)).toBe(near);
});
