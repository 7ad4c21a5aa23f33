import { expect, it } from 'vitest';
import { HashedSet, keyOf } from '../../../transforms/model/hashed-set.ts';

const long = 'x'.repeat(20_000);

it('contains added texts, short and long', () => {
  const set = new HashedSet();
  for (const text of ['', 'a', long, `${long}y`])
    expect([set.has(text), set.add(text), set.add(text)]).toEqual([false, true, false]);
  expect([set.size, set.has(long), set.has(`${long}z`)]).toEqual([4, true, false]);
  set.clear();
  expect([set.size, set.has('a')]).toEqual([0, false]);
});

it('stores no long text and confuses no two texts', () => {
  expect(keyOf(long)).toHaveLength(17);
  expect(keyOf(keyOf(long))).not.toBe(keyOf(long));
  expect(keyOf(`${long}\ud800`)).not.toBe(keyOf(`${long}\ud801`));
});
