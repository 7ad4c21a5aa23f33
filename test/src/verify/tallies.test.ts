import { describe, expect, test } from 'vitest';
import { type Place, SourceTally } from '../../../src/verify/tallies.ts';
import { asCounts, asObjects } from '../../../src/verify/untrusted.ts';

const place = (line: unknown, start: unknown, end: unknown): Place => ({ line, start, end });
const read = { status: 'read', bytes: 100, framed: 4, size: 100 };

describe('a place in a source', () => {
  test.each<[string, Place, string | undefined]>([
    ['the whole source', place(1, 0, 100), undefined],
    ['an empty place', place(4, 100, 100), undefined],
    ['line 0', place(0, 0, 1), 'a line, a start and an end'],
    ['a line that is a text', place('1', 0, 1), 'a line, a start and an end'],
    ['an end before the start', place(1, 5, 4), 'a line, a start and an end'],
    ['no end', place(1, 5, undefined), 'a line, a start and an end'],
    ['a line after the last one', place(5, 0, 1), 'a line up to 4'],
    ['a byte after the last one', place(4, 0, 101), 'an end up to byte 100'],
  ])('%s', (_name, taken, expected) => {
    expect(new SourceTally(read).take('line', taken)).toBe(expected);
  });

  test('comes after the previous one of its kind', () => {
    const tally = new SourceTally(read);
    expect(tally.take('line', place(1, 0, 10))).toBeUndefined();
    expect(tally.take('line', place(2, 9, 20))).toBe('a start from byte 10 on');
    expect(tally.take('session', place(2, 9, 20))).toBeUndefined();
    expect(tally.take('line', place(2, 10, 20))).toBeUndefined();
  });

  test('may come before those of another session', () => {
    const tally = new SourceTally(read);
    const take = (session: string, line: number, start: number) => {
      tally.enterSession('session', session);
      return tally.take('session', place(line, start, start + 1));
    };
    expect([take('a', 2, 10), take('a', 3, 20), take('b', 1, 0)]).toEqual([undefined, undefined, undefined]);
    expect(take('b', 1, 0)).toBe('a start from byte 1 on');
  });

  test('may go back if lines were gathered by session', () => {
    const tally = new SourceTally(read, true);
    expect([tally.take('line', place(2, 9, 20)), tally.take('line', place(1, 0, 9))]).toEqual([
      ...[undefined, undefined],
    ]);
    expect(tally.take('line', place(5, 0, 1))).toBe('a line up to 4');
  });

  test('does not move the next one when it is refused', () => {
    const tally = new SourceTally(read);
    expect(tally.take('line', place(9, 50, 60))).toBe('a line up to 4');
    expect(tally.take('line', place(1, 0, 10))).toBeUndefined();
  });

  test('takes at least as many bytes as requested', () => {
    const tally = new SourceTally(read);
    expect(tally.take('line', place(1, 5, 5), { leastBytes: 1 })).toBeUndefined();
    expect(tally.take('line', place(1, 5, 5), { leastBytes: 1 })).toBe('a start from byte 6 on');
  });

  test('cannot be outside a source whose size is unknown', () => {
    expect(new SourceTally({}).take('line', place(1e9, 1e12, 1e13))).toBeUndefined();
  });
});

test.each<[object, number | undefined]>([
  [{ status: 'read', compression: 'gzip', packed: { members: 3 } }, 3],
  [{ status: 'rejected', compression: 'gzip', packed: { members: 3 } }, 4],
  [{ status: 'read', compression: 'gzip' }, Infinity],
  [{ status: 'read', compression: 'zstd', packed: { members: 3 } }, undefined],
])('gzip members that a line may be in, by %j', (line, members) => {
  expect(new SourceTally(line).members).toBe(members);
});

test.each([null, [], 'x', { a: -1 }, { a: 1.5 }, { a: '1' }, undefined])('%j are not counts', (value) => {
  expect(asCounts(value)).toBeUndefined();
});

test('items that are not objects have no members', () => {
  expect(asObjects([1, { a: 1 }, null])).toEqual([{}, { a: 1 }, {}]);
  expect(asObjects({ a: 1 })).toEqual([]);
});
