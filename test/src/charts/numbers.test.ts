import { spawnSync } from 'node:child_process';
import { expect, it } from 'vitest';
import { shellWord, showNumber } from '../../../src/charts/numbers.ts';
import { printable } from '../../../src/printable.ts';

it.each([
  [0, '0'],
  [999, '999'],
  [1000, '1,000'],
  [12_345, '12,345'],
  [123_456, '123,456'],
  [1_234_567, '1,234,567'],
  [2.5, '2.5'],
  [1234.5678, '1,234.568'],
])('shows %d as %s', (value, shown) => {
  expect(showNumber(value)).toBe(shown);
  expect(value.toLocaleString('en-US')).toBe(shown);
});

it.each([
  ['logs/a.jsonl:7', 'logs/a.jsonl:7'],
  ["a b's.jsonl", `'a b'\\''s.jsonl'`],
  ["a\nb's\\.jsonl:7", `$'a\\nb\\'s\\\\.jsonl:7'`],
  ['a\tb\u001b[2J\u2028\u202e\n', `$'a\\tb\\u001b[2J\\u2028\\u202e\\n'`],
])('quotes %j for a shell, on one line', (word, quoted) => {
  expect(shellWord(word)).toBe(quoted);
  expect(printable(quoted)).toBe(quoted);
  const { stdout } = spawnSync('bash', ['-c', `printf %s ${quoted}`], { env: { LC_ALL: 'C.UTF-8' } });
  expect(stdout.toString()).toBe(word);
});
