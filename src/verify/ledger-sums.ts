/** Compares the manifest's totals and ledger sums with a recount and with reports/summary.json. */
import { join } from 'node:path';
import type { Manifest, ManifestTotals } from '../dataset/schema/manifest.ts';
import type { DatasetProfile, LedgerSums } from '../dataset/schema/reports.ts';
import { io } from '../errors.ts';
import { MAX_TEXT_BYTES, readOwnFile } from '../own-file.ts';
import { MANIFEST, type ManifestFacts, pretty } from './manifest-file.ts';
import type { Problems } from './problems.ts';
import type { ProfileRecount } from './profile-recount.ts';
import type { ShardFacts } from './shards.ts';
import { PASSED_OVER } from './source-line.ts';
import { add, addAll, type Counts, sumOf, type Totals } from './tallies.ts';
import { asCounts, asObject, parsedJson, type Untrusted } from './untrusted.ts';

/** Status of sources that ledger/sources.jsonl does not list. */
const UNLISTED = 'over-limit';
const MEMBERS =
  'sources skipped extensions fates repairs sessions tools rewrites findings bytes lines records formats errors warnings';
/** Most files that ledger/sources.jsonl lists as skipped because of their names; all such files are counted. */
const MAX_LISTED = 1000;
const MAX_EXTENSIONS = 100;

type Ledger = Untrusted<LedgerSums>;

export function checkLedgerSums(
  { ledger, totals, formats }: ManifestFacts,
  counted: Totals,
  shards: ReadonlyMap<string, ShardFacts>,
  problems: Problems,
): void {
  const records = checkFormats(ledger, formats, counted, shards, problems);
  checkNumbers(ledger, totals, counted, records, problems);
  const compare = (name: keyof LedgerSums, found: ReadonlyMap<string, number>): void => {
    const stated = asCounts(ledger[name]);
    problems.equal(MANIFEST, undefined, `ledger.${name} are counts`, true, stated !== undefined);
    problems.equalCounts({ file: MANIFEST }, `ledger.${name}`, found, stated ?? new Map());
  };
  compare('sources', counted.status);
  compare('skipped', withUnlisted(counted, ledger));
  checkExcluded(ledger, counted, problems);
  compare('fates', counted.fates);
  compare('repairs', counted.repairs);
  const seen = counted.sessions === 0 ? [] : ([['seen', counted.sessions]] as const);
  compare('sessions', new Map([...counted.sessionFates, ...seen]));
  compare('tools', counted.tools);
  compare('rewrites', counted.rewrites);
  compare('findings', counted.findings);
  const parts = new Map(counted.parts);
  parts.delete('rest');
  if (counted.bytes > 0) parts.set('read', counted.bytes);
  compare('bytes', parts);
}

function checkNumbers(
  ledger: Ledger,
  totals: Untrusted<ManifestTotals>,
  counted: Totals,
  records: number,
  problems: Problems,
): void {
  const equal = (what: string, expected: unknown, found: unknown): void =>
    problems.equal(MANIFEST, undefined, what, expected, found);
  equal('members of ledger', MEMBERS, Object.keys(ledger).join(' '));
  equal('members of totals', 'records lines sessions', Object.keys(totals).join(' '));
  equal('totals.records', records, totals.records);
  equal('totals.lines', counted.lines, totals.lines);
  equal('totals.sessions', counted.sessions, totals.sessions);
  equal('ledger.records', records, ledger.records);
  equal('ledger.lines', counted.lines, ledger.lines);
  equal('ledger.errors', counted.errors, ledger.errors);
  equal('ledger.warnings', counted.warnings, ledger.warnings);
}

