/**
 * Compares an output folder of `turnmill build` with the oracle's result: records, fates per source and tool usage. It shares no reading
 * code with turnmill.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compareTrees } from '../support/oracle/diff.ts';
import { tryParseJson } from '../support/oracle/parse-json.ts';
import type { OracleRecord, OracleResult, OracleSource } from '../support/oracle/run-oracle.ts';
import { USAGE_HEADER } from '../support/oracle/usage.ts';

/** The lines of a shard; a missing final LF, a CR and invalid UTF-8 are separate problems. */
function shardLines(bytes: Buffer, name: string, problems: string[]): readonly string[] {
  const text = bytes.toString('utf8');
  if (!Buffer.from(text).equals(bytes)) problems.push(`${name}: not UTF-8`);
  if (text.includes('\r')) problems.push(`${name}: holds a CR`);
  if (!text.endsWith('\n')) problems.push(`${name}: no LF at the end`);
  return text.split('\n').slice(0, -1);
}

function compareGroup(name: string, path: string, expected: readonly OracleRecord[]): readonly string[] {
  if (!existsSync(path)) return [`${name}: missing, ${expected.length} records expected`];
  const problems: string[] = [];
  const lines = shardLines(readFileSync(path), name, problems);
  if (lines.length !== expected.length) {
    problems.push(`${name}: ${lines.length} records, ${expected.length} expected`);
  }
  for (const [i, record] of expected.entries()) {
    const where = `${name} line ${i + 1}, source ${record.source}, session ${record.sessionId}`;
    const line = lines[i];
    if (line === undefined) break;
    const actual = tryParseJson(line);
    const found = actual && compareTrees('$', record.tree, actual);
    if (actual === undefined) problems.push(`${where}: not JSON`);
    else if (found !== undefined) {
      problems.push(`${where}\n  at ${found.path}\n  expected ${found.expected}\n  actual   ${found.actual}`);
    }
  }
  return problems;
}

/** Group -> its shard below data/: a group whose name is not a safe file name gets another name. */
function shardPaths(out: string): ReadonlyMap<string, string> {
  const path = join(out, 'manifest.json');
  if (!existsSync(path)) return new Map();
  const { shards } = JSON.parse(readFileSync(path, 'utf8')) as { shards: { path: string; group: string }[] };
  return new Map(shards.map((shard) => [shard.group, shard.path.replace(/^data\//, '')]));
}

function compareRecords(out: string, result: OracleResult): readonly string[] {
  const folder = join(out, 'data');
  const paths = shardPaths(out);
  const names = new Map(
    [...result.groups].map(([group, list]) => [paths.get(group) ?? `${group}-00000.jsonl`, list]),
  );
  const extra = (existsSync(folder) ? readdirSync(folder) : []).filter((name) => !names.has(name));
  return [
    ...extra.map((name) => `data/${name}: not expected`),
    ...[...names].flatMap(([name, list]) => compareGroup(`data/${name}`, join(folder, name), list)),
  ];
}

type LedgerLine = {
  source?: unknown;
  reason?: unknown;
  lines?: unknown;
  fates?: Record<string, unknown>;
  repairs?: Record<string, unknown>;
};

function sortedCounts(entries: Iterable<readonly [string, unknown]>): string {
  return JSON.stringify([...entries].filter(([, n]) => n !== 0).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function compareSource(source: OracleSource, ledger: LedgerLine | undefined): readonly string[] {
  if (ledger === undefined) return [`ledger: source ${source.path} is missing`];
  if (source.rejected !== undefined) return [];
  const problems: string[] = [];
  const expected = sortedCounts(source.fates);
  const actual = sortedCounts(Object.entries(ledger.fates ?? {}));
  if (actual !== expected) {
    const lines = source.lines.map((l) => `${l.line}${l.object > 0 ? `.${l.object}` : ''} ${l.fate}`);
    problems.push(
      `ledger: source ${source.path}\n  expected ${expected}\n  actual   ${actual}\n  oracle   ${lines.join(', ')}`,
    );
  }
  const roles = ledger.repairs?.['reply-role'] ?? 0;
  if (roles !== source.replyRoles) {
    problems.push(
      `ledger: source ${source.path} has reply-role ${String(roles)}, expected ${source.replyRoles}`,
    );
  }
  const sum = [...source.fates.values()].reduce((a, b) => a + b, 0);
  if (ledger.lines !== sum) {
    problems.push(`ledger: source ${source.path} has lines ${String(ledger.lines)}, expected ${sum}`);
  }
  return problems;
}

function compareLedger(out: string, result: OracleResult): readonly string[] {
  const path = join(out, 'ledger', 'sources.jsonl');
  if (!existsSync(path)) return ['ledger/sources.jsonl: missing'];
  const lines = readFileSync(path, 'utf8')
    .split('\n')
    .filter((line) => line !== '');
  const ledger = new Map<unknown, LedgerLine>();
  const excluded: unknown[] = [];
  for (const line of lines) {
    const parsed = JSON.parse(line) as LedgerLine;
    if (parsed.reason === 'excluded') excluded.push(parsed.source);
    else ledger.set(parsed.source, parsed);
  }
  const known = new Set<unknown>(result.sources.map((source) => source.path));
  const isNamed = JSON.stringify(excluded) === JSON.stringify(result.excluded);
  return [
    ...(isNamed ? [] : [`ledger: excluded ${excluded.join(', ')}, expected ${result.excluded.join(', ')}`]),
    ...[...ledger.keys()]
      .filter((key) => !known.has(key))
      .map((key) => `ledger: no such source ${String(key)}`),
    ...result.sources.flatMap((source) => compareSource(source, ledger.get(source.path))),
  ];
}

/** RFC 4180 with LF or CRLF; enough for reports without line breaks in cells. */
export function csvRows(text: string): readonly (readonly string[])[] {
  const lines = text.split(/\r?\n/).filter((line) => line !== '');
  return lines.map((line) =>
    [...`,${line}`.matchAll(/,(?:"((?:[^"]|"")*)"|([^",]*))/g)].map(
      (m) => m[1]?.replaceAll('""', '"') ?? m[2] ?? '',
    ),
  );
}

function compareUsage(out: string, result: OracleResult): readonly string[] {
  const path = join(out, 'reports', 'tool-usage.csv');
  if (!existsSync(path)) return ['reports/tool-usage.csv: missing'];
  const rows = csvRows(readFileSync(path, 'utf8'));
  const header = JSON.stringify(rows[0]);
  const actual = rows
    .slice(1)
    .filter((row) => row[2] !== '0')
    .map((row) => row.join(','));
  const expected = result.usage.map((row) => row.join(','));
  const problems = header === JSON.stringify(USAGE_HEADER) ? [] : [`tool usage: header ${header}`];
  for (const row of expected) if (!actual.includes(row)) problems.push(`tool usage: missing ${row}`);
  for (const row of actual) if (!expected.includes(row)) problems.push(`tool usage: not expected ${row}`);
  if (problems.length === 0 && actual.join() !== expected.join()) problems.push('tool usage: order of rows');
  return problems;
}

/** Every problem, with its place; empty if the folder is correct. */
export function compareOutput(out: string, result: OracleResult): readonly string[] {
  return [...compareRecords(out, result), ...compareLedger(out, result), ...compareUsage(out, result)];
}
