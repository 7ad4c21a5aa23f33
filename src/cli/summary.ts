/** The summary at the end of a run: what was written and where, the fates of the lines, the rejections. */

import { join } from 'node:path';
import { shellWord, sumOf } from '../charts/numbers.ts';
import { fateWords, namedWords, wordsFor } from '../charts/words.ts';
import { quarantinePath, REPORTS } from '../dataset/layout.ts';
import type { Counts } from '../dataset/schema/ledger.ts';
import type { RunSummary } from '../job/run.ts';
import { BY_CONSUMER } from '../ledger/ledger.ts';
import { LOOKS_SECRET } from '../ledger/redactor.ts';
import { secretsLine } from '../ledger/seen-secrets.ts';
import { isObjectUrl } from '../object-store/url.ts';
import { printable } from '../printable.ts';
import { movedText } from '../settings/split-shares.ts';
import { plural, showCount, showDuration, showSize } from '../sizes.ts';
import { remedies } from './quarantine-report.ts';
import type { Example, RunNotes } from './run-notes.ts';
import { refusedLines, sentenceOf } from './summary-sentence.ts';

const FATES = ['snapshot', 'superseded', 'truncated', 'folded', 'blank'];
const REJECTED = 'rejected:';
const REFUSED = 'refused:';
const DROPPED = 'dropped:';
const LOSSY_NUMBERS = 'reader-numbers';
const LABEL_WIDTH = 11;
const MAX_EXTENSIONS = 8;

/**
 * Returns text that ends with a newline. With `--out -`, the last line is the sums of the ledger as JSON, unless a
 * person reads the text on a terminal: a script has no other place to find them.
 * @param dialects a table that follows the sentence; ends with an empty line
 */
export function summaryOf(
  summary: RunSummary,
  notes: RunNotes,
  isTerminal: boolean = false,
  dialects: string = '',
): string {
  const { sums, out, nothingChanged } = summary;
  if (nothingChanged) {
    const { rejections: count } = summary;
    const rejected = count === 0 ? '' : `, with ${plural(count, 'rejection')} (${rejectionsIn(String(out))})`;
    return `turnmill: nothing changed; ${printable(String(out))} is up to date${rejected}\n`;
  }
  const lines = [
    row('records', [written(summary), repeated(summary)]),
    row('sources', [sources(sums), reused(summary)]),
    ...skipped(sums),
    row('sessions', [
      tally(without(sums.sessions, 'seen'), ['written', 'rejected', 'empty']),
      branches(summary),
    ]),
    ...formats(sums),
    ...answers(sums),
    row('splits', splits(summary)),
    ...refusedLines(sums).map((text, i) => row(i === 0 ? 'refused' : '', [text])),
    ...fates(sums),
    row('repairs', [tally(sums.repairs)]),
    row('rewrites', [tally(without(sums.rewrites, LOOKS_SECRET))]),
    row('secrets', [seenSecrets(sums.rewrites)]),
    row('numbers', [lossyNumbers(sums)]),
    ...findings(summary, notes),
    ...rejections(summary, notes),
    ...looking(summary, notes),
  ].filter((line) => line !== undefined);
  const ledger = out === '-' && !isTerminal ? `${JSON.stringify({ ledger: sums })}\n` : '';
  return `turnmill: ${sentenceOf(summary)}\n\n${dialects}${lines.join('\n')}\n${ledger}`;
}

function written({ sums, shards, out, elapsedMs, readBytes }: RunSummary): string {
  const speed = elapsedMs > 0 ? `, ${showSize(readBytes / (elapsedMs / 1000))}/s` : '';
  const took =
    readBytes === 0
      ? `(${showDuration(elapsedMs)})`
      : `(${showSize(readBytes)} in ${showDuration(elapsedMs)}${speed})`;
  const records = plural(sums.records, 'record');
  if (out === undefined) return `${records} would be written (dry run) ${took}`;
  if (out === '-') return `${records} to standard output ${took}`;
  const bytes = shards.reduce((sum, shard) => sum + shard.bytes, 0);
  const where = shards.length === 0 ? '' : `, ${plural(shards.length, 'shard')}, ${showSize(bytes)}`;
  return `${records}${where} in ${printable(folderName(out))} ${took}`;
}

/** Returns the folder or the URL, ending with a slash. */
function folderName(out: string): string {
  if (isObjectUrl(out)) return out.endsWith('/') ? out : `${out}/`;
  return join(out, '/');
}

/** Returns the file with the rejections; for a store, where its name depends on the version, the command that prints them. */
const rejectionsIn = (out: string): string =>
  printable(isObjectUrl(out) ? `turnmill quarantine list ${shellWord(out)}` : quarantinePath(out));