/** Compares the ledger's figures for each format. @returns the number of records of all formats */
function checkFormats(
  ledger: Ledger,
  formats: readonly string[],
  counted: Totals,
  shards: ReadonlyMap<string, ShardFacts>,
  problems: Problems,
): number {
  const stated = asObject(ledger.formats) ?? {};
  const [wanted, found] = [formats, Object.keys(stated)].map((names) => names.join(' '));
  problems.equal(MANIFEST, undefined, 'members of ledger.formats', wanted, found);
  let records = 0;
  for (const [format, counts] of formatCounts(formats, shards, counted)) {
    records += counts.get('records') ?? 0;
    const statedCounts = asCounts(stated[format]) ?? new Map();
    problems.equalCounts({ file: MANIFEST }, `ledger.formats.${format}`, counts, statedCounts);
  }
  return records;
}

/** Counts, for each format, the records in its shards, its sessions if these are fewer, and what it or its consumer refuses. */
function formatCounts(
  formats: readonly string[],
  shards: ReadonlyMap<string, ShardFacts>,
  { recordRejections, writers, contained, answers }: Totals,
): ReadonlyMap<string, Counts> {
  const all = new Map(formats.map((format) => [format, new Map<string, number>()]));
  for (const { format, records, refused = [] } of shards.values()) {
    const counts = all.get(format) ?? new Map<string, number>();
    add(counts, 'records', records);
    for (const [rule, n] of refused) add(counts, `consumer:${rule}`, n);
  }
  for (const [format, counts] of all) {
    const sessions = writers.get(format) ?? 0;
    if (sessions !== (counts.get('records') ?? 0)) add(counts, 'sessions', sessions);
    add(counts, 'contained', contained.get(format) ?? 0);
    addAll(counts, answers.get(format) ?? new Map());
  }
  for (const [recordRejection, n] of recordRejections) {
    const [format = '', reason] = recordRejection.split(' ');
    add(all.get(format) ?? new Map(), `refused:${reason}`, n);
  }
  return all;
}

/** Returns the counted skipped sources, with the ledger's own figures for kinds that are not fully listed. */
function withUnlisted({ skipped }: Totals, ledger: Ledger): Counts {
  const counts = new Map(skipped);
  const stated = asCounts(ledger.skipped);
  if (passedOver(skipped) === MAX_LISTED && passedOver(stated) > MAX_LISTED)
    for (const reason of PASSED_OVER) {
      const count = stated?.get(reason) ?? 0;
      if (count > (skipped.get(reason) ?? 0)) counts.set(reason, count);
    }
  if (!skipped.has(UNLISTED)) add(counts, UNLISTED, stated?.get(UNLISTED) ?? 0);
  return counts;
}

const passedOver = (skipped: ReadonlyMap<string, number> | undefined): number =>
  PASSED_OVER.reduce((sum, reason) => sum + (skipped?.get(reason) ?? 0), 0);

/** Checks that the extensions add up to all files that were passed over, and match the listed files if all are listed. */
function checkExcluded(ledger: Ledger, { skipped, extensions }: Totals, problems: Problems): void {
  const stated = asCounts(ledger.extensions);
  const all = passedOver(asCounts(ledger.skipped));
  problems.equal(MANIFEST, undefined, 'ledger.extensions are counts', true, stated !== undefined);
  if (stated === undefined) return;
  problems.equal(MANIFEST, undefined, 'sum of ledger.extensions', all, sumOf(stated));
  if (all !== passedOver(skipped) || extensions.size > MAX_EXTENSIONS) return;
  problems.equalCounts({ file: MANIFEST }, 'ledger.extensions', extensions, stated);
}

/** Compares reports/summary.json with the ledger in the manifest, which it repeats, and its profile with a recount. */
export function checkSummary(
  root: string,
  ledger: Untrusted<Manifest>['ledger'],
  counted: ProfileRecount,
  problems: Problems,
): void {
  const file = 'reports/summary.json';
  const path = join(root, file);
  const text = io('read', path, () => readOwnFile(path, MAX_TEXT_BYTES).toString('utf8'));
  const profile: Untrusted<DatasetProfile> | undefined = asObject(asObject(parsedJson(text))?.profile);
  if (text !== pretty({ ...asObject(ledger), profile }))
    problems.add(file, 'expected the ledger of manifest.json and `profile`, found something else');
  counted.compare(profile, problems);
}
