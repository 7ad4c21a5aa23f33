import { describe, expect, it } from 'vitest';
import { KnownRun } from '../../../transforms/json/known-list.ts';
import { asArray } from '../bytes.ts';

const MIB = 1024 * 1024;

describe('a run', () => {
  it('is not found while it has no items', () => {
    expect(new KnownRun().endAt(asArray('{}'), 0)).toBe(-1);
  });

  it('is found where its bytes are', () => {
    const run = new KnownRun();
    run.extend(asArray('[{"a":1},{"b":2}]'), 1, 16, 2);
    expect(run.count).toBe(2);
    expect(run.endAt(asArray('{"a":1},{"b":2}'), 0)).toBe(15);
    expect(run.endAt(asArray('::{"a":1},{"b":2},'), 2)).toBe(17);
    expect(run.endAt(asArray('{"a":1},{"b":3}'), 0)).toBe(-1);
    expect(run.endAt(asArray('{"x":1},{"b":2}'), 0)).toBe(-1);
    expect(run.endAt(asArray('{"a":1},{"b":2'), 0)).toBe(-1);
  });

  it('grows by the items after it, wherever it is found', () => {
    const run = new KnownRun();
    const items = Array.from({ length: 500 }, (_, i) => `{"n":${i},"text":"${'x'.repeat(i)}"}`);
    for (let count = 1; count <= items.length; count++) {
      const text = items.slice(0, count).join(', ');
      const before = ' '.repeat(count % 7);
      const line = asArray(`${before}${text}`);
      if (count > 1) expect(run.endAt(line, before.length)).toBeLessThan(line.length);
      run.extend(line, before.length, line.length, count);
      expect(run.endAt(asArray(`${text},`), 0)).toBe(text.length);
    }
    expect(run.count).toBe(500);
  });

  it('stops growing when it would be too long', () => {
    const run = new KnownRun();
    run.extend(asArray('{}'), 0, 2, 1);
    const line = new Uint8Array(4 * MIB + 1);
    line.set(asArray('{},{'));
    run.extend(line, 0, line.length, 2);
    expect(run.count).toBe(1);
    expect(run.endAt(asArray('{},{}'), 0)).toBe(2);
  });

  it('is not found after it was cleared, and can start over', () => {
    const run = new KnownRun();
    run.extend(asArray('{"a":1}'), 0, 7, 1);
    run.clear();
    expect([run.count, run.endAt(asArray('{"a":1}'), 0)]).toEqual([0, -1]);
    run.extend(asArray('{"b":2},{}'), 0, 10, 2);
    expect(run.endAt(asArray('{"b":2},{}'), 0)).toBe(10);
  });
});
