/** The blocks in which a loader reads a shard, and the texts in them that look like times. */
import { describe, expect, it } from 'vitest';
import { looksLikeTime, TimeBlocks } from '../../../src/record/time-blocks.ts';

const TIME = '2026-01-20T15:00:00';
const LONG = 11 * 2 ** 20;

/** The places that are rewritten, for records given as a shard, a length and a text. */
function timedIn(...records: readonly (readonly [shard: string, bytes: number, text: string])[]): string[] {
  const blocks = new TimeBlocks();
  for (const [shard, bytes, text] of records) {
    blocks.begin(shard, bytes);
    blocks.see(text, 'completion');
  }
  return [...blocks.timed()];
}

describe('a text looks like a time', () => {
  // read by pyarrow 26.0.1: the first list becomes timestamps, the second stays text
  it.each([TIME, '2026-01-20', '2026-01-20 15:00', `${TIME}Z`, '2026-01-20T15', `${TIME}+01:00`])(
    '%s',
    (text) => expect(looksLikeTime(text)).toBe(true),
  );
  it.each([
    '2026',
    `${TIME}.123`,
    '2026-01',
    '20 January',
    `${TIME} `,
    ` ${TIME}`,
    `on ${TIME}`,
    '',
    '15:00:00',
    '2026-1-2',
  ])('but not %j', (text) => expect(looksLikeTime(text)).toBe(false));
});

describe('a block in which all texts look like times', () => {
  it('is a whole shard, if that is short', () => {
    expect(timedIn(['a', 10, TIME], ['a', 10, '2026-01-21'])).toEqual(['completion']);
    expect(timedIn(['a', 10, TIME], ['a', 10, 'done'])).toEqual([]);
    expect(timedIn(['a', 10, 'done'], ['a', 10, TIME])).toEqual([]);
  });

  it('is one of several shards, written in turn', () => {
    expect(timedIn(['a', 10, 'done'], ['b', 10, TIME], ['a', 10, 'done'])).toEqual(['completion']);
  });

  it('begins after the line that ends beyond 10 MiB', () => {
    expect(timedIn(['a', LONG, 'done'], ['a', 10, TIME])).toEqual(['completion']);
    expect(timedIn(['a', 10 * 2 ** 20, 'done'], ['a', 10, TIME])).toEqual([]);
    expect(timedIn(['a', LONG, TIME], ['a', 10, 'done'])).toEqual(['completion']);
  });
});
