import { describe, expect, test } from 'vitest';
import { checkTolerance, parseTolerance, type Tolerance } from '../../../src/settings/error-budget.ts';

describe('parsing', () => {
  test.each(['0', '5', '0%', '1%', '0.5%', '12.3456%', '100%'])('accepts %s', (text) => {
    expect(String(parseTolerance(text))).toBe(text);
  });

  test.each(['', '-1', '1.5', '%', '101%', '100.0001%', '1.23456%', '1e3', ' 1', '1 %', '٣', '9'.repeat(17)])(
    'refuses %j',
    (text) => {
      expect(parseTolerance(text)).toBeUndefined();
    },
  );
});

describe('a budget', () => {
  const allows = (tolerance: Tolerance, rejections: number, all: number): boolean => {
    try {
      checkTolerance({ maxQuarantine: tolerance, out: 'dataset' }, { rejections, all });
      return true;
    } catch (error) {
      expect(error).toMatchObject({ code: 'rejected' });
      return false;
    }
  };

  test('says that nothing was published only if something would have been', () => {
    const messageFor = (out: string | undefined): string => {
      try {
        checkTolerance({ maxQuarantine: 0, out }, { rejections: 1, all: 1 });
        return '';
      } catch (error) {
        return (error as Error).message;
      }
    };
    expect(messageFor('dataset')).toContain('allows: nothing was published');
    expect(messageFor(undefined)).toBe('1 rejection, more than --max-quarantine 0 allows');
  });

  test.each<[Tolerance, number, number]>([
    [0, 0, 10],
    [3, 3, 10],
    ['0%', 0, 10],
    ['1%', 1, 100],
    ['0.29%', 29, 10_000],
    ['0.0001%', 9_000_000, 9_000_000_000_000],
    ['100%', 7, 7],
    ['0%', 0, 0],
  ])('of %s allows %d of %d and not one more', (tolerance, rejections, all) => {
    expect(allows(tolerance, rejections, all)).toBe(true);
    if (rejections < all) expect(allows(tolerance, rejections + 1, all)).toBe(false);
  });
});
