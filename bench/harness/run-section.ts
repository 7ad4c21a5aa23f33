/**
 * Measures one section. First runs every contender once without timing, which warms the page cache and checks the output; then runs all of
 * them in turn for several rounds (A B C A B C ...), so that disturbances affect them equally.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { type CachedCorpus, cachedCorpus } from './cached-corpus.ts';
import { type Contender, whyMissing } from './contenders.ts';
import { hasHyperfine, measure, measureStart, quoted, type Sample } from './measure.ts';
import { atRoot, runFolder } from './repository.ts';
import { type ContenderResult, describeMachine, type SectionResult } from './results.ts';
import type { Section } from './sections.ts';

const say = (text: string): void => {
  process.stderr.write(`bench: ${text}\n`);
};

interface Running {
  readonly contender: Contender;
  readonly command: readonly string[];
  readonly out: string;
  readonly samples: Sample[];
  /** The sample of the first run, which only checks the output. */
  first: Sample | undefined;
  status: ContenderResult['status'];
  reason: string | undefined;
}

const fail = (running: Running, reason: string): void => {
  running.status = 'failed';
  running.reason = reason.trim().slice(-300);
  say(`${running.contender.name} failed: ${running.reason}`);
};

/** Runs a contender once, with an empty output folder. Returns undefined if it failed. */
const runOnce = (running: Running, corpus: CachedCorpus, isChecked: boolean): Sample | undefined => {
  rmSync(atRoot(running.out), { recursive: true, force: true });
  const finished = measure(running.command);
  if (finished.exitCode !== 0) {
    fail(running, `exit status ${finished.exitCode}: ${finished.stderr}`);
    return undefined;
  }
  const problem = isChecked ? running.contender.check(finished, corpus, running.out) : undefined;
  if (problem !== undefined) {
    fail(running, problem);
    return undefined;
  }
  return finished.sample;
};

const prepare = (contender: Contender, corpus: CachedCorpus): Running => {
  const out = `${runFolder}/${contender.name}`;
  const missing = whyMissing(contender);
  if (missing !== undefined) say(`${contender.name}: ${missing}`);
  return {
    contender,
    out,
    command: contender.command(corpus.directory, out),
    samples: [],
    first: undefined,
    status: missing === undefined ? 'measured' : (missing as ContenderResult['status']),
    reason: undefined,
  };
};

const WITHOUT_HYPERFINE =
  'startup is not measured, because hyperfine is not installed: run bash bench/peers/setup.sh';

/** Takes the sample of one round. Startup takes milliseconds, so hyperfine measures several starts; memory is that of the first run. */
const sampleOf = (section: Section, running: Running, corpus: CachedCorpus): Sample | undefined => {
  const { first, command, out } = running;
  if (section.name !== 'startup' || first === undefined) return runOnce(running, corpus, false);
  return { ...measureStart(command, out), peakRssBytes: first.peakRssBytes };
};

/** Runs all contenders of the section, or only those in `only` if it is not empty. */
export const runSection = (section: Section, runs: number, only: readonly string[]): SectionResult => {
  say(`${section.name}: preparing the corpus`);
  const corpus = cachedCorpus(section.order);
  rmSync(atRoot(runFolder), { recursive: true, force: true });
  mkdirSync(atRoot(runFolder), { recursive: true });
  const all = section.contenders
    .filter(({ name }) => only.length === 0 || only.includes(name))
    .map((contender) => prepare(contender, corpus));
  if (section.name === 'startup' && !hasHyperfine()) {
    say(WITHOUT_HYPERFINE);
    for (const running of all) running.status = 'not installed';
  }
  const runnable = (): readonly Running[] => all.filter(({ status }) => status === 'measured');
  say(
    `${section.name}: checking ${runnable()
      .map(({ contender }) => contender.name)
      .join(', ')}`,
  );
  for (const running of runnable()) running.first = runOnce(running, corpus, true);
  for (let round = 1; round <= runs; round++) {
    say(`${section.name}: round ${round} of ${runs}`);
    for (const running of runnable()) {
      const sample = sampleOf(section, running, corpus);
      if (sample !== undefined) running.samples.push(sample);
    }
  }
  return {
    type: 'section',
    name: section.name,
    machine: describeMachine(),
    corpus: corpus.stats,
    runs,
    reference: section.reference,
    contenders: all.map(({ contender, command, status, reason, samples }) => ({
      name: contender.name,
      label: contender.label,
      command: command.map(quoted).join(' '),
      status,
      ...(reason === undefined ? {} : { reason }),
      samples: status === 'measured' ? samples : [],
    })),
  };
};
