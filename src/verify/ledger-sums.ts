/** The manifest's totals and the sums of its ledger against what was counted again, and against reports/summary.json. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ioError } from '../errors.ts';
import { type Counts, compareCounts, sumOf } from './counts.ts';
import { asCounts } from './json-value.ts';
import { MANIFEST, type ManifestFacts, pretty } from './manifest-file.ts';
import type { Problems } from './problems.ts';
import type { Totals } from './totals.ts';

/** Repairs of a source's framing: the ledger has only their sums. */
const FRAMING: ReadonlySet<string> = new Set(['bom', 'crlf', 'no-final-newline']);
/** Sources that were not listed one by one. */
const UNLISTED: ReadonlySet<string> = new Set(['excluded', 'over-limit']);
const MEMBERS =
  'sources skipped fates repairs sessions tools rewrites findings bytes lines records errors warnings';

export function checkLedgerSums(
  { ledger, totals }: ManifestFacts,
  counted: Totals,
  records: number,
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
  compare('skipped', counted.skipped, UNLISTED);
  compare('fates', counted.fates);
  compare('repairs', counted.repairs, FRAMING);
  const seen = counted.sessions === 0 ? [] : ([['seen', counted.sessions]] as const);
  compare('sessions', new Map([...counted.outcomes, ...seen]));
  compare('tools', counted.tools);
  compare('rewrites', counted.rewrites);
  compare('findings', counted.findings);
  checkBytes(asCounts(ledger.bytes) ?? new Map(), counted, equal);
}

/** I1: where the bytes of all sources went; a source that was not read to its end need not add up. */
function checkBytes(
  bytes: ReadonlyMap<string, number>,
  counted: Totals,
  equal: (what: string, expected: unknown, found: unknown) => void,
): void {
  const read = bytes.get('read') ?? 0;
  equal("ledger.bytes 'read'", counted.bytes, read);
  const whole = !counted.status.has('rejected') && !counted.status.has('limited');
  if (whole) equal("ledger.bytes 'bom' + 'lines' + 'terminators'", read, sumOf(bytes) - read);
}

/** reports/summary.json is the ledger's sums once more. */
export async function checkSummary(root: string, manifest: ManifestFacts, problems: Problems): Promise<void> {
  const file = 'reports/summary.json';
  const path = join(root, file);
  const text = await readFile(path, 'utf8').catch((error: unknown) => {
    throw ioError('read', path, error);
  });
  if (text !== pretty(manifest.ledger))
    problems.add(file, 'expected the ledger of manifest.json, found another text');
}
