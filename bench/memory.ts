/**
 * Measures the peak RSS of `turnmill build` as the input grows from 10 MB to 10 GB, for many sessions (main) and for a
 * single one (steady); also with lines of 64 MB (line), with several workers, with 100,000 small sessions in files and in
 * one stream (wide), and with event logs of 1 GB.
 *   npm run bench -- memory [--sizes 10MB,1GB,10GB] [--stdin-from 2GB] [--bytes 1GB] [--kinds main,steady]
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { loadavg } from 'node:os';
import { parseArgs } from 'node:util';
import { formatByteSize, parseByteSize } from './corpus/byte-size.ts';
import type { CorpusOrder, CorpusStats } from './corpus/order.ts';
import { type CorpusKind, corpusKinds } from './corpus/shapes.ts';
import { type CachedCorpus, cachedCorpus } from './harness/cached-corpus.ts';
import { recordsInShards } from './harness/checks.ts';
import { type FinishedRun, measure } from './harness/measure.ts';
import { renderMemory } from './harness/render-benches.ts';
import { atRoot, repositoryRoot, runFolder, turnmillBin } from './harness/repository.ts';
import {
  describeMachine,
  type MemoryRow,
  type ResultsPlace,
  readResults,
  writeResult,
} from './harness/results.ts';
import { writeReport } from './report.ts';

// GNU time is inside the pipe, so that it measures turnmill but not the generator.
const pipeScript = `
set -o pipefail
folder="$1" kind="$2" bytes="$3" seed="$4"; shift 4
node dist/bench/corpus.js "$kind" \${bytes:+--bytes "$bytes"} --seed "$seed" --out - 2>"$folder/stats" |
  command time -q -f '%e %U %S %M' -o "$folder/times" "$@" >"$folder/stdout" 2>"$folder/stderr"
`;

const out = `${runFolder}/memory`;
/** In a stream, sessions follow one another without file boundaries, so they are split by id. */
const buildCommand = (input: string, workers: number): readonly string[] => [
  ...['node', turnmillBin, 'build', input, '--out', out, '--workers', String(workers)],
  ...(input === '-' ? ['--session-by', 'run'] : []),
];

const measurePiped = (
  { kind, bytes, seed }: CorpusOrder,
  command: readonly string[],
): { finished: FinishedRun; corpus: CachedCorpus } => {
  const folder = atRoot(`${runFolder}/measure`);
  mkdirSync(folder, { recursive: true });
  const words = [folder, kind, String(bytes ?? ''), String(seed), ...command];
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
    finished: { sample, exitCode: 0, stdout: read('stdout'), stderr },
    corpus: { directory: '-', stats },
  };
};

const measureFolder = (
  order: CorpusOrder,
  workers: number,
): { finished: FinishedRun; corpus: CachedCorpus } => {
  const corpus = cachedCorpus(order);
  const finished = measure(buildCommand(corpus.directory, workers));
  if (finished.exitCode !== 0) {
    throw new Error(`exit status ${finished.exitCode}: ${finished.stderr.slice(-300)}`);
  }
  return { finished, corpus };
};

/** Measures one row of the table. Throws if turnmill fails or does not write one record per session. */
export const measureMemoryRow = (order: CorpusOrder, via: MemoryRow['via'], workers: number): MemoryRow => {
  rmSync(atRoot(out), { recursive: true, force: true });
  const command = buildCommand('-', workers);
  const [load = 0] = loadavg();
  const { finished, corpus } = via === 'stdin' ? measurePiped(order, command) : measureFolder(order, workers);
  const problem = recordsInShards(finished, corpus, out);
  if (problem !== undefined) throw new Error(problem);
  const size = order.bytes === undefined ? '' : ` --bytes ${order.bytes}`;
  const feed = `node dist/bench/corpus.js ${order.kind}${size} --seed ${order.seed} --out -`;
  return {
    kind: order.kind,
    via,
    workers,
    command:
      via === 'stdin' ? `${feed} | ${command.join(' ')}` : buildCommand(corpus.directory, workers).join(' '),
    corpus: corpus.stats,
    machine: describeMachine(),
    peakRssBytes: finished.sample.peakRssBytes,
    wallSeconds: finished.sample.wallSeconds,
    cpuSeconds: finished.sample.cpuSeconds,
    load: Math.round(load),
  };
};

const usage = `usage: memory [options]
  --sizes LIST        sizes of the corpora (default 10MB,1GB,10GB)
  --stdin-from SIZE   corpora of this size or larger are piped into stdin (default 2GB)
  --kinds LIST        only these corpora (default main,steady, and the special ones)
  --workers-at SIZE   size of main for the runs with 1, 2 and 3 workers (default 1GB)
  --bytes SIZE        size of the event logs (default 1GB) and of wide (default: all 100,000 sessions)
  --seed N            seed of the corpora (default 1)
`;

