/** Results that wait for the end of their source: their weight decides when they are moved to a file. */
import { describe, expect, it } from 'vitest';
import type { Result } from '../../../src/ledger/result.ts';
import { HeldResults } from '../../../src/record/held-results.ts';

const RECORDS = 100;
const RECORD_BYTES = 64 * 1024;

/** Holds records and counts how often they are moved to a file. */
function hold(discards: boolean): { readonly writes: number; readonly held: readonly Result[] } {
  const written: Result[] = [];
  let writes = 0;
  const results = new HeldResults({
    discards,
    openHeldParts: () => ({
      write(some) {
        writes++;
        written.push(...some);
      },
      read: () => written,
      close: () => undefined,
    }),
  });
  for (let i = 0; i < RECORDS; i++)
    results.add({ kind: 'record', group: `${i}`, format: 'chat', bytes: new Uint8Array(RECORD_BYTES) });
  return { writes, held: [...results.all()] };
}

const groups = Array.from({ length: RECORDS }, (_, i) => `${i}`);

describe('held results', () => {
  it('are moved to a file when they hold too many bytes', () => {
    const { writes, held } = hold(false);
    expect(writes).toBeGreaterThan(RECORDS / 10);
    expect(held.map((result) => result.kind === 'record' && result.group)).toEqual(groups);
    expect(held.every((result) => result.kind === 'record' && result.bytes.length === RECORD_BYTES)).toBe(
      true,
    );
  });

  it('do not weigh records that are not written', () => {
    const { writes, held } = hold(true);
    expect(writes).toBe(0);
    expect(held.map((result) => result.kind === 'record' && result.group)).toEqual(groups);
    expect(held.every((result) => result.kind === 'record' && result.bytes.length === 0)).toBe(true);
  });
});