function row(label: string, parts: readonly (string | undefined)[]): string | undefined {
  const present = parts.filter((part) => part !== undefined && part !== '');
  return present.length === 0 ? undefined : `  ${label.padEnd(LABEL_WIDTH)}${present.join('; ')}`;
}

/** Returns `12 written, 1 rejected`: the names in `order` first, then the others by name. */
function tally(
  counts: Counts,
  order: readonly string[] = [],
  shown: (name: string) => string = namedWords,
): string {
  const rank = (name: string): number => (order.includes(name) ? order.indexOf(name) : order.length);
  return Object.entries(counts)
    .sort(([a], [b]) => rank(a) - rank(b) || (a < b ? -1 : 1))
    .map(([name, count]) => `${showCount(count)} ${printable(shown(name))}`)
    .join(', ');
}

const only = (counts: Counts, start: string): Counts =>
  Object.fromEntries(Object.entries(counts).filter(([name]) => name.startsWith(start)));

/** The counts of a format without those that have their lines elsewhere. */
const otherCounts = ({ answers: _all, context: _context, trained: _trained, ...others }: Counts): Counts =>
  without(others, BY_CONSUMER);

const without = (counts: Counts, start: string): Counts =>
  Object.fromEntries(Object.entries(counts).filter(([name]) => !name.startsWith(start)));

/** Returns a line for each format, if there are several. */
function formats(sums: RunSummary['sums']): (string | undefined)[] {
  const all = Object.entries(sums.formats);
  if (all.length < 2) return [];
  return all.map(([name, counts], i) =>
    row(i === 0 ? 'formats' : '', [`${name}: ${tally(otherCounts(counts), ['records'], countWords)}`]),
  );
}

/** Returns the words for a count of a format: `refused: arguments not object (arguments-not-object)`. */
const countWords = (name: string): string =>
  name.startsWith(REFUSED) ? `refused: ${namedWords(name.slice(REFUSED.length))}` : namedWords(name);

/** Returns a line for each format that says which answers are context. */
function answers(sums: RunSummary['sums']): (string | undefined)[] {
  const all = Object.entries(sums.formats).filter(([, counts]) => counts.answers !== undefined);
  return all.map(([name, { answers: records = 0, context = 0, trained = 0 }], i) => {
    const text = `${showCount(records)} in records, ${showCount(context)} context, ${showCount(trained)} trained`;
    return row(i === 0 ? 'answers' : '', [all.length === 1 ? text : `${name}: ${text}`]);
  });
}

/** Returns the counts of lines by fate; lines that are left out and rejections are on separate lines. */
function fates(sums: RunSummary['sums']): (string | undefined)[] {
  const whole = without(without(sums.fates, REJECTED), DROPPED);
  const rows = [
    tally(whole, FATES, fateWords),
    detailed('left out', sums.fates, DROPPED),
    detailed('rejected', sums.fates, REJECTED),
  ];
  const [first, ...rest] = rows.filter((text) => text !== '');
  const all = showCount(sums.lines);
  return [
    row('lines', [first === undefined ? all : `${all}: ${first}`]),
    ...rest.map((text) => row('', [text])),
  ];
}

/** Returns `rejected: 4 time out of order (timestamp-not-increasing)`; empty if there are none. */
function detailed(words: string, fates: Counts, start: string): string {
  const own = Object.entries(only(fates, start)).map(([fate, n]) => [fate.slice(start.length), n]);
  return own.length === 0 ? '' : `${words}: ${tally(Object.fromEntries(own))}`;
}

/** Says how many values a build with `--redact` would replace. */
function seenSecrets(changes: Counts): string | undefined {
  const kinds = only(changes, LOOKS_SECRET);
  const values = sumOf(kinds);
  return values === 0 ? undefined : secretsLine(values, Object.keys(kinds).length);
}

/** Says how many records have numbers that the usual loader changes; only `check --target` counts them. */
function lossyNumbers({
  findings: { [LOSSY_NUMBERS]: records = 0 },
}: RunSummary['sums']): string | undefined {
  if (records === 0) return undefined;
  return `${plural(records, 'record')} with numbers that \`load_dataset\` rounds or refuses (--arrow-safe, where the format has it, keeps them)`;
}

function splits({ splits: counts = {}, splitMoved = 0 }: RunSummary): string[] {
  const sizes = Object.entries(counts).map(([name, records]) => `${name} ${plural(records, 'record')}`);
  return splitMoved === 0 ? sizes : [...sizes, movedText(splitMoved)];
}

function repeated({ repeated: count = 0 }: RunSummary): string | undefined {
  if (count === 0) return undefined;
  const [equal, which] = count === 1 ? ['equals an earlier one', 'it'] : ['equal earlier ones', 'them'];
  return `${showCount(count)} ${equal} (--copies drop leaves ${which} out)`;
}

