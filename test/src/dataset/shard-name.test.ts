import { resolve } from 'node:path';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { shardPath, shardStem } from '../../../src/dataset/shard-name.ts';

const HASHED = /^[A-Za-z0-9][A-Za-z0-9._-]{0,39}-[a-z2-7]{16}$/;
const HOSTILE = [
  '../../etc/x',
  '/abs',
  'a/../../b',
  '..',
  '.',
  '',
  'a\0b',
  'x'.repeat(300),
  'y'.repeat(100_000),
  'a\nb',
  'CON',
  'NUL.txt',
  'aux.',
  'trailing.',
  'trailing ',
  'a:b',
  '\\\\host\\x',
  '~',
  '$(id)',
  '-rf',
  '.hidden',
  '\ud800',
  '\ud801',
  '\ufffd',
  'é',
  'e\u0301',
  'A',
  'Google-Maps',
  'É',
  'com1',
  'lpt9.x',
  'a-abcdefghijklmnop',
  '.name.staging-0123456789abcdef',
];

describe('shardStem', () => {
  test.each([
    '2026-01-13',
    'conversations',
    'google-maps-es',
    'a',
    'a.b_c',
    '0',
    'x'.repeat(100),
    'manifest.json',
  ])('keeps the plain name %j', (group) => expect(shardStem(group)).toBe(group));

  test.each(HOSTILE.map((group) => [JSON.stringify(group).slice(0, 40), group]))(
    'F100 makes a safe name of %s',
    (_, group) => {
      expect(shardStem(group)).toMatch(HASHED);
      expect(resolve('/out', shardPath('data', shardStem(group), 0, '.jsonl'))).toMatch(
        /^\/out\/data\/[^/]+$/,
      );
    },
  );

  test('F100 is injective over the hostile names', () => {
    expect(new Set(HOSTILE.map(shardStem)).size).toBe(HOSTILE.length);
  });

  test('is never equal to the name of another group', () => {
    const name = shardStem('a/b');
    expect(shardStem(name)).not.toBe(name);
  });

  test('the hash is the first 80 bits of sha256 in base32', () => {
    // printf 'a/b' | sha256sum | xxd -r -p | base32 | tr A-Z a-z | head -c16
    expect(shardStem('a/b')).toBe('a-b-yfgn3qbt6zfz32ua');
  });

  test('any two groups have different shard paths inside data/', () => {
    const group = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string(),
      fc.stringMatching(/^[a-z.-]{0,6}$/),
      fc.string({ unit: fc.nat(0xffff).map((c) => String.fromCharCode(c)) }),
    );
    fc.assert(
      fc.property(group, group, fc.nat(200_000), fc.nat(200_000), (a, b, i, j) => {
        const [one, two] = [
          shardPath('data', shardStem(a), i, '.jsonl'),
          shardPath('data', shardStem(b), j, '.jsonl'),
        ];
        expect(one).toMatch(/^data\/[A-Za-z0-9][A-Za-z0-9._-]*-[0-9]{5,6}\.jsonl$/);
        expect(one.toLowerCase() === two.toLowerCase()).toBe(a === b && i === j);
      }),
      { numRuns: 3000 },
    );
  });
});
