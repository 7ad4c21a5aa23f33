/**
 * F200: one bit flips in one write to a staged file, or in one read from it. The checksums cover the intended bytes, so the run exits with
 * 74, names the file, publishes nothing and leaves nothing.
 */
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect } from 'vitest';
import { expectReported, type Flip, flipper } from '../support/bit-flip.ts';
import { turnmill } from '../support/command.ts';
import { faultTest } from '../support/faults.ts';
import { hashesOf, temporaryFolder } from '../support/folder.ts';
import { randomFrom, sessionLines } from '../support/plain-logs.ts';

const SEED = Number(process.env.TURNMILL_SEED ?? 1);
const LOGS = resolve(import.meta.dirname, '../../examples/logs');
const CALLS = ['write', 'read'] as const;

/** The files of a dataset of the examples, by their place in the staging folder. */
const FILES = [
  ...['data/2026-01-13-00000.jsonl', 'data/2026-01-14-00000.jsonl'],
  ...['ledger/sources.jsonl', 'ledger/sessions.jsonl', 'quarantine/rejected.jsonl'],
  ...['reports/integrity.jsonl', 'reports/summary.json', 'reports/tool-usage.csv'],
  'reports/index.html',
  ...['manifest.json', 'run.json'],
];
/** Work file of the run; its content ends up in run.json. */
const FINGERPRINTS = 'work/fingerprints.jsonl';
const MIN_FINGERPRINTS_BYTES = 100;
const MIDDLE = 0.45;

interface Job {
  readonly args: readonly string[];
  /** Position in the file, from 0 to 1; the size of run.json varies between runs. */
  readonly places: readonly number[];
}

/** Builds with each bit flipped, then once without a flip, which must give the original bytes. */
async function sweep(files: readonly string[], { args, places }: Job): Promise<void> {
  const parent = temporaryFolder();
  const [out, whole] = [join(parent, 'out'), join(temporaryFolder(), 'whole')];
  const build = ['build', LOGS, '--workers', '1', ...args, '--out'];
  const { status, stderr } = await turnmill([...build, whole]);
  expect(status, stderr).toBe(3);
  const run = flipper(parent);
  for (const file of files) {
    const bytes = file === FINGERPRINTS ? MIN_FINGERPRINTS_BYTES : statSync(join(whole, file)).size;
    for (const call of CALLS)
      for (const place of places) {
        const flip: Flip = {
          call,
          file,
          bit: Math.floor(place * bytes * 8 * (file === 'run.json' ? 0.9 : 1)),
        };
        expectReported(await run([...build, out], flip), flip, 74);
        expect(readdirSync(parent), JSON.stringify(flip)).toEqual([]);
      }
  }
  expect(await turnmill([...build, out])).toMatchObject({ status: 3 });
  expect(hashesOf(out)).toEqual(hashesOf(whole));
}

const PACKED = [
  { name: 'gzip', suffix: '.gz', needs: ['preload'] },
  { name: 'zstd', suffix: '.zst', needs: ['preload', 'zstd'] },
] as const;
const manyPlaces = (): number[] => Array.from({ length: 20 }, randomFrom(SEED));

for (const file of [...FILES, FINGERPRINTS]) {
  faultTest('F200', `one bit of ${file}, written or read back`, { needs: ['preload'] }, () =>
    sweep([file], { args: [], places: [MIDDLE] }),
  );
}
for (const { name, suffix, needs } of PACKED) {
  // first bytes, a timestamp, a checksum: changes here do not affect the unpacked data
  const places = [0.0001, 0.004, MIDDLE, 0.999];
  faultTest('F200', `bits of a shard packed with ${name}`, { needs }, () =>
    sweep([`${FILES[0]}${suffix}`], { args: ['--compress', name], places }),
  );
  faultTest('F200', `20 bits of each shard packed with ${name} (seed ${SEED})`, { needs, long: true }, () =>
    sweep(
      FILES.slice(0, 2).map((file) => `${file}${suffix}`),
      { args: ['--compress', name], places: manyPlaces() },
    ),
  );
}
faultTest('F200', `20 bits of every file (seed ${SEED})`, { needs: ['preload'], long: true }, () =>
  sweep([...FILES, FINGERPRINTS], { args: [], places: manyPlaces() }),
);

faultTest(
  'F200',
  'the dataset has no other files but its card, which may be edited',
  { needs: ['preload'] },
  async () => {
    const out = join(temporaryFolder(), 'out');
    expect(await turnmill(['build', LOGS, '--out', out])).toMatchObject({ status: 3 });
    expect([...Object.keys(hashesOf(out)), 'run.json'].sort()).toEqual([...FILES, 'README.md'].sort());
  },
);

faultTest('F200', 'a source whose results are held in part files', { needs: ['preload'] }, async () => {
  const parent = temporaryFolder();
  const [log, out] = [join(parent, 'log.jsonl'), join(parent, 'out')];
  const lines = Array.from({ length: 24 }, (_, n) =>
    sessionLines(`job-${n}`, { entries: 1, messageChars: 160_000, seed: n }),
  );
  writeFileSync(log, `${lines.flat().join('\n')}\n`);
  const run = flipper(parent);
  const args = ['build', log, '--out', out, '--session-by', 'id', '--workers', '1'];
  for (const call of CALLS)
    for (const bit of [3, 8_000_001, 33_554_431]) {
      const flip = { call, file: 'work/held', bit };
      expectReported(await run(args, flip), flip, 74);
      expect(readdirSync(parent)).toEqual(['log.jsonl']);
    }
  expect(await turnmill(args)).toMatchObject({ status: 0 });
  expect(await turnmill(['verify', out])).toMatchObject({ status: 0 });
});

faultTest('F200', 'a checkpoint', { needs: ['preload'] }, async () => {
  const parent = temporaryFolder();
  const run = flipper(parent);
  const args = ['build', LOGS, '--out', join(parent, 'out'), '--workers', '1'];
  for (const call of CALLS)
    for (const bit of [5, 800, 4000]) {
      const flip = { call, file: 'work/checkpoint.part.new', bit };
      expectReported(await run(args, flip, { TURNMILL_CHECKPOINT_BYTES: '0' }), flip, 74);
      expect(existsSync(join(parent, 'out'))).toBe(false);
    }
});
