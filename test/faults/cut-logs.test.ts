/**
 * Every golden log and every example of a dialect, cut after each of its bytes: never a crash, every line has a fate, no result is paired
 * with another call and no answer with another question than in the whole log, a cut line is rejected, and an open call is reported.
 * All bytes with TURNMILL_LONG=1, else every 97th and those around the ends of lines.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Result } from '../../src/ledger/result.ts';
import { dialectLogs, REPOSITORY } from '../support/dialect-logs.ts';
import { LONG } from '../support/long.ts';
import { type NamedLog, readLogs } from '../support/read-log.ts';
import { type SaidPairs, saidPairs } from '../support/said-pairs.ts';

const STEP = LONG ? 1 : 97;
const LF = 0x0a;
/** Findings that tell of a call without a result. */
const OPEN = new Set(['protocol-open', 'call-unanswered', 'tool-result-missing', 'results-as-text']);

const logs = dialectLogs();

function placesIn(bytes: Uint8Array): readonly number[] {
  const all = Array.from({ length: bytes.length + 1 }, (_, i) => i);
  return all.filter((i) => i % STEP === 0 || [-1, 0, 1].some((near) => bytes[i + near] === LF));
}

const recordsOf = (results: readonly Result[]): readonly Uint8Array[] =>
  results.flatMap((result) => (result.kind === 'record' ? [result.bytes] : []));

/** The records of a golden log, as they were written by hand; undefined for a file that is only a part of a session. */
function expectedOf(path: string): readonly Uint8Array[] | undefined {
  if (path.split('/').length > 3) return undefined;
  const file = join(REPOSITORY, 'test/goldens', path.split('/')[0] as string, 'records.jsonl');
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => Buffer.from(line));
}

/** All that records put together. */
function pairsOf(all: readonly Uint8Array[]): SaidPairs {
  const records = all.map(saidPairs);
  return {
    results: records.flatMap((record) => record.results),
    answers: records.flatMap((record) => record.answers),
    orphans: records.reduce((sum, record) => sum + record.orphans, 0),
    strayed: records.reduce((sum, record) => sum + record.strayed, 0),
    open: records.reduce((sum, record) => sum + record.open, 0),
  };
}

/** Is the text the beginning of an object or a list that goes on? */
function goesOn(text: string): boolean {
  let [depth, isInString] = [0, false];
  for (let i = 0; i < text.length; i++) {
    const char = text[i];
    if (isInString) {
      if (char === '\\') i++;
      else if (char === '"') isInString = false;
    } else if (char === '"') isInString = true;
    else if (char === '{' || char === '[') depth++;
    else if (char === '}' || char === ']') depth--;
  }
  return depth > 0;
}

/** Was the line, or the document, rejected that the cut is in? */
function isCutReported(name: string, cut: Uint8Array, results: readonly Result[]): boolean {
  const rejected = results.flatMap((result) => (result.kind === 'rejected-line' ? [result.line] : []));
  const text = Buffer.from(cut).toString();
  if (/\.(?:json|traj)$/.test(name)) return !goesOn(text) || rejected.length > 0;
  if (!name.endsWith('.jsonl')) return true; // streams and decks have tests of their own
  const lines = text.split('\n');
  return !goesOn(lines.at(-1) as string) || rejected.includes(lines.length);
}

/** Why the cut log was not read as it should be. */
function faultsOf(
  name: string,
  cut: Uint8Array,
  results: readonly Result[],
  whole: SaidPairs,
): readonly string[] {
  const report = results.at(-1);
  if (report?.kind !== 'source') return ['no report'];
  const faults: string[] = [];
  const fates = report.fates.reduce((sum, [, n]) => sum + n, 0);
  if (fates !== report.lines || fates < report.framing.lines) faults.push('lines without a fate');
  const rules = results.flatMap((result) => (result.kind === 'finding' ? [result.rule] : []));
  const { results: pairs, answers, open, orphans, strayed } = pairsOf(recordsOf(results));
  for (const pair of pairs) if (!whole.results.includes(pair)) faults.push(`wrong pair ${pair}`);
  for (const { question, said } of answers) {
    const isKnown = whole.answers.some((other) => other.question === question && other.said.startsWith(said));
    if (!isKnown) faults.push(`wrong answer to ${question}: ${said}`);
  }
  if (open > 0 && !rules.some((rule) => OPEN.has(rule))) faults.push('an open call without a finding');
  if (strayed > whole.strayed) faults.push('a result in the wrong place');
  if (orphans > 0 && !rules.includes('tool-result-orphan')) faults.push('an orphan without a finding');
  if (report.status !== 'rejected' && !isCutReported(name, cut, results))
    faults.push('a cut that is not reported');
  return faults;
}

it.each(Object.entries(logs))(
  '%s',
  async (path, { name, bytes, settings }) => {
    const places = placesIn(bytes);
    const cuts = [bytes.length, ...places].map((end) => ({ name, bytes: bytes.subarray(0, end) }));
    const found: string[] = [];
    let whole: SaidPairs | undefined;
    let at = -1;
    for await (const results of readLogs(cuts, { ...settings, groupBy: 'none' })) {
      whole ??= pairsOf(expectedOf(path) ?? recordsOf(results));
      const cut = cuts[++at] as NamedLog;
      const faults = faultsOf(name, cut.bytes, results, whole);
      if (faults.length > 0) found.push(`${path}:${cut.bytes.length}: ${faults.join('; ')}`);
    }
    expect(at).toBe(places.length);
    expect(found).toEqual([]);
  },
  120_000,
);
