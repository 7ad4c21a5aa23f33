import { expect, test } from 'vitest';
import { isTooDeep } from '../../../transforms/json/nesting.ts';
import { MAX_DEPTH } from '../../../transforms/json/scanner.ts';

const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);

test.each([
  ['the deepest that is allowed', nested(MAX_DEPTH), false],
  ['one level more', nested(MAX_DEPTH + 1), true],
  ['objects and arrays', '{"a":['.repeat(MAX_DEPTH), true],
  ['many values side by side', `[${'[],'.repeat(MAX_DEPTH * 2)}0]`, false],
  ['brackets in a string', `["${'['.repeat(MAX_DEPTH * 2)}"]`, false],
  ['brackets after an escaped quote', `["\\"${'['.repeat(MAX_DEPTH * 2)}"]`, false],
  ['brackets after an escaped backslash', `["\\\\",${nested(MAX_DEPTH + 1)}]`, true],
  ['a string without an end', `"${'['.repeat(MAX_DEPTH * 2)}`, false],
])('%s', (_name, text, expected) => {
  expect(isTooDeep(text)).toBe(expected);
});
