import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createProfile } from '../../src/profile.ts';

let now = 0;
beforeEach(() => {
  now = 0;
  vi.spyOn(performance, 'now').mockImplementation(() => now);
});
afterEach(() => vi.restoreAllMocks());

const spend = (ms: number): void => {
  now += ms;
};

test('every millisecond belongs to the innermost segment', () => {
  const profile = createProfile('other');
  spend(1);
  const outer = profile.enter('parse');
  spend(2);
  expect(profile.enter(outer)).toBe('parse');
  spend(4);
  expect(profile.take().ms).toEqual({ other: 5, parse: 2 });
  spend(8);
  expect(profile.take().ms).toEqual({ other: 8 });
});

test('a segment covers producing items but not consuming them', async () => {
  const profile = createProfile('other');
  function* items(): Generator<number> {
    for (let n = 0; n < 3; n++) {
      spend(10);
      yield n;
    }
  }
  const seen: number[] = [];
  for (const item of profile.each('frame', items())) {
    seen.push(item);
    spend(1);
  }
  for await (const item of profile.eachLater('wait', items())) {
    seen.push(item);
    spend(1);
  }
  expect(seen).toEqual([0, 1, 2, 0, 1, 2]);
  expect(profile.take().ms).toEqual({ other: 6, frame: 30, wait: 30 });
});

test('a consumer that stops early or fails ends the segment', async () => {
  const profile = createProfile('other');
  function* broken(): Generator<number> {
    yield 1;
    throw new Error('broken');
  }
  for (const _ of profile.each('frame', broken())) break;
  expect(profile.enter('other')).toBe('other');
  expect(() => [...profile.each('frame', broken())]).toThrow('broken');
  expect(profile.enter('other')).toBe('other');
  for await (const _ of profile.eachLater('wait', broken())) break;
  expect(profile.enter('other')).toBe('other');
});

test('profiles of several threads are added up', () => {
  const [main, worker] = [createProfile('other'), createProfile('wait')];
  spend(3);
  Object.assign(worker.bytes, { read: 10, framed: 9, compared: 5, scanned: 4 });
  const figures = worker.take();
  expect(worker.take()).toEqual({ ms: { wait: 0 }, bytes: { read: 0, framed: 0, compared: 0, scanned: 0 } });
  main.add(figures);
  main.add(figures);
  expect(main.take()).toEqual({
    ms: { other: 3, wait: 6 },
    bytes: { read: 20, framed: 18, compared: 10, scanned: 8 },
  });
});
