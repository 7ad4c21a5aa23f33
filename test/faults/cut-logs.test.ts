/**
 * Cuts every golden log and every dialect example after each byte. The run never crashes, every line has a fate, each result stays with its
 * call and each answer with its question, the cut line is rejected or dropped with a finding, and an open call is reported. TURNMILL_LONG=1 tries every byte;
 * otherwise every 197th byte and those around line ends.
 */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import type { Result } from '../../src/ledger/result.ts';
import { dialectLogs, REPOSITORY } from '../support/dialect-logs.ts';
import { LONG } from '../support/long.ts';
import { type NamedLog, readLogs } from '../support/read-log.ts';
import { type RecordPairs, recordPairs } from '../support/record-pairs.ts';

const STEP = LONG ? 1 : 197;
const LF = 0x0a;
/** Findings that report a call without a result. */
const OPEN = new Set(['protocol-open', 'call-unanswered', 'tool-result-missing', 'results-as-text']);

/** In these a later line changes an earlier turn, so a log cut before it rightly has the former version. */
const REWRITTEN: ReadonlySet<string> = new Set([
  // a line is written again with another content
  ...['cc-rewritten/logs/S1.jsonl', 'openhands-rewritten/logs/events.jsonl'],
  ...['qwen-rewritten/logs/q.jsonl', 'sts-rewritten/logs/s.jsonl'],
  'cc-retracted/logs/S1.jsonl', // an answer is taken back
  'spans-log-records/logs/spans.jsonl', // the answer is logged before its question
]);
const logs = Object.fromEntries(Object.entries(dialectLogs()).filter(([path]) => !REWRITTEN.has(path)));

function placesIn(bytes: Uint8Array): readonly number[] {
  const all = Array.from({ length: bytes.length + 1 }, (_, i) => i);
  return all.filter((i) => i % STEP === 0 || [-1, 0, 1].some((near) => bytes[i + near] === LF));
}

const recordsOf = (results: readonly Result[]): readonly Uint8Array[] =>
  results.flatMap((result) => (result.kind === 'record' ? [result.bytes] : []));

/** The handwritten records of a golden log; undefined for a file that holds only part of a session. */
function expectedOf(path: string): readonly Uint8Array[] | undefined {
  if (path.split('/').length > 3) return undefined;
  const file = join(REPOSITORY, 'test/goldens', path.split('/')[0] as string, 'records.jsonl');
  if (!existsSync(file)) return undefined;
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines.filter((line) => line !== '').map((line) => Buffer.from(line));
}

/** The pairs of all records, merged. */
function pairsOf(all: readonly Uint8Array[]): RecordPairs {
  const records = all.map(recordPairs);
  return {
    results: records.flatMap((record) => record.results),
    answers: records.flatMap((record) => record.answers),
    orphans: records.reduce((sum, record) => sum + record.orphans, 0),
    strayed: records.reduce((sum, record) => sum + record.strayed, 0),
    open: records.reduce((sum, record) => sum + record.open, 0),
  };
}

/** Is the text an unfinished object or array? */
function isUnfinished(text: string): boolean {
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

/** Was half of a line dropped, and does a finding say so? */
function isDropReported(results: readonly Result[]): boolean {
  const report = results.at(-1);
  const isDropped =
    report?.kind === 'source' && report.fates.some(([fate]) => fate === 'dropped:unfinished-line');
  const isFound = results.some(
    (result) =>
      (result.kind === 'finding' && /^(?:damaged-tail|no-record)$/.test(result.rule)) ||
      (result.kind === 'session' && result.fate === 'rejected'),
  );
  return isDropped && isFound;
}

/** Was the line or document that contains the cut rejected, or dropped with a finding? */
function isCutReported(name: string, cut: Uint8Array, results: readonly Result[]): boolean {
  const rejected = results.flatMap((result) => (result.kind === 'rejected-line' ? [result.line] : []));
  const text = Buffer.from(cut).toString();
  if (/\.(?:json|traj)$/.test(name)) return !isUnfinished(text) || rejected.length > 0;
  if (!name.endsWith('.jsonl')) return true; // streams and decks have separate tests
  const lines = text.split('\n');
  return !isUnfinished(lines.at(-1) as string) || rejected.includes(lines.length) || isDropReported(results);
}

/** Problems found in the reading of a cut log. */
function faultsOf(
  name: string,
  cut: Uint8Array,
  results: readonly Result[],
  whole: RecordPairs,
): readonly string[] {
  const report = results.at(-1);
  if (report?.kind !== 'source') return ['no report'];
  const faults: string[] = [];
  const fates = report.fates.reduce((sum, [, n]) => sum + n, 0);
  if (fates !== report.lines || fates < report.framing.lines) faults.push('lines without a fate');
  const rules = results.flatMap((result) => (result.kind === 'finding' ? [result.rule] : []));
  const { results: pairs, answers, open, orphans, strayed } = pairsOf(recordsOf(results));
  for (const pair of pairs) if (!whole.results.includes(pair)) faults.push(`wrong pair ${pair}`);
  for (const { question, text } of answers) {
    const isKnown = whole.answers.some((other) => other.question === question && other.text.startsWith(text));
    if (!isKnown) faults.push(`wrong answer to ${question}: ${text}`);
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
    let whole: RecordPairs | undefined;
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
