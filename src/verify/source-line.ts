/**
 * Checks a line of ledger/sources.jsonl: its bytes and lines must add up, and agree with the sessions and the quarantine
 * records of the source.
 */
import type { SourceLine } from '../dataset/schema/ledger.ts';
import type { Problems } from './problems.ts';
import { add, addAll, type Counts, type SourceTally, sumOf, type Totals } from './tallies.ts';
import { asCount, asCounts, asObject, asText, type LineOf, type Untrusted } from './untrusted.ts';

const FILE = 'ledger/sources.jsonl';
const STATUSES: ReadonlySet<unknown> = new Set(['read', 'empty', 'rejected', 'limited', 'skipped']);
/** Reasons for skipping files that are not named like a log, or that an option leaves out: only the first are listed. */
export const PASSED_OVER: readonly string[] = ['excluded', 'not-included', 'excluded-by-option', 'too-old'];
/** Reasons for skipping a source by which nothing is lost, so that there is no quarantine record. */
const HARMLESS: ReadonlySet<unknown> = new Set(['symlink', 'duplicate-inode', ...PASSED_OVER]);
const REJECTED = 'rejected:';
const PARTS = 'bom lines terminators rest';
const BOM_BYTES = 3;
/** Names of documents, whose elements are not separated by line feeds. */
const DOCUMENT = /\.(?:json|traj|toml)(?:[.-]\d+)*(?:\.(?:gz|zst))?$/i;
const PACKINGS: ReadonlySet<unknown> = new Set(['gzip', 'zstd']);

/** Returns whether a fate is that of a single line, independent of a session. */
const isOwnFate = (fate: string): boolean =>
  fate === 'blank' || (fate.startsWith('dropped:') && fate !== 'dropped:contained');

export function checkSource(
  { line, value }: LineOf<SourceLine>,
  tally: SourceTally,
  totals: Totals,
  problems: Problems,
): void {
  const { status, reason } = value;
  const fates = asCounts(value.fates) ?? new Map<string, number>();
  if (!STATUSES.has(status)) problems.equal(FILE, line, 'status', [...STATUSES].join(', '), status);
  problems.equal(FILE, line, 'lines, by the sum of the fates', sumOf(fates), asCount(value.lines));
  problems.equal(FILE, line, 'fates are counts', true, asCounts(value.fates) !== undefined);
  if (status !== 'skipped') checkBytes({ line, value }, problems);
  checkPackedBytes({ line, value }, problems);
  addToTotals(value, totals);

  const lost = status === 'rejected' || (status === 'skipped' && !HARMLESS.has(reason));
  if (lost && asText(reason) === undefined) problems.equal(FILE, line, 'reason', 'a text', reason);
  problems.equalCounts({ file: FILE, line }, 'fate', expectedFates(fates, tally, status, reason), fates);
  const quarantine = { file: 'quarantine/rejected.jsonl' };
  const what = `of ${String(value.source)}, ${FILE} line ${line}: records of`;
  const expected = expectedQuarantine(fates, tally, lost ? reason : undefined);
  problems.equalCounts(quarantine, what, expected, tally.quarantine);
}

function addToTotals(value: Untrusted<SourceLine>, totals: Totals): void {
  totals.lines += asCount(value.lines) ?? 0;
  totals.bytes += asCount(value.bytes) ?? 0;
  addAll(totals.fates, asCounts(value.fates) ?? new Map());
  addAll(totals.parts, asCounts(value.parts) ?? new Map());
  addAll(totals.repairs, asCounts(value.repairs) ?? new Map());
  if (value.status !== 'skipped') {
    totals.sources += 1;
    add(totals.status, String(value.status));
  } else {
    add(totals.skipped, String(value.reason));
    if (PASSED_OVER.includes(String(value.reason))) add(totals.extensions, extensionOf(String(value.source)));
  }
}

/**
 * Compares the bytes with the sum of the parts and, for a source that was read to its end, the lines with those that
 * have a fate.
 */
