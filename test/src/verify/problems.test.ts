import { expect, test } from 'vitest';
import { Problems } from '../../../src/verify/problems.ts';

test('keeps a thousand problems and counts all', () => {
  const problems = new Problems();
  for (let i = 0; i < 1500; i += 1) problems.add('f', String(i));
  expect(problems.kept).toHaveLength(1000);
  expect(problems.count).toBe(1500);
  expect(problems.kept.at(-1)).toEqual({ file: 'f', message: '999' });
});

test('reports differing values with file and line, shortened', () => {
  const problems = new Problems();
  problems.equal('f', 1, 'x', 2, 2);
  problems.equal('f', 3, 'x', 2, undefined);
  problems.equal('f', undefined, 'y', 'a', 'b'.repeat(1000));
  expect(problems.kept.map(({ message }) => message)).toEqual([
    'line 3: x: expected 2, found none',
    `y: expected "a", found "${'b'.repeat(199)}...`,
  ]);
});
