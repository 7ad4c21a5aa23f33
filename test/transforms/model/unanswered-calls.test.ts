import { describe, expect, it } from 'vitest';
import { UnansweredCalls } from '../../../transforms/model/unanswered-calls.ts';

const open = (...ids: readonly (string | undefined)[]) =>
  new UnansweredCalls(ids.map((id, at) => ({ id, at })));

describe('UnansweredCalls', () => {
  it('takes calls of one id in order, each once', () => {
    const calls = open('a', 'b', 'a', undefined);
    expect([calls.take('a')?.at, calls.take('a')?.at, calls.take('a')?.at]).toEqual([0, 2, undefined]);
    expect([calls.take('c')?.at, calls.take(undefined)?.at, calls.count]).toEqual([undefined, 3, 1]);
  });

  it('takes the first open call of any id, without those that were taken by id', () => {
    const calls = open('a', 'b', undefined, 'a', 'b');
    calls.take('a');
    calls.take('b');
    expect([calls.takeFirst()?.at, calls.take('a')?.at, calls.takeFirst()?.at]).toEqual([2, 3, 4]);
    expect([calls.takeFirst(), calls.count]).toEqual([undefined, 0]);
  });

  it('knows the ids of answered calls', () => {
    const calls = open('a', 'b');
    expect([calls.knows('a'), calls.has('a'), calls.knows('c'), calls.has('c')]).toEqual([
      ...[true, true, false, false],
    ]);
    calls.take('a');
    expect([calls.knows('a'), calls.has('a'), calls.count]).toEqual([true, false, 1]);
  });

  it.each<[string, (n: number) => string, (calls: UnansweredCalls<{ id: string }>, n: number) => unknown]>([
    ['in order', String, (calls, n) => calls.take(`${n}`)],
    ['in reverse order', String, (calls, n) => calls.take(`${999 - n}`)],
    ['of one id', () => 'a', (calls) => calls.take('a')],
    ['without ids', String, (calls) => calls.takeFirst()],
  ])('reads each call a few times for 1,000 results %s', (_, id, take) => {
    let reads = 0;
    const calls = Array.from({ length: 1000 }, (_call, n) => ({
      get id() {
        reads++;
        return id(n);
      },
    }));
    const unanswered = new UnansweredCalls(calls);
    for (let n = 0; n < 1000; n++) expect(take(unanswered, n)).toBeDefined();
    expect(unanswered.count).toBe(0);
    expect(reads).toBeLessThanOrEqual(5000);
  });
});
