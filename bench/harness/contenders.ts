/**
 * Everything that is measured on a corpus: turnmill and the peers, each with its command and the
 * check that it did its work. bench/README.md says what each of them leaves out.
 */
import {
  type Check,
  exitStatusOnly,
  printedCounts,
  printedLines,
  recordsInFile,
  recordsInShards,
} from './checks.ts';
import { type Contender, type Requirement, venvPython } from './contender.ts';
import { peersBuildFolder, turnmillBin } from './repository.ts';

const turnmill = (name: string, workers: number): Contender => ({
  name,
  label: `turnmill, ${workers} worker${workers === 1 ? '' : 's'}`,
  needs: { file: turnmillBin },
  command: (directory, out) => [
    ...['node', turnmillBin, 'build', directory, '--out', out, '--workers', String(workers)],
    // The growth corpora hold all their sessions in one file.
    ...(directory.includes('/growth') ? ['--session-by', 'id'] : []),
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

/** A shell pipeline whose $1 is the corpus and $2 the output file. */
const pipeline = (name: string, label: string, program: string, script: string, check: Check): Contender => ({
  name,
  label,
  needs: { program },
  command: (directory, out) => ['sh', '-c', script, 'sh', directory, out],
  check,
});

/** All contenders, the reference `simdjson-ondemand` right behind the first. */
export const contenders: readonly Contender[] = [
  turnmill('turnmill', 1),
  simdjson('simdjson-ondemand', 'C++ simdjson On-Demand (no output)'),
  turnmill('turnmill-2', 2),
  simdjson('simdjson-dom', 'C++ simdjson DOM (no output)'),
  converter('orjson', 'Python orjson', { pythonModule: 'orjson' }, [
    ...[venvPython, 'bench/peers/convert.py', 'orjson'],
  ]),
  converter('python-json', 'Python json', { program: 'python3' }, [
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
