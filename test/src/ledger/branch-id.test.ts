import { expect, test } from 'vitest';
import { sessionOfBranch } from '../../../src/ledger/branch-id.ts';

test.each([
  ['s#2', 's'],
  ['a#b#12', 'a#b'],
  ['#2', ''],
  ['s#2#3', 's#2'],
])('%j is a branch of %j', (id, session) => {
  expect(sessionOfBranch(id)).toBe(session);
});

test.each(['s', '', 's#', 's#1', 's#02', 's#-2', 's#1e3', 's#two', 's# 2', 's#1000000'])(
  '%j is no further branch',
  (id) => {
    expect(sessionOfBranch(id)).toBeUndefined();
  },
);
