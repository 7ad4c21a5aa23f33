/**
 * The contenders: turnmill and the peers, each with its command and the check of its output. bench/README.md lists what each peer leaves
 * out.
 */
import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { manySessionKinds } from '../corpus/sinks.ts';
import {
  type Check,
  exitStatusOnly,
  moreRecords,
  printedCounts,
  printedLines,
  recordsInFile,
  recordsInShards,
  recordsOfFormats,
} from './checks.ts';
import { atRoot, peersBuildFolder, turnmillBin } from './repository.ts';

/** A built file, a program on the PATH, or a module in the peers' venv, without which a contender cannot run. */
export type Requirement =
  | { readonly file: string }
  | { readonly program: string }
  | { readonly pythonModule: string };

export interface Contender {
  readonly name: string;
  readonly label: string;
  readonly needs: Requirement;
  /** Returns the words of the command. `directory` and `out` are relative to the root. */
  command(directory: string, out: string): readonly string[];
  readonly check: Check;
}

/** Python in the peers' venv; bench/peers/setup.sh creates it. */
export const venvPython: string = `${peersBuildFolder}/venv/bin/python`;

const succeeds = (command: string, args: readonly string[]): boolean =>
  spawnSync(command, args, { stdio: 'ignore' }).status === 0;

/** Returns why a contender cannot run on this machine, or undefined if it can. */
export const whyMissing = ({ needs }: Contender): string | undefined => {
  if ('file' in needs) {
    if (existsSync(atRoot(needs.file))) return undefined;
    return needs.file === turnmillBin ? 'not built' : 'not installed';
  }
  const isInstalled =
    'program' in needs
      ? succeeds('sh', ['-c', 'command -v "$1"', 'sh', needs.program])
      : succeeds(atRoot(venvPython), ['-c', `import ${needs.pythonModule}`]);
  return isInstalled ? undefined : 'not installed';
};

const holdsManySessions = (directory: string): boolean =>
  manySessionKinds.some((kind) => directory.includes(`/${kind}`));

const turnmill = (name: string, workers: number): Contender => ({
  name,
  label: `turnmill, ${workers} worker${workers === 1 ? '' : 's'}`,
  needs: { file: turnmillBin },
  command: (directory, out) => [
    ...['node', turnmillBin, 'build', directory, '--out', out, '--workers', String(workers)],
    ...(holdsManySessions(directory) ? ['--session-by', 'run'] : []),
  ],
  check: recordsInShards,
});

const simdjson = (name: string, label: string): Contender => ({
  name,
  label,
  needs: { file: `${peersBuildFolder}/${name}` },
  command: (directory) => [`${peersBuildFolder}/${name}`, directory],
  check: printedCounts,
});

/** A program that takes DIR and OUTFILE and writes one line per session. */
const converter = (
  name: string,
  label: string,
  needs: Requirement,
  words: readonly string[],
  lastWords: readonly string[] = [],
): Contender => ({
  name,
  label,
  needs,
  command: (directory, out) => [...words, directory, out, ...lastWords],
  check: recordsInFile,
});

/** bench/peers/convert.py, with json or orjson. */
const python = (name: string, label: string, needs: Requirement, words: readonly string[]): Contender => ({
  ...converter(name, label, needs, words),
  command: (directory, out) => [
    ...[...words, directory, out],
    ...(holdsManySessions(directory) ? ['--by-id'] : []),
  ],
});

/** A shell pipeline: $1 is the corpus, $2 the output file. */
const pipeline = (name: string, label: string, program: string, script: string, check: Check): Contender => ({
  name,
  label,
  needs: { program },
  command: (directory, out) => ['sh', '-c', script, 'sh', directory, out],
  check,
});

