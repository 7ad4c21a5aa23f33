import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { readManifest } from '../../../src/dataset/manifest.ts';
import { readFingerprints } from '../../../src/dataset/run-facts.ts';
import { listSources } from '../../../src/input/sources/list.ts';
import { openPreviousDataset } from '../../../src/reuse/previous-run.ts';
import { NOTHING_REUSED, type Reuse, type Step, takeEach } from '../../../src/reuse/reuse.ts';
import { ReusedSources, SequentialReuse } from '../../../src/reuse/reused-sources.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { resultsOf } from '../../support/results.ts';

const EXAMPLES = resolve(import.meta.dirname, '../../../examples/logs');

/** Three sources of a dataset of the examples. */
async function examples(): Promise<(indices: readonly number[]) => ReusedSources> {
  const out = join(temporaryFolder(), 'out');
  const { settings } = await resultsOf({ inputs: [EXAMPLES], out });
  const run = await openPreviousDataset(out, readManifest(out));
  const fingerprints = readFingerprints(out) as readonly string[];
  const listing = listSources(settings.inputs, settings.follow);
  const options = { format: 'chat', hasPaths: false, pathFor: (name: string) => name };
  return (indices) =>
    new ReusedSources(
      { run, fingerprints: fingerprints.map((one, i) => (indices.includes(i) ? one : undefined)) },
      listing,
      options,
    );
}

async function indicesIn(steps: Iterable<Step>): Promise<readonly number[]> {
  const found: number[] = [];
  await takeEach(steps, (result) => {
    if (result.kind === 'source') found.push(result.source);
  });
  return found;
}

it('yields the sources up to an index once, in the order of the listing', async () => {
  const reused = (await examples())([1, 4, 5]);
  expect([0, 1, 4, 5, 6].map((index) => reused.has(index))).toEqual([false, true, true, true, false]);
  expect(await indicesIn(reused.before(1))).toEqual([]);
  expect(await indicesIn(reused.before(5))).toEqual([1, 4]);
  expect(await indicesIn(reused.before(5))).toEqual([]);
  expect(await indicesIn(reused.before(99))).toEqual([5]);
});

it('reads nothing of a run without sources to reuse', async () => {
  const reused = (await examples())([]);
  expect(await indicesIn(reused.before(99))).toEqual([]);
  expect(NOTHING_REUSED.has(0)).toBe(false);
  expect(await indicesIn(NOTHING_REUSED.before(99))).toEqual([]);
});

it('merges the sources of two runs', async () => {
  const of = await examples();
  const both: Reuse = new SequentialReuse(of([0, 1]), of([3, 5]));
  expect([0, 1, 2, 3].map((index) => both.has(index))).toEqual([true, true, false, true]);
  expect(await indicesIn(both.before(4))).toEqual([0, 1, 3]);
  expect(await indicesIn(both.before(9))).toEqual([5]);
});
