/**
 * Generator and oracle without the command: the same seed gives the same bytes, every oddity occurs, every fate is reached, and the oracle
 * accounts for every line and every record.
 */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Tally } from '../support/odd-logs/dice.ts';
import { writeOddLogs } from '../support/odd-logs/write-odd-logs.ts';
import { compareTrees } from '../support/oracle/diff.ts';
import { parseJson } from '../support/oracle/parse-json.ts';
import { recordText } from '../support/oracle/record-text.ts';
import { type OracleResult, runOracle } from '../support/oracle/run-oracle.ts';
import { get, type Tree } from '../support/oracle/tree.ts';

/** Seeds whose records are read back. */
const READ_BACK = 30;
/** Enough seeds for every oddity to occur; a hundred are too few. */
const ALL_SEEN = 140;

function withLogs<T>(seed: number, tally: Tally, use: (root: string) => T): T {
  const root = mkdtempSync(join(tmpdir(), 'turnmill-odd-'));
  try {
    writeOddLogs(root, seed, { manySessions: seed % 2 === 0 ? 0.05 : 0.4, tally });
    return use(root);
  } finally {
    rmSync(root, { recursive: true });
  }
}

function everyByte(root: string): string {
  const files = readdirSync(root, { recursive: true, withFileTypes: true }).filter((f) => f.isFile());
  return files
    .map((f) => join(f.parentPath, f.name))
    .sort()
    .map((path) => `${path.slice(root.length)} ${readFileSync(path).toString('base64')}`)
    .join('\n');
}

function oracle(root: string, seed: number): OracleResult {
  return runOracle(root, {
    inline: seed % 3 === 0,
    sessionBy: seed % 2 === 0 ? 'file' : 'id',
    groupBy: (['date', 'scenario', 'none'] as const)[seed % 3] ?? 'none',
    cleanup: seed % 5 !== 0,
  });
}

test('the same seed gives the same bytes, and another seed gives others', () => {
  const bytes = (seed: number): string => withLogs(seed, new Map(), everyByte);
  expect(bytes(7)).toBe(bytes(7));
  expect(bytes(7)).not.toBe(bytes(8));
});

const tally: Tally = new Map();
const results: OracleResult[] = [];
beforeAll(() => {
  for (let seed = 0; seed < ALL_SEEN; seed++)
    results.push(withLogs(seed, tally, (root) => oracle(root, seed)));
});

test('every oddity occurs and every fate is reached', () => {
  const fates = new Set<string>();
  for (const result of results) {
    for (const source of result.sources) {
      for (const fate of source.fates.keys()) fates.add(fate);
      if (source.rejected !== undefined) fates.add(source.rejected);
    }
  }
  expect([...tally].filter(([, hits]) => hits === 0).map(([name]) => name)).toEqual([]);
  expect([...fates].sort()).toEqual([
    'blank',
    'corrupt-gzip',
    'dropped:goose-title',
    'rejected:bad-messages',
    'rejected:bad-response',
    'rejected:bad-session-id',
    'rejected:bad-timestamp',
    'rejected:bad-tools',
    'rejected:duplicate-key',
    'rejected:invalid-json',
    'rejected:invalid-utf8',
    'rejected:not-an-object',
    'rejected:session-id-mismatch',
    'rejected:session-reopened',
    'rejected:timestamp-not-increasing',
    'rejected:too-deep',
    'snapshot',
    'superseded',
    'truncated',
  ]);
});

function noNullMember(message: Tree): boolean {
  return (
    message.kind === 'object' &&
    message.members.every((m) => m.value.kind !== 'literal' || m.value.text !== 'null')
  );
}

test('one snapshot per record, no empty fate, complete records that can be read back', () => {
  for (const result of results.slice(0, READ_BACK)) {
    const records = [...result.groups.values()].flat();
    const lines = result.sources.flatMap((source) => source.lines);
    expect(lines.filter((line) => line.fate === 'snapshot')).toHaveLength(records.length);
    expect(lines.filter((line) => line.fate === '')).toEqual([]);
    expect(records.length).toBeGreaterThan(0);
    for (const { tree } of records) {
      const messages = get(tree, 'messages');
      expect(messages?.kind === 'array' && messages.items.every(noNullMember)).toBe(true);
      expect(compareTrees('$', tree, parseJson(recordText(tree)))).toBeUndefined();
    }
  }
});
