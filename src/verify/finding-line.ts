/** One line of reports/integrity.jsonl: counted by rule and by severity. */
import { add } from './counts.ts';
import { asCount, asText } from './json-value.ts';
import type { Problems } from './problems.ts';
import type { SourceExtent } from './source-extent.ts';
import type { SourceLine } from './source-lines.ts';
import type { Totals } from './totals.ts';

const FILE = 'reports/integrity.jsonl';

export function checkFinding(
  { line, value }: SourceLine,
  { lines }: SourceExtent,
  totals: Totals,
  problems: Problems,
): void {
  const { severity, rule, entry } = value;
  const count = value.count === undefined ? 1 : (asCount(value.count) ?? 0);
  if (count === 0) problems.equal(FILE, line, 'count', 'a number from 1', value.count);
  // what is found at the end of a source stands behind its last line
  if (!((asCount(entry) ?? Infinity) <= lines + 1))
    problems.equal(FILE, line, 'entry', `a line up to ${lines + 1}`, entry);
  if (asText(rule) === undefined) problems.equal(FILE, line, 'rule', 'a text', rule);
  add(totals.findings, String(rule), count);
  if (severity === 'ERROR') totals.errors += count;
  else if (severity === 'WARNING') totals.warnings += count;
  else problems.equal(FILE, line, 'severity', 'ERROR or WARNING', severity);
}
