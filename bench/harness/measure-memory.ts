/**
 * Peak RSS of `turnmill build` on one input, from a folder or through stdin. Through stdin the
 * corpus is generated on the other side of the pipe, so that 10 GB need no disk.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import type { CorpusOrder, CorpusStats } from '../corpus/generate.ts';
import { recordsInShards } from './checks.ts';
import { type CachedCorpus, cachedCorpus } from './corpus-cache.ts';
import { measure, type RunOutcome } from './measure.ts';
import { atRoot, repositoryRoot, runFolder, turnmillBin } from './repository.ts';
import { describeMachine, type MemoryRow } from './results.ts';

// GNU time sits inside the pipe, so that it measures turnmill alone.
const pipeScript = `
set -o pipefail
folder="$1" kind="$2" bytes="$3" seed="$4"; shift 4
node dist/bench/corpus.js "$kind" --bytes "$bytes" --seed "$seed" --out - 2>"$folder/stats" |
  command time -q -f '%e %U %S %M' -o "$folder/times" "$@" >"$folder/stdout" 2>"$folder/stderr"
`;

const out = `${runFolder}/memory`;
const buildCommand = (input: string, workers: number): readonly string[] => [
  ...['node', turnmillBin, 'build', input, '--out', out, '--workers', String(workers)],
];

const measurePiped = (
  { kind, bytes, seed }: CorpusOrder,
  command: readonly string[],
): { outcome: RunOutcome; corpus: CachedCorpus } => {
  const folder = atRoot(`${runFolder}/measure`);
  mkdirSync(folder, { recursive: true });
  const words = [folder, kind, String(bytes), String(seed), ...command];
  const child = spawnSync('bash', ['-c', pipeScript, 'pipe', ...words], {
    cwd: repositoryRoot,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  const read = (name: string): string => readFileSync(`${folder}/${name}`, 'utf8');
  const stderr = read('stderr');
  if (child.status !== 0) throw new Error(`exit status ${child.status}: ${stderr.slice(-300)}`);
  const [wall = 0, user = 0, system = 0, kilobytes = 0] = read('times').trim().split(' ').map(Number);
  const sample = {
    wallSeconds: wall,
    cpuSeconds: user + system,
    peakRssBytes: kilobytes * 1024,
  };
  const stats = JSON.parse(read('stats')) as CorpusStats;
  return {
    outcome: { sample, exitCode: 0, stdout: read('stdout'), stderr },
    corpus: { directory: '-', stats },
  };
};

const measureFolder = (
  order: CorpusOrder,
  workers: number,
): { outcome: RunOutcome; corpus: CachedCorpus } => {
  const corpus = cachedCorpus(order);
  const outcome = measure(buildCommand(corpus.directory, workers));
  if (outcome.exitCode !== 0) {
    throw new Error(`exit status ${outcome.exitCode}: ${outcome.stderr.slice(-300)}`);
  }
  return { outcome, corpus };
};

/** One row of the table; throws when turnmill fails or does not write one record per session. */
export const measureMemoryRow = (order: CorpusOrder, via: MemoryRow['via'], workers: number): MemoryRow => {
  rmSync(atRoot(out), { recursive: true, force: true });
  const command = buildCommand('-', workers);
  const { outcome, corpus } = via === 'stdin' ? measurePiped(order, command) : measureFolder(order, workers);
  const wrong = recordsInShards(outcome, corpus, out);
  if (wrong !== undefined) throw new Error(wrong);
  const feed = `node dist/bench/corpus.js ${order.kind} --bytes ${order.bytes} --seed ${order.seed} --out -`;
  return {
    kind: order.kind,
    via,
    workers,
    command:
      via === 'stdin' ? `${feed} | ${command.join(' ')}` : buildCommand(corpus.directory, workers).join(' '),
    corpus: corpus.stats,
    machine: describeMachine(),
    peakRssBytes: outcome.sample.peakRssBytes,
    wallSeconds: outcome.sample.wallSeconds,
    cpuSeconds: outcome.sample.cpuSeconds,
  };
};
