/** A merge gives the bytes of one build over all sources, whatever the options, the number of slices and their order. */
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { build } from '../../../src/job/build.ts';
import { verifyDataset } from '../../../src/verify/verify-dataset.ts';
import { hashesOf, temporaryFolder } from '../../support/folder.ts';
import { LONG } from '../../support/long.ts';
import {
  buildSlices,
  EXAMPLES,
  mergeAll,
  type SharedSettings,
  writeMixedLogs,
} from '../../support/sliced-logs.ts';
import { hasZstd } from '../../support/zstd.ts';

const SEED = Number(process.env.TURNMILL_SEED ?? 1);
const SEEDS = LONG ? 4 : 1;
/** The folder has about 30 files more. */
const FILES = LONG ? 270 : 40;
const COUNTS = LONG ? [1, 3, 8] : [3];

const QUICK: readonly SharedSettings[] = [
  { format: ['chat', 'sharegpt'], compress: 'gzip', shardSize: 20_000 },
  { groupBy: 'scenario', quarantineContent: 'raw', meta: ['model', 'usage'] },
  { copies: 'drop', sessionBy: 'id', format: ['chat', 'functiongemma-teaching'] },
];
const LONGER: readonly SharedSettings[] = [
  {},
  { copies: 'drop', format: ['chat', 'trl'], quarantineContent: 'raw' },
  { sessionBy: 'id', groupBy: 'none', shardSize: 2000, integrity: false, report: false },
  { format: ['samples'], formatOptions: { as: 'toml' }, compress: 'gzip' },
  { format: ['sts'], shardSize: 4096 },
  { compress: hasZstd ? 'zstd' : 'gzip', groupBy: 'scenario', select: 'last' },
];
const VARIANTS = LONG ? [...QUICK, ...LONGER] : QUICK;

/** @returns what the slices have together, to show that they are of all kinds */
async function expectSame(
  inputs: readonly string[],
  of: number,
  settings: SharedSettings,
): Promise<Readonly<Record<string, number>>> {
  const folder = temporaryFolder();
  const [whole, out] = [join(folder, 'whole'), join(folder, 'out')];
  const built = await build({ inputs, workers: 1, ...settings, out: whole });
  const parts = await buildSlices(inputs, folder, of, settings);
  const merged = await mergeAll(parts.toReversed(), out);
  expect(hashesOf(out), `${of} slices`).toEqual(hashesOf(whole));
  expect(merged.rejections).toBe(built.rejections);
  expect((await verifyDataset(out)).problems).toEqual([]);
  const { sources, skipped, findings, sessions } = built.sums;
  return { ...sources, ...skipped, ...findings, contained: sessions.contained ?? 0 };
}

describe('slices of a folder with sources of all kinds', () => {
  const cases = VARIANTS.flatMap((settings, i) =>
    Array.from(
      { length: SEEDS },
      (_, n) => [JSON.stringify(settings), SEED + i + n * VARIANTS.length, settings] as const,
    ),
  );

  it.each(cases)('%s, seed %i', async (_, seed, settings) => {
    const logs = join(temporaryFolder(), 'logs');
    writeMixedLogs(logs, seed, FILES);
    for (const of of COUNTS) {
      const has = await expectSame([logs], of, settings);
      for (const kind of ['read', 'empty', 'rejected', 'excluded'])
        expect(has[kind], kind).toBeGreaterThan(0);
      if (settings.integrity !== false) expect(has['session-in-parts']).toBeGreaterThan(0);
      if (settings.copies !== undefined) expect(has.contained).toBeGreaterThan(0);
    }
  });
});

describe('slices of the examples, which are two inputs', () => {
  const inputs = [join(EXAMPLES, 'logs'), join(EXAMPLES, 'dialects')];
  it.each(COUNTS)('%i slices', async (of) => {
    for (const settings of VARIANTS) await expectSame(inputs, of, settings);
  });
});