function branches({ branches: count }: RunSummary): string | undefined {
  return count === undefined ? undefined : `${showCount(count)} of them further branches`;
}

function reused({ reusedSources }: RunSummary): string | undefined {
  return reusedSources === 0 ? undefined : `${showCount(reusedSources)} of them reused`;
}

/** Returns `41: 40 read, 1 empty`, or `13 read`. Files that are skipped are not sources. */
function sources({ sources: counts }: RunSummary['sums']): string {
  const isSeveral = Object.keys(counts).length > 1;
  return `${isSeveral ? `${showCount(sumOf(counts))}: ` : ''}${tally(counts, ['read'])}`;
}

/** Returns a line about the files that were found, but are not sources: why, and those that were passed over by extension. */
function skipped({ skipped: counts, extensions }: RunSummary['sums']): (string | undefined)[] {
  const sum = sumOf(counts);
  if (sum === 0) return [];
  const others = Object.keys(extensions).length === 0 ? '' : ` (${byExtension(extensions)})`;
  return [row('skipped', [`${plural(sum, 'file')}: ${tally(counts, [], wordsFor)}${others}`])];
}

/** Lists the extensions, most frequent first. */
function byExtension(extensions: Counts): string {
  const all = Object.entries(extensions).sort(([a, n], [b, m]) => m - n || (a < b ? -1 : 1));
  const shown = all.slice(0, MAX_EXTENSIONS).map(([name, n]) => `${showCount(n)} ${printable(name)}`);
  return [...shown, ...(all.length > shown.length ? ['...'] : [])].join(', ');
}

function findings({ sums }: RunSummary, { errors }: RunNotes): (string | undefined)[] {
  const rules = Object.entries(sums.findings);
  if (rules.length === 0) return [];
  const cells = rules.flatMap(([rule, count]) => {
    const bad = Math.min(errors.get(rule) ?? 0, count);
    return [
      ...(bad > 0 ? [['error', rule, bad] as const] : []),
      ...(count > bad ? [['warning', rule, count - bad] as const] : []),
    ];
  });
  const width = Math.max(...cells.map(([, , count]) => showCount(count).length));
  const head = row('findings', [`${plural(sums.errors, 'error')}, ${plural(sums.warnings, 'warning')}`]);
  const indent = ' '.repeat(LABEL_WIDTH + 2);
  const body = cells
    .sort(([a], [b]) => (a === b ? 0 : a === 'error' ? -1 : 1))
    .map(
      ([severity, rule, count]) =>
        `${indent}${showCount(count).padStart(width)} ${severity.padEnd(7)} ${printable(namedWords(rule))}`,
    );
  return [head, ...body];
}

function rejections(
  { rejections: count, out }: RunSummary,
  { examples, reading, mixedSources }: RunNotes,
): (string | undefined)[] {
  if (count === 0) return [];
  const shown = examples.map(
    ({ where, reason, detail }) =>
      `${' '.repeat(LABEL_WIDTH + 2)}${printable(`${where}  ${namedWords(reason)}: ${detail}`)}`,
  );
  const first = examples.find(({ where }) => /:\d+$/.test(where) && !where.startsWith('-:'));
  const written = out !== undefined && out !== '-';
  return [
    row('rejected', [
      `${showCount(count)}${count > examples.length && examples.length > 0 ? ', for example' : ''}`,
    ]),
    ...shown,
    ...mixed(mixedSources),
    ...todo(examples),
    ...(first === undefined
      ? []
      : [
          '',
          printable(`  To see why:  turnmill explain ${[first.where, ...reading].map(shellWord).join(' ')}`),
        ]),
    ...(written ? [`  All rejections: ${rejectionsIn(out)}`] : []),
  ];
}

/** Says where the report is, and what shows the records; a store has no page that a browser could open. */
function looking({ out, rejections: count }: RunSummary, { hasReport }: RunNotes): readonly string[] {
  if (!hasReport || out === undefined || out === '-' || isObjectUrl(out)) return [];
  const page = printable(join(out, REPORTS.page));
  const text = `  Report: ${page}; to see the records:  turnmill view ${printable(shellWord(out))} --open`;
  return count === 0 ? ['', text] : [text];
}

/** Says what to do about the reasons that are shown. */
function todo(examples: readonly Example[]): readonly string[] {
  const lines = remedies(new Set(examples.map(({ reason }) => reason)));
  return lines.length === 0
    ? []
    : ['', ...lines.map((line) => `  ${line[0]?.toUpperCase()}${line.slice(1)}`)];
}

/** Says what to do about sources that were rejected because they have several session ids. */
function mixed(sources: number): readonly string[] {
  if (sources === 0) return [];
  const seem = sources === 1 ? '1 source seems' : `${showCount(sources)} sources seem`;
  return ['', `  ${seem} to hold several sessions: add --session-by id`];
}
