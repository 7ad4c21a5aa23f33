import { expect, test } from 'vitest';
import { Problems } from '../../../src/verify/problems.ts';
import { checkPackedBytes } from '../../../src/verify/source-line.ts';

const packed = { members: 1, member_bytes: 70, padding_bytes: 20, trailing_bytes: 10 };
const line = { status: 'read', compression: 'gzip', size: 100, packed };

function problemsOf(value: object): readonly string[] {
  const problems = new Problems();
  checkPackedBytes({ line: 3, value: { ...value } }, problems);
  return problems.kept.map(({ message }) => message);
}

test.each<[string, object]>([
  ['members, padding and trailing data add up to the size', line],
  ['so they do in a source with trailing data', { ...line, status: 'rejected', reason: 'trailing-data' }],
  [
    'a damaged source, whose end is unknown',
    { ...line, status: 'rejected', reason: 'corrupt-gzip', size: 7 },
  ],
  ['a plain source without counts', { status: 'read', compression: 'none', size: 7 }],
])('I1 holds: %s', (_, value) => {
  expect(problemsOf(value)).toEqual([]);
});

test.each<[string, object, string]>([
  ['one byte too many', { ...line, size: 101 }, 'expected 100, found 101'],
  [
    'trailing data that does not reach the end',
    { ...line, reason: 'trailing-data', size: 99 },
    'expected 100, found 99',
  ],
  ['a part that is not a count', { ...line, packed: { ...packed, padding_bytes: -1 } }, 'found 100'],
  ['no counts', { ...line, packed: undefined }, 'found 100'],
  ['counts of a plain source', { ...line, compression: 'none' }, 'packed: expected none'],
])('I1 is violated: %s', (_, value, message) => {
  expect(problemsOf(value)).toEqual([expect.stringContaining(message)]);
});