interface Input {
  readonly kind: CorpusKind;
  readonly bytes: number | undefined;
  readonly via: MemoryRow['via'];
  readonly workers: number;
}

const EVENT_LOG_BYTES = 1_000_000_000;

const kindOf = (name: string): CorpusKind => {
  const kind = corpusKinds.find((known) => known === name);
  if (kind === undefined) throw new Error(`--kinds: there is no corpus '${name}'`);
  return kind;
};

const readOptions = (args: readonly string[]): { inputs: readonly Input[]; seed: number } => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      sizes: { type: 'string', default: '10MB,1GB,10GB' },
      'stdin-from': { type: 'string', default: '2GB' },
      kinds: { type: 'string' },
      'workers-at': { type: 'string', default: '1GB' },
      bytes: { type: 'string' },
      seed: { type: 'string', default: '1' },
    },
  });
  const stdinFrom = parseByteSize(values['stdin-from']);
  const growing = (values.kinds ?? 'main,steady').split(',').flatMap((kind) =>
    values.sizes.split(',').map((size): Input => {
      const bytes = parseByteSize(size);
      return { kind: kindOf(kind), bytes, via: bytes >= stdinFrom ? 'stdin' : 'directory', workers: 1 };
    }),
  );
  const special = specialInputs(
    parseByteSize(values['workers-at']),
    values.bytes === undefined ? undefined : parseByteSize(values.bytes),
  );
  const isNew = (input: Input): boolean => !growing.some((other) => sameInput(input, other));
  const inputs = values.kinds === undefined ? [...growing, ...special.filter(isNew)] : growing;
  return { inputs, seed: Number.parseInt(values.seed, 10) };
};

/** @param bytes size of wide and of the event logs; the defaults are 100,000 sessions and 1 GB */
const specialInputs = (workersAt: number, bytes: number | undefined): readonly Input[] => {
  const shared = { via: 'directory', workers: 1 } as const;
  const eventLogs = ['claude-code-long', 'claude-code', 'codex'] as const;
  return [
    { ...shared, kind: 'line', bytes: undefined },
    ...[1, 2, 3].map((workers): Input => ({ ...shared, kind: 'main', bytes: workersAt, workers })),
    { ...shared, kind: 'wide', bytes },
    { ...shared, kind: 'wide', bytes, via: 'stdin' },
    ...eventLogs.map((kind): Input => ({ ...shared, kind, bytes: bytes ?? EVENT_LOG_BYTES })),
  ];
};

const sameInput = (a: Input, b: Input): boolean =>
  a.kind === b.kind && a.via === b.via && a.bytes === b.bytes && a.workers === b.workers;

const isSameRow = (a: MemoryRow, b: MemoryRow): boolean =>
  a.kind === b.kind &&
  a.via === b.via &&
  a.corpus.bytes === b.corpus.bytes &&
  (a.workers ?? 1) === (b.workers ?? 1);

const save = (place: ResultsPlace, row: MemoryRow): void => {
  const earlier = readResults(place).flatMap((result) => (result.type === 'memory' ? result.rows : []));
  const rows = [...earlier.filter((other) => !isSameRow(other, row)), row].sort(
    (a, b) =>
      a.kind.localeCompare(b.kind) || (a.workers ?? 1) - (b.workers ?? 1) || a.corpus.bytes - b.corpus.bytes,
  );
  writeResult(place, 'memory', { type: 'memory', rows });
  writeReport(place);
};

/** Measures, saves and prints; returns the exit status. */
export const measureMemory = (args: readonly string[], place: ResultsPlace): number => {
  let options: ReturnType<typeof readOptions>;
  try {
    options = readOptions(args);
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n${usage}`);
    return 64;
  }
  if (!existsSync(atRoot(turnmillBin))) {
    process.stderr.write(`memory: ${turnmillBin} is missing: run npm run build\n`);
    return 1;
  }
  const rows: MemoryRow[] = [];
  let failures = 0;
  for (const { kind, bytes, via, workers } of options.inputs) {
    const size = bytes === undefined ? '' : ` ${formatByteSize(bytes)}`;
    const name = `${kind}${size} via ${via}, workers: ${workers}`;
    process.stderr.write(`memory: ${name}\n`);
    try {
      const row = measureMemoryRow({ kind, bytes, seed: options.seed, growthEntries: 0 }, via, workers);
      rows.push(row);
      save(place, row);
    } catch (error) {
      failures++;
      process.stderr.write(`memory: ${name} failed: ${error instanceof Error ? error.message : error}\n`);
    }
  }
  rmSync(atRoot(runFolder), { recursive: true, force: true });
  if (rows.length > 0) process.stdout.write(renderMemory({ type: 'memory', rows }));
  return failures === 0 ? 0 : 1;
};
