/**
 * How much of a run is warming up: the same logs are built several times in one process, and the later builds find their code
 * compiled. Beside them the whole process of the command, and the Python script with orjson.
 *   npm run bench -- warm [--runs N] [--quick]
 */
import { rmSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { type Contender, contenders, whyMissing } from './harness/contenders.ts';
import { measure } from './harness/measure.ts';
import { renderWarm } from './harness/render-warm.ts';
import { atRoot, runFolder } from './harness/repository.ts';
import { describeMachine, type ResultsPlace, type WarmRow, writeResult } from './harness/results.ts';
import { cachedCorpus } from './harness/run-section.ts';
import { describeSection, quickBytes, type SectionName } from './harness/sections.ts';
import { writeReport } from './report.ts';

const kinds = ['main', 'small', 'fresh', 'wide20'] as const satisfies readonly SectionName[];
/** From the fourth build on, a build takes the same time as the one before. */
const BUILDS = 5;
const out = `${runFolder}/warm`;

const contender = (wanted: string): Contender => {
  const found = contenders.find(({ name }) => name === wanted);
  if (found === undefined) throw new Error(`warm: unknown contender ${wanted}`);
  const missing = whyMissing(found);
  if (missing !== undefined) throw new Error(`warm: ${wanted} is ${missing} (bench/peers/setup.sh)`);
  return found;
};

/** CPU seconds of a command, and what it printed. */
const run = (command: readonly string[]): { readonly cpuSeconds: number; readonly stdout: string } => {
  rmSync(atRoot(out), { recursive: true, force: true });
  const { sample, exitCode, stdout, stderr } = measure(command);
  if (exitCode !== 0) throw new Error(`warm: ${command.join(' ')}: ${exitCode}: ${stderr.slice(-300)}`);
  return { cpuSeconds: sample.cpuSeconds, stdout };
};

const measureRow = (kind: SectionName, quick: boolean, runs: number): WarmRow => {
  const { directory, stats } = cachedCorpus(
    describeSection(kind, quick ? quickBytes[kind] : undefined, 1).order,
  );
  const repeated = ['node', 'dist/bench/harness/repeat-build.js', directory, out, String(BUILDS)];
  const whole = contender('turnmill').command(directory, out);
  const script = contender('orjson').command(directory, out);
  const rounds = Array.from({ length: runs }, () => {
    const builds: readonly number[] = JSON.parse(run(repeated).stdout);
    return { builds, whole: run(whole).cpuSeconds, script: run(script).cpuSeconds };
  });
  return { kind, corpus: stats, commands: [repeated, whole, script].map((words) => words.join(' ')), rounds };
};

/** Measures, saves and prints; returns the exit status. */
export const measureWarm = (args: readonly string[], place: ResultsPlace): number => {
  const { values } = parseArgs({
    args: [...args],
    options: { runs: { type: 'string', default: '5' }, quick: { type: 'boolean', default: false } },
  });
  const rows = kinds.map((kind) => {
    process.stderr.write(`warm: ${kind}\n`);
    return measureRow(kind, values.quick, Number(values.runs));
  });
  rmSync(atRoot(out), { recursive: true, force: true });
  const result = { type: 'warm', machine: describeMachine(), rows } as const;
  writeResult(place, 'warm', result);
  writeReport(place);
  process.stdout.write(renderWarm(result));
  return 0;
};