function checkBytes({ line, value }: LineOf<SourceLine>, problems: Problems): void {
  const equal = (what: string, expected: unknown, found: unknown): void =>
    problems.equal(FILE, line, what, expected, found);
  const parts = asCounts(value.parts) ?? new Map<string, number>();
  const repairs = asCounts(value.repairs) ?? new Map<string, number>();
  const repaired = (name: string): number => repairs.get(name) ?? 0;
  const lines = asCount(value.framed) ?? Number.NaN;
  equal('parts', PARTS, [...parts.keys()].join(' '));
  equal('bytes, by the sum of the parts', sumOf(parts), value.bytes);
  equal("parts 'bom', by the repair", repaired('bom') * BOM_BYTES, parts.get('bom'));
  if (value.status !== 'read' && value.status !== 'empty') return;
  equal("parts 'rest' of a source that was read", 0, parts.get('rest'));
  equal('lines, by framed + split-objects', lines + repaired('split-objects'), value.lines);
  if (value.compression === 'none') equal('bytes, by the size', value.size, value.bytes);
  if (DOCUMENT.test(String(value.source)) || repaired('json-document') > 0) return;
  const terminators = lines + repaired('crlf') - repaired('no-final-newline');
  equal("parts 'terminators', by lines and repairs", terminators, parts.get('terminators'));
}

/**
 * Compares the size of a packed source with the sum of its members, its padding and its trailing bytes, if its end is
 * known.
 */
export function checkPackedBytes({ line, value }: LineOf<SourceLine>, problems: Problems): void {
  const { status, compression, reason } = value;
  const complete = status === 'read' || status === 'empty' || reason === 'trailing-data';
  if (!PACKINGS.has(compression)) problems.equal(FILE, line, 'packed', undefined, value.packed);
  else if (complete) {
    const packed = asObject(value.packed);
    const parts = [packed?.member_bytes, packed?.padding_bytes, packed?.trailing_bytes].map(asCount);
    const sum = parts.reduce<number>((total, part) => total + (part ?? Number.NaN), 0);
    problems.equal(FILE, line, 'size, as the sum of the packed bytes', sum, value.size);
  }
}

/**
 * Returns the fates according to sessions and quarantine. Fates of single lines, and that of a rejected source, are
 * listed nowhere else, so they are taken from the line itself.
 */
function expectedFates(
  fates: ReadonlyMap<string, number>,
  tally: SourceTally,
  status: unknown,
  reason: unknown,
): Counts {
  const expected = new Map(tally.fates);
  for (const [fate, n] of fates) {
    const whole = status === 'rejected' && fate === `${REJECTED}${reason}`;
    if (whole || isOwnFate(fate)) add(expected, fate, n);
  }
  for (const [scoped, n] of tally.quarantine)
    if (scoped.startsWith('line:')) add(expected, REJECTED + scoped.slice('line:'.length), n);
  return expected;
}

/** Returns the expected records: one for each rejected line, each entry of a rejected session, and a lost source. */
function expectedQuarantine(fates: ReadonlyMap<string, number>, tally: SourceTally, lost: unknown): Counts {
  const expected: Counts = new Map();
  for (const [reason, n] of tally.rejectedEntries) add(expected, `session:${reason}`, n);
  for (const [recordRejection, n] of tally.recordRejections) add(expected, `record:${recordRejection}`, n);
  if (lost !== undefined) add(expected, `source:${lost}`);
  for (const [fate, n] of fates) {
    if (!fate.startsWith(REJECTED)) continue;
    const reason = fate.slice(REJECTED.length);
    if (reason !== lost) add(expected, `line:${reason}`, n - (tally.rejectedEntries.get(reason) ?? 0));
  }
  return expected;
}

const PACKED_EXTENSIONS = ['.gz', '.zst', '.bz2', '.xz', '.zip'];
/** Longest name that file systems allow. */
const MAX_CHARACTERS = 255;

/** Returns the extension under which a file is counted, in lower case. */
function extensionOf(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1).slice(-MAX_CHARACTERS);
  const packed = PACKED_EXTENSIONS.find((ending) => name.toLowerCase().endsWith(ending)) ?? '';
  const stem = unnumbered(name.slice(0, name.length - packed.length));
  const dot = stem.lastIndexOf('.');
  const extension = stem.slice(dot);
  if (dot > 0 && stem[dot - 1] !== '.' && /^\.\w{1,10}$/.test(extension))
    return extension.toLowerCase() + packed;
  return stem.includes('.', 1) ? 'other' : packed || 'none';
}

/** Returns `a.csv` for `a.csv.1` and `a.csv-2026-01-13`. */
function unnumbered(name: string): string {
  const at = Math.max(name.lastIndexOf('.'), name.lastIndexOf('-'));
  return at >= 0 && /^\d+$/.test(name.slice(at + 1)) ? unnumbered(name.slice(0, at)) : name;
}
