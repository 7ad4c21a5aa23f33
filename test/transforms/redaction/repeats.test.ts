import { expect, test } from 'vitest';
import { eachRepeat } from '../../../transforms/redaction/repeats.ts';
import { LONG } from '../../support/long.ts';
import { randomFrom } from '../../support/plain-logs.ts';

/** Texts of few letters, so that values begin like others, are in others, and overlap. */
function textOf(random: () => number, length: number): string {
  return Array.from({ length }, () => 'ab1\xe9'[Math.floor(random() * random() * 4)]).join('');
}

function naive(text: string, values: readonly string[]): string[] {
  const places: string[] = [];
  for (let at = 0; at < text.length; at++) {
    const here = values.filter((value) => text.startsWith(value, at));
    const longest = here.toSorted((a, b) => b.length - a.length)[0];
    if (longest !== undefined) places.push(`${at} ${longest}`);
  }
  return places;
}

test.each(Array.from({ length: LONG ? 3000 : 150 }, (_, seed) => seed))(
  'finds all places: seed %i',
  (seed) => {
    const random = randomFrom(seed);
    const text = textOf(random, 400);
    const values = new Set<string>();
    while (values.size < 8 + (seed % 40)) {
      const start = Math.floor(random() * 350);
      const value =
        random() < 0.8 ? text.slice(start, start + 8 + Math.floor(random() * 12)) : textOf(random, 9);
      values.add(value);
    }
    const found: string[] = [];
    eachRepeat(Buffer.from(text, 'latin1'), [...values], (value, at) => void found.push(`${at} ${value}`));
    expect(found).toEqual(naive(text, [...values]));
    expect(found.length).toBeGreaterThan(5);
  },
);

test('of few values, every place of each', () => {
  const found: string[] = [];
  const bytes = Buffer.from('x 12345678 12345678 2345678');
  eachRepeat(bytes, ['12345678', '34567890'], (value, at) => void found.push(`${at} ${value}`));
  expect(found).toEqual(['2 12345678', '11 12345678']);
});
