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
  ['members, padding and trailing data add up', line],
  ['of a source with trailing data too', { ...line, status: 'rejected', reason: 'trailing-data' }],
  [
    'nobody knows the end of a damaged source',
    { ...line, status: 'rejected', reason: 'corrupt-gzip', size: 7 },
  ],
  ['a plain source has no such account', { status: 'read', compression: 'none', size: 7 }],
])('I1: %s', (_, value) => {
  expect(problemsOf(value)).toEqual([]);
});

test.each<[string, object, string]>([
  ['a byte more', { ...line, size: 101 }, 'expected 100, found 101'],
  ['trailing data that is not all', { ...line, reason: 'trailing-data', size: 99 }, 'expected 100, found 99'],
  ['a part is no count', { ...line, packed: { ...packed, padding_bytes: -1 } }, 'found 100'],
  ['no account', { ...line, packed: undefined }, 'found 100'],
  ['an account of a plain source', { ...line, compression: 'none' }, 'packed: expected none'],
])('I1: %s is a problem', (_, value, message) => {
  expect(problemsOf(value)).toEqual([expect.stringContaining(message)]);
});
