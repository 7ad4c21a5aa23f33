/** One line of reports/integrity.jsonl: counted by rule and by severity. */
import { add } from './counts.ts';
import { asText } from './json-value.ts';
import type { Problems } from './problems.ts';
import type { SourceLine } from './source-lines.ts';
import type { Totals } from './totals.ts';

const FILE = 'reports/integrity.jsonl';

export function checkFinding({ line, value }: SourceLine, totals: Totals, problems: Problems): void {
  const { severity, rule } = value;
  if (asText(rule) === undefined) problems.equal(FILE, line, 'rule', 'a text', rule);
  add(totals.findings, String(rule));
  if (severity === 'ERROR') totals.errors += 1;
  else if (severity === 'WARNING') totals.warnings += 1;
  else problems.equal(FILE, line, 'severity', 'ERROR or WARNING', severity);
}
