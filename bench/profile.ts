/**
 * Shows where `turnmill build` with one worker spends its time, from the counters of `--profile`; includes reading the output back. The
 * profile itself takes a little time, most for small entries.
 *   npm run bench -- profile [--runs N]
 */
import { readdirSync, rmSync, statSync } from 'node:fs';
import { cachedCorpus } from './harness/cached-corpus.ts';
import { measure } from './harness/measure.ts';
import { roundOptions } from './harness/options.ts';
import { renderProfile } from './harness/render-benches.ts';
import { atRoot, runFolder, turnmillBin } from './harness/repository.ts';
import {
  describeMachine,
  type ProfileRow,
  type ResultsPlace,
  spreadOf,
  writeResult,
} from './harness/results.ts';
import { describeSection, quickBytes, type SectionName } from './harness/sections.ts';
import { writeReport } from './report.ts';

export interface PrintedProfile {
  readonly seconds: Readonly<Record<string, number>>;
  /** Share of the parsed bytes that were compared instead of scanned, from 0 to 1. */
  readonly comparedShare: number;
}

/** Reads the profile from the output of a run. Throws if there is none. */
export const readProfile = (stderr: string): PrintedProfile => {
  const text = stderr.slice(Math.max(0, stderr.indexOf('\nprofile: ')));
  const rows = [...text.matchAll(/^ {2}([a-z-]+) +(\d+\.\d+) s /gm)];
  const compared = /: (\d+\.\d) % compared$/m.exec(text)?.[1];
  if (rows.length === 0 || compared === undefined) throw new Error(`no profile in: ${stderr.slice(-300)}`);
  return {
    seconds: Object.fromEntries(rows.map(([, name, seconds]) => [name ?? '', Number(seconds)])),
    comparedShare: Number(compared) / 100,
  };
};

const kinds = ['main', 'small', 'giant', 'fresh'] as const satisfies readonly SectionName[];
const out = `${runFolder}/profile`;

const shardBytes = (): number =>
  readdirSync(atRoot(`${out}/data`)).reduce(
    (sum, name) => sum + statSync(atRoot(`${out}/data/${name}`)).size,
    0,
  );

const median = (values: readonly number[]): number => spreadOf(values)?.median ?? 0;

const measureRow = (kind: SectionName, bytes: number | undefined, runs: number): ProfileRow => {
  const corpus = cachedCorpus(describeSection(kind, bytes, 1).order);
  const command = [
    ...['node', turnmillBin, 'build', corpus.directory, '--out', out, '--workers', '1', '--profile'],
  ];
  const profiles = Array.from({ length: runs }, () => {
    rmSync(atRoot(out), { recursive: true, force: true });
    const { exitCode, stderr } = measure(command);
    if (exitCode !== 0) throw new Error(`profile ${kind}: exit status ${exitCode}: ${stderr.slice(-300)}`);
    return readProfile(stderr);
  });
  const names = Object.keys(profiles[0]?.seconds ?? {});
  return {
    kind,
    command: command.join(' '),
    corpus: corpus.stats,
    runs,
    outputBytes: shardBytes(),
    seconds: Object.fromEntries(
      names.map((name) => [name, median(profiles.map(({ seconds }) => seconds[name] ?? 0))]),
    ),
    comparedShare: median(profiles.map(({ comparedShare }) => comparedShare)),
  };
};

/** Measures, saves and prints; returns the exit status. */
export const measureProfile = (args: readonly string[], place: ResultsPlace): number => {
  const { runs, quick } = roundOptions(args);
  const rows = kinds.map((kind) => {
    process.stderr.write(`profile: ${kind}\n`);
    return measureRow(kind, quick ? quickBytes[kind] : undefined, runs);
  });
  rmSync(atRoot(out), { recursive: true, force: true });
  const result = { type: 'profile', machine: describeMachine(), rows } as const;
  writeResult(place, 'profile', result);
  writeReport(place);
  process.stdout.write(renderProfile(result));
  return 0;
};
