import { expect, it } from 'vitest';
import { SessionIds } from '../../../transforms/model/session-ids.ts';

it('knows every id that was added, and no other, also beyond the first ones', () => {
  const ids = new SessionIds();
  const name = (i: number): string =>
    i % 3 === 0 ? `s${i}` : `session ${i} with a name that is longer than a key`;
  for (let i = 0; i < 70_000; i++) ids.add(name(i));
  for (let i = 0; i < 70_000; i += 7) ids.add(name(i));
  expect(ids.size).toBe(70_000);
  for (let i = 0; i < 70_000; i++) if (!ids.has(name(i))) expect(i).toBe('known');
  expect(ids.has(name(70_000))).toBe(false);
  ids.clear();
  expect([ids.size, ids.has(name(1)), ids.has(name(69_999))]).toEqual([0, false, false]);
});
