/**
 * Runs a command and measures the whole process: wall and CPU time with bash's `time`, because GNU time only reports hundredths of a
 * second; peak RSS with GNU time, because a direct child of Node would inherit Node's peak. Both include all threads, and all child
 * processes that the command waited for.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { atRoot, repositoryRoot, runFolder } from './repository.ts';

/** The measurements of one run. */
export interface Sample {
  readonly wallSeconds: number;
  /** User plus system time. The kernel estimates how they split, but the sum is exact. */
  readonly cpuSeconds: number;
  readonly peakRssBytes: number;
}

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
    throw new Error(
      `cannot read the times in ${path}: GNU time may be missing (bench/peers/setup.sh installs it)`,
    );
  }
  return numbers;
};

/**
 * Environment variables that slow down the start of every Node process: reading a proxy's certificates alone can take longer than the rest
 * of the run. They are not passed to the contenders.
 */
const REMOVED_VARIABLES = ['NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS'];

const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !REMOVED_VARIABLES.includes(name)),
);

/** Runs a command in the root of the repository and measures it. */
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
  if (child.status === 127) throw new Error(`${command[0]} or GNU time is not installed: ${stderr}`);
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

/** Quotes a word for a shell if it needs quotes. */
export const quoted = (word: string): string =>
  /^[\w./:=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

export const hasHyperfine = (): boolean =>
  spawnSync('hyperfine', ['--version'], { stdio: 'ignore' }).status === 0;

/** Starts of a command per round. */
const STARTS = '10';

interface HyperfineExport {
  readonly results: readonly {
    /** Median wall seconds. */
    readonly median: number;
    /** Mean CPU seconds: hyperfine does not export the individual values. */
    readonly user: number;
    readonly system: number;
  }[];
}

/**
 * Measures a command that takes only milliseconds. hyperfine starts it several times and without a shell; bash's `time` would include the
 * start of the shell.
 * @param out removed before each start
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
  if (result === undefined) throw new Error(`hyperfine wrote no result to ${file}`);
  return { wallSeconds: result.median, cpuSeconds: result.user + result.system };
};
