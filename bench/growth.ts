/**
 * Measures how the cost of one session grows: turns taken back, chains of calls, calls of one trace, and tiny sessions. The CPU time
 * per byte of input and output should not grow with the size, nor should the memory.
 *   npm run bench -- growth [--kinds codex,chain] [--counts 500,1000] [--seed N]
 */
import { closeSync, mkdirSync, openSync, readdirSync, rmSync, statSync, writeSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type BranchKind, branchKinds, branchLog } from './corpus/branch-logs.ts';
import { measure } from './harness/measure.ts';
import { atRoot, runFolder, turnmillBin } from './harness/repository.ts';

const BRANCHES = [500, 1000, 2000, 4000];
const CHAINS = [1000, 2000, 4000, 8000, 16000];
const COUNTS: Readonly<Record<BranchKind, readonly number[]>> = {
  codex: BRANCHES,
  'claude-code': BRANCHES,
  pi: BRANCHES,
  'gemini-cli': BRANCHES,
  chain: CHAINS,
  mixed: CHAINS,
  'chat-chain': CHAINS,
  trace: [20000, 40000, 80000],
  tiny: [250000, 500000, 1000000],
};
const PIECE_LINES = 1000;
const MEGABYTE = 1e6;
const out = `${runFolder}/growth`;
const log = `${runFolder}/growth.jsonl`;

/** Returns the bytes of the log. */
const writeLog = (kind: BranchKind, count: number, seed: number): number => {
  mkdirSync(atRoot(runFolder), { recursive: true });
  const file = openSync(atRoot(log), 'w');
  let lines: string[] = [];
  for (const line of branchLog(kind, count, seed)) {
    lines.push(line);
    if (lines.length < PIECE_LINES) continue;
    writeSync(file, lines.join(''));
    lines = [];
  }
  writeSync(file, lines.join(''));
  closeSync(file);
  return statSync(atRoot(log)).size;
};

const bytesIn = (folder: string): number =>
  readdirSync(atRoot(folder)).reduce((sum, name) => sum + statSync(atRoot(`${folder}/${name}`)).size, 0);

const header =
  '| kind | count | input (MB) | output (MB) | CPU (s) | CPU per MB (s) | ratio | peak RSS (MB) |\n|---|---|---|---|---|---|---|---|\n';

/** Measures one kind and prints a row for each count. */
const measureKind = (kind: BranchKind, counts: readonly number[], seed: number): void => {
  let before: number | undefined;
  for (const count of counts) {
    const input = writeLog(kind, count, seed);
    rmSync(atRoot(out), { recursive: true, force: true });
    const by = kind === 'tiny' ? ['--session-by', 'run'] : [];
    const { sample, exitCode, stderr } = measure([
      ...['node', turnmillBin, 'build', log, '--out', out, '--workers', '1', ...by],
    ]);
    // 3: branches beyond --max-branches are rejected
    if (exitCode !== 0 && exitCode !== 3)
      throw new Error(`growth ${kind}: ${exitCode}: ${stderr.slice(-300)}`);
    const output = bytesIn(`${out}/data`);
    const each = sample.cpuSeconds / ((input + output) / MEGABYTE);
    const cells = [
      ...[kind, count, (input / MEGABYTE).toFixed(2), (output / MEGABYTE).toFixed(2)],
      ...[
        sample.cpuSeconds.toFixed(2),
        each.toFixed(4),
        before === undefined ? '' : (each / before).toFixed(2),
      ],
      Math.round(sample.peakRssBytes / MEGABYTE),
    ];
    process.stdout.write(`| ${cells.join(' | ')} |\n`);
    before = each;
  }
};

/** Measures and prints; returns the exit status. */
export const measureGrowth = (args: readonly string[]): number => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      kinds: { type: 'string', default: branchKinds.join(',') },
      counts: { type: 'string' },
      seed: { type: 'string', default: '1' },
    },
  });
  const names = values.kinds.split(',');
  process.stdout.write(header);
  for (const kind of branchKinds.filter((name) => names.includes(name)))
    measureKind(kind, values.counts?.split(',').map(Number) ?? COUNTS[kind], Number(values.seed));
  rmSync(atRoot(runFolder), { recursive: true, force: true });
  return 0;
};
