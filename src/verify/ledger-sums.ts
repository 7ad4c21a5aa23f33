/** The manifest's totals and the sums of its ledger against what was counted again, and against reports/summary.json. */
import { join } from 'node:path';
import { ioError, TurnmillError } from '../errors.ts';
import { LONGEST_TEXT_BYTES, readOwnFile } from '../own-file.ts';
import { add, type Counts, compareCounts } from './counts.ts';
import { checkExcluded, withUnlisted } from './excluded-files.ts';
import { asCounts, asObject, type JsonObject } from './json-value.ts';
import { MANIFEST, type ManifestFacts, pretty } from './manifest-file.ts';
import type { Problems } from './problems.ts';
import type { ProfileRecount } from './profile-recount.ts';
import type { ShardFacts } from './shard-records.ts';
import type { Totals } from './totals.ts';

/** Sources that were not listed one by one. */
const UNLISTED: ReadonlySet<string> = new Set(['over-limit']);
const MEMBERS =
  'sources skipped extensions fates repairs sessions tools rewrites findings bytes lines records formats errors warnings';

export function checkLedgerSums(
  { ledger, totals, formats }: ManifestFacts,
  counted: Totals,
  shards: ReadonlyMap<string, ShardFacts>,
  problems: Problems,
): void {
  const equal = (what: string, expected: unknown, found: unknown): void =>
    problems.equal(MANIFEST, undefined, what, expected, found);
  const compare = (name: string, found: Counts, except: ReadonlySet<string> = new Set()): void => {
    const stated = new Map(asCounts(ledger[name]) ?? []);
    equal(`ledger.${name} are counts`, true, asCounts(ledger[name]) !== undefined);
    for (const key of except) if (!found.has(key)) stated.delete(key);
    compareCounts(problems, { file: MANIFEST }, `ledger.${name}`, found, stated);
  };
  const counts = formatCounts(formats, shards, counted);
  const records = [...counts.values()].reduce((sum, of) => sum + (of.get('records') ?? 0), 0);
  equal(
    'members of ledger.formats',
    formats.join(' '),
    Object.keys(asObject(ledger.formats) ?? {}).join(' '),
  );
  for (const [format, of] of counts) {
    const stated = asCounts(asObject(ledger.formats)?.[format]) ?? new Map();
    compareCounts(problems, { file: MANIFEST }, `ledger.formats.${format}`, of, stated);
  }
  equal('members of ledger', MEMBERS, Object.keys(ledger).join(' '));
  equal('members of totals', 'records lines sessions', Object.keys(totals).join(' '));
  equal('totals.records', records, totals.records);
  equal('totals.lines', counted.lines, totals.lines);
  equal('totals.sessions', counted.sessions, totals.sessions);
  equal('ledger.records', records, ledger.records);
  equal('ledger.lines', counted.lines, ledger.lines);
  equal('ledger.errors', counted.errors, ledger.errors);
  equal('ledger.warnings', counted.warnings, ledger.warnings);
  compare('sources', counted.status);
  compare('skipped', withUnlisted(counted, ledger), UNLISTED);
  checkExcluded(ledger, counted, problems);
  compare('fates', counted.fates);
  compare('repairs', counted.repairs);
  const seen = counted.sessions === 0 ? [] : ([['seen', counted.sessions]] as const);
  compare('sessions', new Map([...counted.outcomes, ...seen]));
  compare('tools', counted.tools);
  compare('rewrites', counted.rewrites);
  compare('findings', counted.findings);
  const parts = new Map(counted.parts);
  parts.delete('rest');
  if (counted.bytes > 0) parts.set('read', counted.bytes);
  compare('bytes', parts);
}

/** Records in the shards of each format, the sessions that they are of where these are fewer, and its refusals. */
function formatCounts(
  formats: readonly string[],
  shards: ReadonlyMap<string, ShardFacts>,
  { refusals, writers }: Totals,
): ReadonlyMap<string, Counts> {
  const counts = new Map(formats.map((format) => [format, new Map<string, number>()]));
  for (const { format, records } of shards.values()) add(counts.get(format) ?? new Map(), 'records', records);
  for (const [format, of] of counts) {
    const sessions = writers.get(format) ?? 0;
    if (sessions !== (of.get('records') ?? 0)) add(of, 'sessions', sessions);
  }
  for (const [refusal, n] of refusals) {
    const [format = '', reason] = refusal.split(' ');
    add(counts.get(format) ?? new Map(), `refused:${reason}`, n);
  }
  return counts;
}

/** reports/summary.json is the ledger's sums once more, and the counts of the report. */
export function checkSummary(
  root: string,
  manifest: ManifestFacts,
  counted: ProfileRecount,
  problems: Problems,
): void {
  const file = 'reports/summary.json';
  const path = join(root, file);
  let text: string;
  try {
    text = readOwnFile(path, LONGEST_TEXT_BYTES).toString('utf8');
  } catch (error) {
    throw error instanceof TurnmillError ? error : ioError('read', path, error);
  }
  const profile = profileIn(text);
  if (text !== pretty({ ...manifest.ledger, profile }))
    problems.add(file, 'expected the ledger of manifest.json and `profile`, found something else');
  counted.compare(profile, problems);
}

function profileIn(text: string): JsonObject | undefined {
  try {
    return asObject(asObject(JSON.parse(text))?.profile);
  } catch {
    return undefined;
  }
}
