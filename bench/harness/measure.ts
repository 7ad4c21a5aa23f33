/**
 * Runs a command and measures the whole process: wall and CPU time with bash's `time` (in milliseconds; GNU time has only hundredths of a
 * second), peak RSS with GNU time, because a direct child of Node would inherit Node's peak. Both include all descendants and threads that
 * were waited for.
 */
import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync } from 'node:fs';
import { atRoot, repositoryRoot, runFolder } from './repository.ts';

/** One run of one command. */
export interface Sample {
  readonly wallSeconds: number;
  /** User plus system time: the split is sampled, the sum is exact. */
  readonly cpuSeconds: number;
  readonly peakRssBytes: number;
}

/** The sample and the output of a run. */
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
 * Variables that make every Node process work at startup: reading a proxy's certificates alone can take longer than everything else. No
 * contender gets them.
 */
const UNMEASURED = ['NODE_EXTRA_CA_CERTS', 'NODE_OPTIONS'];

const environment = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !UNMEASURED.includes(name)),
);

/** Runs the command in the root of the repository. */
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

/** A word as typed in a shell. */
export const quoted = (word: string): string =>
  /^[\w./:=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;

export const hasHyperfine = (): boolean =>
  spawnSync('hyperfine', ['--version'], { stdio: 'ignore' }).status === 0;

/** How often hyperfine starts a command in a round. */
const STARTS = '10';

interface HyperfineExport {
  readonly results: readonly {
    /** Wall seconds of the runs. */
    readonly median: number;
    /** Seconds, mean of the runs: hyperfine does not export the single values. */
    readonly user: number;
    readonly system: number;
  }[];
}

/**
 * Measures a command that takes milliseconds by repeated starts with hyperfine, which needs no shell around the command; bash's `time`
 * would include the shell's own start.
 * @param out is removed before each run
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
