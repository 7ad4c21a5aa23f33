/**
 * Proves that the comparison can fail: an output folder written from the oracle's result passes, and every small change to it (a byte, the
 * text of a number, the place of a key, a count, a row) is reported with its place.
 */
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { recordText } from '../support/oracle/record-text.ts';
import { type OracleResult, runOracle } from '../support/oracle/run-oracle.ts';
import { USAGE_HEADER } from '../support/oracle/usage.ts';
import { compareOutput, csvRows } from './compare-output.ts';

const root = mkdtempSync(join(tmpdir(), 'turnmill-compare-'));
const logs = join(root, 'logs');
const out = join(root, 'out');
const settings = { inline: false, sessionBy: 'file', groupBy: 'none', cleanup: true } as const;
const shard = join(out, 'data', 'conversations-00000.jsonl');
let result: OracleResult;

function writeOutput(): void {
  for (const folder of ['data', 'ledger', 'reports']) mkdirSync(join(out, folder), { recursive: true });
  for (const [group, records] of result.groups) {
    const text = records.map((record) => `${recordText(record.tree)}\n`).join('');
    writeFileSync(join(out, 'data', `${group}-00000.jsonl`), text);
  }
  const ledger = result.sources.map((s) =>
    JSON.stringify({ source: s.path, lines: s.lines.length, fates: Object.fromEntries(s.fates) }),
  );
  writeFileSync(join(out, 'ledger', 'sources.jsonl'), `${ledger.join('\n')}\n`);
  const rows = [USAGE_HEADER, ...result.usage].map((row) => `${row.join(',')}\r\n`);
  writeFileSync(join(out, 'reports', 'tool-usage.csv'), rows.join(''));
}

beforeEach(() => {
  mkdirSync(logs, { recursive: true });
  const message = '{ "role":"user",\r"content":"caf\\u00e9", "n": 1.0, "b":{"2":1,"1":2,"2":3}}';
  const entry = (id: string): string =>
    `{"timestamp":1,"session_id":"${id}","request":{"messages":[${message},{"role":"user","x":null,"n":1.0}]}}`;
  writeFileSync(join(logs, 'a.jsonl'), `${entry('a')}\n\noops\n`);
  writeFileSync(join(logs, 'b.jsonl'), entry('b'));
  result = runOracle(logs, settings);
  rmSync(out, { recursive: true, force: true });
  writeOutput();
});

afterAll(() => rmSync(root, { recursive: true, force: true }));

test("an output folder equal to the oracle's result has no problems", () => {
  expect(readdirSync(join(out, 'data'))).toEqual(['conversations-00000.jsonl']);
  expect(compareOutput(out, result)).toEqual([]);
});

function change(path: string, from: string | RegExp, to: string): void {
  const text = readFileSync(path, 'utf8');
  const changed = text.replace(from, () => to);
  expect(changed).not.toBe(text);
  writeFileSync(path, changed);
}

describe('a change is reported', () => {
  const sources = join(out, 'ledger', 'sources.jsonl');
  const usage = join(out, 'reports', 'tool-usage.csv');
  test.each([
    ['an escape written out', shard, 'caf\\u00e9', 'caf\u00e9', '$.messages[0].content (bytes'],
    ['a blank lost', shard, '{ "role"', '{"role"', '$.messages[0] (bytes'],
    ['a number rewritten', shard, '"n": 1.0', '"n": 1', '$.messages[0].n'],
    ['a number rewritten beside a rule', shard, '"n":1.0', '"n":1', '$.messages[1].n'],
    ['keys reordered', shard, '"2":1,"1":2', '"1":2,"2":1', '$.messages[0].b'],
    ['a duplicate lost', shard, '"2":1,"1":2', '"1":2', '$.messages[0].b'],
    ['a null kept', shard, '"n":1.0}', '"n":1.0,"x":null}', '$.messages[1]'],
    ['a record lost', shard, /.*\n$/, '', '1 records, 2 expected'],
    ['a member more', shard, '"tools":[]', '"tools":[],"id":1', 'at $'],
    ['a torn record', shard, '{"messages"', '"messages"', 'not JSON'],
    ['a CR', shard, '{"messages"', '\r{"messages"', 'holds a CR'],
    ['a fate more', sources, '"blank":1', '"blank":2', 'source a.jsonl'],
    ['a wrong fate', sources, 'rejected:invalid-json', 'rejected:too-deep', 'source a.jsonl'],
    ['a wrong sum', sources, '"lines":3', '"lines":2', 'has lines 2'],
    ['a source lost', sources, /^.*\n/, '', 'a.jsonl is missing'],
    ['a foreign source', sources, '"b.jsonl"', '"c.jsonl"', 'no such source'],
    ['a usage count', usage, ',,2,0', ',,2,1', 'tool usage: missing'],
    ['a usage column', usage, 'client_turns', 'clients', 'header'],
  ])('%s', (_name, path, from, to, found) => {
    change(path, from, to);
    expect(compareOutput(out, result).join('\n')).toContain(found);
  });

  test('an additional shard', () => {
    writeFileSync(join(out, 'data', 'x-00000.jsonl'), '');
    expect(compareOutput(out, result)).toEqual(['data/x-00000.jsonl: not expected']);
  });
});

test('CSV cells are read with and without quotes', () => {
  expect(csvRows('a,"b ""x"", c",\r\n,d,\n')).toEqual([
    ['a', 'b "x", c', ''],
    ['', 'd', ''],
  ]);
});
