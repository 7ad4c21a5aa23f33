/**
 * Runs one command and measures the whole process: wall and CPU time by bash's `time` (milliseconds;
 * GNU time has hundredths only), peak RSS by GNU time, which is tiny: a child of Node would inherit
 * Node's own peak. Both count all descendants and threads that were waited for.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { atRoot, repositoryRoot, runFolder } from './repository.ts';

/** One run of one command. */
export interface Sample {
  readonly wallSeconds: number;
  /** User and system time together: their split is sampled, their sum is exact. */
  readonly cpuSeconds: number;
  readonly peakRssBytes: number;
}

/** A run's sample, and its output. */
export interface FinishedRun {
  readonly sample: Sample;
  readonly exitCode: number;
  readonly stdout: string;
  readonly stderr: string;
}

const script = `
TIMEFORMAT='%3R %3U %3S'
folder="$1"; shift
{ time command time -q -f '%M' -o "$folder/rss" "$@" >"$folder/stdout" 2>"$folder/stderr"; } 2>"$folder/times"
`;

const numbersIn = (path: string, count: number): readonly number[] => {
  const numbers = readFileSync(path, 'utf8').trim().split(/\s+/).map(Number);
  if (numbers.length !== count || numbers.some(Number.isNaN)) {
    throw new Error(`cannot read the times in ${path}: is GNU time there? (bench/peers/setup.sh)`);
  }
  return numbers;
};

/**
 * Work that a machine makes every Node process do when it starts: to read the certificates of its proxy alone can take longer than all
 * the rest. No contender gets them.
 */
const UNMEASURED = ['NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS'];

const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !UNMEASURED.includes(name)),
);

/** Runs the command with the repository's root as working folder. */
export const measure = (command: readonly string[]): FinishedRun => {
  const folder = atRoot(`${runFolder}/measure`);
  mkdirSync(folder, { recursive: true });
  const child = spawnSync('bash', ['-c', script, 'measure', folder, ...command], {
    cwd: repositoryRoot,
    env: environment,
    stdio: ['ignore', 'inherit', 'inherit'],
  });
  if (child.error !== undefined) throw child.error;
  const stderr = readFileSync(`${folder}/stderr`, 'utf8');
  if (child.status === 127) throw new Error(`not found: ${command[0]}, or GNU time: ${stderr}`);
  const [wall = 0, user = 0, system = 0] = numbersIn(`${folder}/times`, 3);
  const [rssKilobytes = 0] = numbersIn(`${folder}/rss`, 1);
  return {
    sample: {
      wallSeconds: wall,
      cpuSeconds: Math.round((user + system) * 1000) / 1000,
      peakRssBytes: rssKilobytes * 1024,
    },
    exitCode: child.status ?? 128,
    stdout: readFileSync(`${folder}/stdout`, 'utf8'),
    stderr,
  };
};

/** A word as one would type it. */
export const quoted = (word: string): string =>
  /^[\w./:=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

export const hasHyperfine = (): boolean =>
  spawnSync('hyperfine', ['--version'], { stdio: 'ignore' }).status === 0;

/** Times that hyperfine starts a command in a round. */
const STARTS = '10';

interface HyperfineExport {
  readonly results: readonly {
    /** Statistics of the wall seconds of the runs. */
    readonly median: number;
    /** Seconds, means of the runs: it does not export those of each. */
    readonly user: number;
    readonly system: number;
  }[];
}

/**
 * Starts a command that takes milliseconds again and again, with hyperfine: it needs no shell around the command, whose own start
 * bash's `time` would count. @param out is removed before each run
 */
export const measureStart = (
  command: readonly string[],
  out: string,
): Pick<Sample, 'wallSeconds' | 'cpuSeconds'> => {
  const file = atRoot(`${runFolder}/measure/hyperfine.json`);
  const flags = ['--shell=none', '--style=none', '--warmup=1', '--runs', STARTS, '--export-json', file];
  const child = spawnSync(
    'hyperfine',
    [...flags, '--prepare', `rm -rf ${quoted(out)}`, command.map(quoted).join(' ')],
    { cwd: repositoryRoot, env: environment, encoding: 'utf8' },
  );
  if (child.status !== 0) throw new Error(`hyperfine: ${child.error?.message ?? child.stderr}`);
  const [result] = (JSON.parse(readFileSync(file, 'utf8')) as HyperfineExport).results;
  if (result === undefined) throw new Error(`hyperfine measured nothing: ${file}`);
  return { wallSeconds: result.median, cpuSeconds: result.user + result.system };
};