/** The contenders for corpora that are not event logs. */
export const contenders: readonly Contender[] = [
  turnmill('turnmill', 1),
  simdjson('simdjson-ondemand', 'C++ simdjson On-Demand (no output)'),
  turnmill('turnmill-2', 2),
  simdjson('simdjson-dom', 'C++ simdjson DOM (no output)'),
  python('orjson', 'Python orjson', { pythonModule: 'orjson' }, [
    ...[venvPython, 'bench/peers/convert.py', 'orjson'],
  ]),
  python('python-json', 'Python json', { program: 'python3' }, [
    ...['python3', 'bench/peers/convert.py', 'json'],
  ]),
  converter('readline', 'Node readline + JSON.parse', { program: 'node' }, [
    ...['node', 'bench/peers/readline.mjs'],
  ]),
  converter('split2', 'Node split2 + JSON.parse', { file: 'node_modules/split2/package.json' }, [
    ...['node', 'bench/peers/split2.mjs'],
  ]),
  converter(
    'duckdb',
    'DuckDB typed read_json, 1 thread',
    { pythonModule: 'duckdb' },
    [venvPython, 'bench/peers/query_duckdb.py'],
    ['1'],
  ),
  pipeline(
    'jq',
    'jq, last entry per file',
    'jq',
    'find "$1" -name "*.jsonl" -print0 | sort -z | xargs -0 jq -n -c -f bench/peers/last-entry.jq >"$2"',
    recordsInFile,
  ),
  {
    name: 'floor',
    label: 'Node: read, find lines, compare (no output)',
    needs: { program: 'node' },
    command: (directory) => ['node', 'bench/peers/floor.mjs', directory],
    check: printedLines,
  },
  pipeline(
    'wc',
    'wc -l',
    'wc',
    'find "$1" -type f -print0 | wc -l --files0-from=- | tail -n 1',
    printedLines,
  ),
  pipeline('cat', 'cat', 'cat', 'find "$1" -type f -print0 | xargs -0 cat >/dev/null', exitStatusOnly),
  pipeline(
    'gzip-dc',
    'gzip -dc',
    'gzip',
    'find "$1" -type f -print0 | xargs -0 gzip -dc >/dev/null',
    exitStatusOnly,
  ),
];

/** The contenders for event logs; the reference is the Python script with the standard json. */
export const eventContenders: readonly Contender[] = [
  turnmill('turnmill', 1),
  turnmill('turnmill-2', 2),
  converter('orjson', 'Python orjson', { pythonModule: 'orjson' }, [
    ...[venvPython, 'bench/peers/convert_events.py', 'orjson'],
  ]),
  converter('python-json', 'Python json', { program: 'python3' }, [
    ...['python3', 'bench/peers/convert_events.py', 'json'],
  ]),
];

const withOptions = (name: string, label: string, options: readonly string[], check: Check): Contender => ({
  name,
  label: `turnmill, ${label}`,
  needs: { file: turnmillBin },
  command: (directory, out) => [
    ...['node', turnmillBin, 'build', directory, '--out', out, '--workers', '1', ...options],
  ],
  check,
});

const inFormats = (name: string, formats: readonly string[]): Contender =>
  withOptions(
    name,
    formats.join(' + '),
    formats.flatMap((format) => ['--format', format]),
    recordsOfFormats(formats.length),
  );

/** The contenders of the section `formats`. */
export const formatsContenders: readonly Contender[] = [
  inFormats('turnmill', ['chat']),
  inFormats('turnmill-trl', ['trl']),
  inFormats('turnmill-functiongemma', ['functiongemma']),
  inFormats('turnmill-three', ['chat', 'trl', 'openai']),
  inFormats('turnmill-three-others', ['axolotl', 'sharegpt', 'samples']),
];

/** The contenders of the section `copies`. */
export const copiesContenders: readonly Contender[] = [
  turnmill('turnmill', 1),
  withOptions('turnmill-drop', '--copies drop', ['--copies', 'drop'], recordsInShards),
  withOptions('turnmill-leaves', '--select leaves', ['--select', 'leaves'], moreRecords),
];

/** The contenders of the section `startup`; the reference is `node`. */
export const startupContenders: readonly Contender[] = [
  {
    name: 'node',
    label: 'node -e 0',
    needs: { program: 'node' },
    command: () => ['node', '-e', '0'],
    check: exitStatusOnly,
  },
  {
    name: 'turnmill-help',
    label: 'turnmill --help',
    needs: { file: turnmillBin },
    command: () => ['node', turnmillBin, '--help'],
    check: exitStatusOnly,
  },
  {
    name: 'turnmill-tiny',
    label: 'turnmill build, one entry',
    needs: { file: turnmillBin },
    command: (directory, out) => [
      ...['node', turnmillBin, 'build', directory, '--out', out, '--workers', '1'],
    ],
    check: recordsInShards,
  },
];
