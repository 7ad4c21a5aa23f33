import { expect, it } from 'vitest';
import { DeliveryBuilder } from '../../../src/engine/delivery.ts';
import { weightOfAll } from '../../../src/ledger/result.ts';
import { begin, end, record } from '../../support/results.ts';

it('collects results, their weight and the bytes read until they are taken, then starts over', () => {
  const delivery = new DeliveryBuilder();
  const results = [begin(0), record('x'.repeat(1000)), end(0)];
  for (const result of results) delivery.add(result);
  delivery.countRead(7);
  delivery.countRead(3);
  expect(delivery.weight).toBe(weightOfAll(results));
  expect(delivery.weight).toBeGreaterThan(1000);
  expect(delivery.take(true)).toEqual({ results: results, readBytes: 10, flushed: true });
  expect(delivery.weight).toBe(0);
  expect(delivery.take()).toEqual({ results: [], readBytes: 0, flushed: false });
});
