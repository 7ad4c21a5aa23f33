/**
 * Measures a nightly build after 1 % of the logs has changed: an update compared with a full build of the same tree, the cost of
 * checkpoints, and merging two halves of the tree that were built apart.
 *   npm run bench -- nightly [--bytes SIZE] [--runs N]
 */
import { cpSync, linkSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { cachedCorpus } from './harness/cached-corpus.ts';
import { measure, type Sample } from './harness/measure.ts';
import { benchOptions, filesIn } from './harness/options.ts';
import { renderNightly } from './harness/render-benches.ts';
import { atRoot, runFolder, turnmillBin } from './harness/repository.ts';
import { describeMachine, type NightlyRow, type ResultsPlace, writeResult } from './harness/results.ts';
import { describeSection, quickBytes } from './harness/sections.ts';
import { writeReport } from './report.ts';

const FULL_BYTES = 2_000_000_000;
const CHANGED_SHARE = 0.01;
/** A file modified less than 35 seconds before it is read is checked by its checksum too, which costs extra time. */
const SETTLED_MS = 36_000;
const tree = `${runFolder}/nightly-logs`;
const full = `${runFolder}/nightly-full`;
const updated = `${runFolder}/nightly`;
const slices = [1, 2].map((index) => `${runFolder}/nightly-${index}`);
const merged = `${runFolder}/nightly-merged`;

const build = (words: readonly string[]): readonly string[] => [
  ...['node', turnmillBin, 'build', tree, '--workers', '1', ...words],
];
const commands = {
  full: build(['--out', full]),
  'no-checkpoints': [
    'env',
    `TURNMILL_CHECKPOINT_BYTES=${Number.MAX_SAFE_INTEGER}`,
    ...build(['--out', full]),
  ],
  update: build(['--update', updated]),
  nothing: build(['--update', updated]),
  merge: ['node', turnmillBin, 'merge', ...slices, '--out', merged],
} as const;

const labels: Readonly<Record<keyof typeof commands, string>> = {
  full: 'full build',
  'no-checkpoints': 'full build without checkpoints',
  update: 'update, 1 % of the files rewritten',
  nothing: 'update, nothing changed',
  merge: 'merge of two slices',
};

/** Creates a tree of hard links to the files of the corpus, so that the corpus itself stays unchanged. */
const linkTree = (corpus: string): void => {
  for (const file of filesIn(corpus)) {
    const to = `${atRoot(tree)}${file.slice(corpus.length)}`;
    mkdirSync(dirname(to), { recursive: true });
    linkSync(file, to);
  }
};

/** Rewrites every n-th file with the same bytes: it is read again like a changed file, but the result stays the same. */
const rewriteSome = (round: number): void => {
  const files = filesIn(atRoot(tree));
  const step = Math.round(1 / CHANGED_SHARE);
  for (const [index, file] of files.entries()) {
    if (index % step !== round % Math.min(step, files.length)) continue;
    cpSync(file, `${file}.new`);
    renameSync(`${file}.new`, file);
  }
};

const removeAll = (...folders: readonly string[]): void => {
  for (const folder of folders) rmSync(atRoot(folder), { recursive: true, force: true });
};

const run = (name: keyof typeof commands): Sample => {
  if (name === 'full' || name === 'no-checkpoints') removeAll(full);
  if (name === 'merge') removeAll(merged);
  const { sample, exitCode, stderr } = measure(commands[name]);
  const expected: Partial<Record<typeof name, string>> = {
    update: 'of them reused',
    nothing: 'nothing changed',
    merge: 'of them reused',
  };
  if (exitCode !== 0 || !stderr.includes(expected[name] ?? ''))
    throw new Error(`nightly, ${name}: exit status ${exitCode}: ${stderr}`);
  return sample;
};

/** Measures, saves and prints; returns the exit status. */
export const measureNightly = async (args: readonly string[], place: ResultsPlace): Promise<number> => {
  const { runs, bytes } = benchOptions(args, { full: FULL_BYTES, quick: quickBytes.main });
  const corpus = cachedCorpus(describeSection('main', bytes, 1).order);
  const folders = [tree, full, updated, merged, ...slices];
  removeAll(...folders);
  linkTree(atRoot(corpus.directory));
  await sleep(SETTLED_MS);
  measure(commands.update); // the first build
  for (const [i, slice] of slices.entries()) measure(build(['--out', slice, '--slice', `${i + 1}/2`]));
  const names = Object.keys(commands) as (keyof typeof commands)[];
  const samples = new Map<string, Sample[]>(names.map((name) => [name, []]));
  for (let round = 0; round < runs; round++) {
    process.stderr.write(`nightly: round ${round + 1} of ${runs}\n`);
    rewriteSome(round);
    await sleep(SETTLED_MS);
    for (const name of names) samples.get(name)?.push(run(name));
  }
  removeAll(...folders);
  const rows: NightlyRow[] = names.map((name) => ({
    name,
    label: labels[name],
    command: commands[name].join(' '),
    samples: samples.get(name) ?? [],
  }));
  const result = { type: 'nightly', machine: describeMachine(), corpus: corpus.stats, rows } as const;
  writeResult(place, 'nightly', result);
  writeReport(place);
  process.stdout.write(renderNightly(result));
  return 0;
};
