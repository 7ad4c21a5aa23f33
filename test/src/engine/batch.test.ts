import { expect, it } from 'vitest';
import { BatchBuilder } from '../../../src/engine/batch.ts';
import { batchWeight } from '../../../src/ledger/result.ts';
import { begin, end, row } from '../../support/results.ts';

it('collects results, their weight and the bytes read until they are taken, then begins again', () => {
  const batch = new BatchBuilder();
  const results = [begin(0), row('x'.repeat(1000)), end(0)];
  for (const result of results) batch.add(result);
  batch.countRead(7);
  batch.countRead(3);
  expect(batch.weight).toBe(batchWeight(results));
  expect(batch.weight).toBeGreaterThan(1000);
  expect(batch.take(true)).toEqual({ outcomes: results, readBytes: 10, flushed: true });
  expect(batch.weight).toBe(0);
  expect(batch.take()).toEqual({ outcomes: [], readBytes: 0, flushed: false });
});
