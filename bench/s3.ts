/**
 * Compares a build from an object store with the same build from files and with a bare download of the objects. The store is the one of the
 * tests; it runs on the loopback interface, in a separate process that is not measured.
 *   npm run bench -- s3 [--bytes SIZE] [--runs N]
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, existsSync, mkdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { type CorpusKind, corpusKinds } from './corpus/shapes.ts';
import { type CachedCorpus, cachedCorpus } from './harness/cached-corpus.ts';
import { recordsInShards } from './harness/checks.ts';
import { measure, type Sample } from './harness/measure.ts';
import { benchOptions, filesIn } from './harness/options.ts';
import { renderS3 } from './harness/render-s3.ts';
import { atRoot, repositoryRoot, runFolder, turnmillBin } from './harness/repository.ts';
import { describeMachine, type ResultsPlace, type S3Row, writeResult } from './harness/results.ts';
import { writeReport } from './report.ts';

const FULL_BYTES = 300_000_000;
const QUICK_BYTES = 16_000_000;
const MEGABYTE = 1_000_000;
/** Maximum sizes of the objects with many sessions, used in turn. */
const OBJECT_MEGABYTES = [1, 60, 4, 15, 30, 8, 2, 45];
const STORE = 'dist/bench/harness/object-store.js';
const out = `${runFolder}/s3`;
const CREDENTIALS = {
  AWS_ACCESS_KEY_ID: 'AKIDEXAMPLEFORTESTS',
  AWS_SECRET_ACCESS_KEY: 'wJalrXUtnFEMI/SECRET+THAT+MUST/NOT+SHOW',
  AWS_REGION: 'us-east-1',
};

interface Logs extends CachedCorpus {
  readonly name: string;
  readonly words: readonly string[];
}

/** Joins the sessions of a corpus into objects of 1 to 60 MB with many sessions each. */
const joined = ({ directory, stats }: CachedCorpus): CachedCorpus => {
  const to = `${directory}-joined`;
  if (existsSync(atRoot(to))) return { directory: to, stats };
  const partial = atRoot(`${to}.partial`);
  rmSync(partial, { recursive: true, force: true });
  let object = 0;
  let bytes = 0;
  for (const file of filesIn(atRoot(directory))) {
    const content = readFileSync(file);
    const maximum = (OBJECT_MEGABYTES[object % OBJECT_MEGABYTES.length] as number) * MEGABYTE;
    if (bytes > 0 && bytes + content.length > maximum) {
      object++;
      bytes = 0;
    }
    const path = `${partial}/2026-01-13/${String(object).padStart(3, '0')}.jsonl`;
    mkdirSync(dirname(path), { recursive: true });
    appendFileSync(path, content);
    bytes += content.length;
  }
  renameSync(partial, atRoot(to));
  return { directory: to, stats };
};

const corpusOf = (name: string, bytes: number): CachedCorpus => {
  const kind = corpusKinds.find((known) => known === name) as CorpusKind;
  return cachedCorpus({ kind, bytes, seed: 1, growthEntries: 0 });
};

const startStore = async (directory: string): Promise<{ process: ChildProcess; endpoint: string }> => {
  const process = spawn('node', [STORE, directory], {
    cwd: repositoryRoot,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  const [endpoint] = (await once(createInterface(process.stdout), 'line')) as [string];
  return { process, endpoint };
};

const commandsFor = (
  { directory, words }: Logs,
  endpoint: string,
): Readonly<Record<string, readonly string[]>> => {
  const credentials = Object.entries(CREDENTIALS).map(([name, value]) => `${name}=${value}`);
  const build = ['node', turnmillBin, 'build'];
  const options = ['--out', out, '--workers', '1', ...words];
  return {
    local: [...build, directory, ...options],
    s3: ['env', ...credentials, ...build, 's3://bucket/logs/', '--s3-endpoint', endpoint, ...options],
    download: ['node', 'bench/peers/download.mjs', endpoint, 'bucket', directory],
  };
};

const measureOnce = (name: string, command: readonly string[], logs: Logs): Sample => {
  rmSync(atRoot(out), { recursive: true, force: true });
  const finished = measure(command);
  const problem =
    name === 'download'
      ? Number(finished.stdout) !== logs.stats.bytes && `${finished.stdout} bytes`
      : finished.exitCode === 0 && recordsInShards(finished, logs, out);
  if (finished.exitCode !== 0 || problem)
    throw new Error(
      `s3, ${logs.name}, ${name}: exit status ${finished.exitCode}: ${problem || finished.stderr}`,
    );
  return finished.sample;
};

const measureLogs = async (logs: Logs, runs: number): Promise<S3Row> => {
  const store = await startStore(logs.directory);
  try {
    const commands = Object.entries(commandsFor(logs, store.endpoint));
    for (const [name, command] of commands) measureOnce(name, command, logs);
    const samples: Record<string, Sample[]> = { local: [], s3: [], download: [] };
    for (let round = 0; round < runs; round++) {
      process.stderr.write(`s3, ${logs.name}: round ${round + 1} of ${runs}\n`);
      for (const [name, command] of commands) samples[name]?.push(measureOnce(name, command, logs));
    }
    const objects = filesIn(atRoot(logs.directory)).length;
    return { name: logs.name, corpus: logs.stats, objects, samples };
  } finally {
    store.process.stdin?.end();
  }
};

/** Measures, saves and prints; returns the exit status. */
export const measureS3 = async (args: readonly string[], place: ResultsPlace): Promise<number> => {
  const { runs, bytes } = benchOptions(args, { full: FULL_BYTES, quick: QUICK_BYTES });
  const [main, fresh] = [corpusOf('main', bytes), corpusOf('fresh', bytes)];
  const all: readonly Logs[] = [
    { ...main, name: 'main', words: [] },
    { ...fresh, name: 'fresh', words: [] },
    { ...joined(fresh), name: 'fresh, many sessions in an object', words: ['--session-by', 'run'] },
  ];
  const rows: S3Row[] = [];
  for (const logs of all) rows.push(await measureLogs(logs, runs));
  rmSync(atRoot(out), { recursive: true, force: true });
  const result = { type: 's3', machine: describeMachine(), rows } as const;
  writeResult(place, 's3', result);
  writeReport(place);
  process.stdout.write(renderS3(result));
  return 0;
};
