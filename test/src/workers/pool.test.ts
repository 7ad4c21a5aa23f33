/** Deliveries arrive in the order of the sources, whichever thread reads them. */
import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { listSources } from '../../../src/input/sources/list.ts';
import type { HandedOver } from '../../../src/record/recorded-sources.ts';
import { resolveSettings } from '../../../src/settings/settings.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { sessionLines } from '../../support/plain-logs.ts';

/** Imported from dist/, because a worker thread needs a JavaScript file. */
const BUILT = resolve(import.meta.dirname, '../../../dist/src/workers/pool.js');
const { runWorkers }: typeof import('../../../src/workers/pool.ts') = await import(BUILT);

/** 600 sources: three tasks. */
async function indices(
  workers: number,
  isReused?: (index: number) => boolean,
  out?: string,
): Promise<readonly number[]> {
  const folder = temporaryFolder();
  for (let n = 0; n < 600; n++) {
    const lines = sessionLines(`s${n}`, { entries: 1, messageChars: 8, seed: n });
    writeFileSync(join(folder, `${String(n).padStart(3, '0')}.jsonl`), lines.join('\n'));
  }
  const settings = resolveSettings({ inputs: [folder], out });
  const { sources } = listSources([folder], settings.follow);
  const results: HandedOver[] = [];
  const deliveries = runWorkers(sources, settings, workers, isReused === undefined ? {} : { isReused });
  for await (const { results: some } of deliveries) results.push(...some);
  if (out !== undefined && workers > 1) expect(results.some(({ kind }) => kind === 'recorded')).toBe(true);
  return results.flatMap((one) => {
    if (one.kind === 'recorded') return one.notes.map((_, i) => one.first + i);
    return one.kind === 'source' ? [one.source] : [];
  });
}

const all = Array.from({ length: 600 }, (_, index) => index);

it.each([1, 2, 3])('%i workers deliver every source once and in order', async (workers) => {
  expect(await indices(workers)).toEqual(all);
});

it.each([1, 2])('%i workers do not read reused sources', async (workers) => {
  const isReused = (index: number): boolean => index % 3 === 0;
  expect(await indices(workers, isReused)).toEqual(all.filter((index) => !isReused(index)));
});

it.each([2, 3])('%i workers that record their sources deliver each once and in order', async (workers) => {
  const isReused = (index: number): boolean => index % 50 === 0;
  const wanted = all.filter((index) => !isReused(index));
  expect(await indices(workers, isReused, '/absent/out')).toEqual(wanted);
});
