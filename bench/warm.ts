/**
 * Measures how much of a run is warming up: builds the same logs several times in one process, where later builds run
 * compiled code, and compares this with the command in a separate process and with the Python script with orjson.
 *   npm run bench -- warm [--runs N] [--quick]
 */
import { rmSync } from 'node:fs';
import { cachedCorpus } from './harness/cached-corpus.ts';
import { type Contender, contenders, whyMissing } from './harness/contenders.ts';
import { measure } from './harness/measure.ts';
import { roundOptions } from './harness/options.ts';
import { renderWarm } from './harness/render-warm.ts';
import { atRoot, runFolder } from './harness/repository.ts';
import { describeMachine, type ResultsPlace, type WarmRow, writeResult } from './harness/results.ts';
import { describeSection, quickBytes, type SectionName } from './harness/sections.ts';
import { writeReport } from './report.ts';

const kinds = ['main', 'small', 'fresh', 'wide20'] as const satisfies readonly SectionName[];
/** The fourth build and later ones are not faster than the third. */
const BUILDS = 5;
const out = `${runFolder}/warm`;

const named = (wanted: string): Contender => contenders.find(({ name }) => name === wanted) as Contender;
const turnmill = named('turnmill');
const script = named('orjson');

/** Runs a command; returns its CPU seconds and its output. */
const run = (command: readonly string[]): { readonly cpuSeconds: number; readonly stdout: string } => {
  rmSync(atRoot(out), { recursive: true, force: true });
  const { sample, exitCode, stdout, stderr } = measure(command);
  if (exitCode !== 0)
    throw new Error(`warm: ${command.join(' ')}: exit status ${exitCode}: ${stderr.slice(-300)}`);
  return { cpuSeconds: sample.cpuSeconds, stdout };
};

const measureRow = (kind: SectionName, quick: boolean, runs: number): WarmRow => {
  const { directory, stats } = cachedCorpus(
    describeSection(kind, quick ? quickBytes[kind] : undefined, 1).order,
  );
  const repeated = ['node', 'dist/bench/harness/repeat-build.js', directory, out, String(BUILDS)];
  const whole = turnmill.command(directory, out);
  const peer = script.command(directory, out);
  const rounds = Array.from({ length: runs }, () => {
    const builds: readonly number[] = JSON.parse(run(repeated).stdout);
    return { builds, whole: run(whole).cpuSeconds, script: run(peer).cpuSeconds };
  });
  return { kind, corpus: stats, commands: [repeated, whole, peer].map((words) => words.join(' ')), rounds };
};

/** Measures, saves and prints; returns the exit status. */
export const measureWarm = (args: readonly string[], place: ResultsPlace): number => {
  const { runs, quick } = roundOptions(args);
  const missing = whyMissing(script);
  if (missing !== undefined) {
    process.stderr.write(`warm: skipped, because orjson is ${missing} (bench/peers/setup.sh installs it)\n`);
    return 0;
  }
  const rows = kinds.map((kind) => {
    process.stderr.write(`warm: ${kind}\n`);
    return measureRow(kind, quick, runs);
  });
  rmSync(atRoot(out), { recursive: true, force: true });
  const result = { type: 'warm', machine: describeMachine(), rows } as const;
  writeResult(place, 'warm', result);
  writeReport(place);
  process.stdout.write(renderWarm(result));
  return 0;
};
