/** Files that do not have the name of a log: which they are, and how the command reports them. */
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { buildLogs, entryLine } from '../../support/build-logs.ts';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { hashesOf, temporaryFolder } from '../../support/folder.ts';

const idLine = (id: string): string => entryLine({ id });
const sourcesOf = (out: string): { source: string; status: string; reason?: string }[] =>
  readFileSync(join(out, 'ledger/sources.jsonl'), 'utf8')
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line));

test('other files are counted by extension in both summaries and named in the ledger', async () => {
  const others = [
    'a.yaml',
    'b.csv',
    'x/c.CSV',
    'd.csv.gz',
    'e.csv.1',
    'README',
    '.hidden',
    'f.back~up',
    'jsonl',
  ];
  const files = Object.fromEntries(['s.jsonl', ...others].map((name) => [name, entryLine()]));
  const { status, stderr, out, sums } = await buildLogs({ files });
  expect(status).toBe(0);
  expect(sums.skipped).toEqual({ excluded: others.length });
  expect(sums).toMatchObject({ extensions: { '.csv': 3, '.csv.gz': 1, '.yaml': 1, none: 3, other: 1 } });
  expect(stderr).toMatch(
    /^ {2}skipped {4}9 files: 9 not a log \(3 \.csv, 3 none, 1 \.csv\.gz, 1 \.yaml, 1 other\)$/m,
  );
  const named = sourcesOf(out).filter(({ status: is, reason }) => is === 'skipped' && reason === 'excluded');
  expect(named.map(({ source }) => source)).toEqual([...others].sort());
});

test('after the first thousand, names are only counted', async () => {
  const names = Array.from(
    { length: 1203 },
    (_, i) => `${String(i * 7919).padStart(9, '0')}.${i % 3 ? 'csv' : 'txt'}`,
  );
  const files = Object.fromEntries(names.map((name) => [name, '']));
  const { out, sums } = await buildLogs({ files: { ...files, 's.jsonl': entryLine() } });
  expect(sums.skipped).toEqual({ excluded: 1203 });
  expect(sums).toMatchObject({ extensions: { '.csv': 802, '.txt': 401 } });
  const named = sourcesOf(out).filter(({ status }) => status === 'skipped');
  expect(named.map(({ source }) => source)).toEqual([...names].sort().slice(0, 1000));
  const file = join(out, 'manifest.json');
  for (const [from, to] of [
    ['"excluded": 1203', '"excluded": 1204'],
    ['".csv": 802', '".csv": 803'],
  ] as const) {
    const text = readFileSync(file, 'utf8');
    writeFileSync(file, text.replace(from, to));
    expect((await turnmill(['verify', out])).status).toBe(65);
    writeFileSync(file, text);
  }
});

test('rotated logs are read and framed by the name that they had', async () => {
  const lines: Readonly<Record<string, string | Buffer>> = {
    'a.log': idLine('1'),
    'a.jsonl.1': idLine('2'),
    'a.log.2.gz': gzipSync(idLine('3')),
    'a.ndjson.10': idLine('4'),
    'a.log-20260113': idLine('5'),
    'a.jsonl.2026-01-13': idLine('6'),
    'a.json.1': `[\n${idLine('7')},\n${idLine('7').replace('08:00:01', '08:00:02')}]`,
    'a.LOG.3': idLine('8'),
  };
  const { status, sums, out } = await buildLogs({ files: lines });
  expect([status, sums.skipped, sums.sources]).toEqual([0, {}, { read: 8 }]);
  expect([sums.fates, sums.repairs['wrong-extension']]).toEqual([{ snapshot: 8, superseded: 1 }, undefined]);
  expect(sourcesOf(out).map(({ source }) => source)).toEqual(Object.keys(lines).sort());
});

test('a rotated log keeps the scenario of its log', async () => {
  const files = { 'maps-es-01.jsonl.1': idLine('1'), 'maps-es-02.log.2.gz': gzipSync(idLine('2')) };
  const { out } = await buildLogs({ files }, ['--group-by', 'scenario']);
  expect(readFileSync(join(out, 'reports/tool-usage.csv'), 'utf8')).toMatch(/^,maps-es,2,/m);
});

test('a log that is not JSON is rejected line by line', async () => {
  const { status, sums } = await buildLogs({
    files: { 'access.log': 'GET /\nGET /\n', 's.jsonl': entryLine() },
  });
  expect([status, sums.fates]).toEqual([3, { 'rejected:invalid-json': 2, snapshot: 1 }]);
});

test('a folder of other files alone has no input', async () => {
  const logs = temporaryFolder();
  writeFileSync(join(logs, 'a.csv'), '');
  const { status, stderr } = await turnmill(['build', logs, '--out', join(temporaryFolder(), 'out')]);
  expect([status, stderr]).toEqual([66, expect.stringContaining('no session')]);
});

test('an update notices when another file appears or disappears', async () => {
  const folder = temporaryFolder();
  const [logs, out, again] = ['logs', 'out', 'again'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(logs);
  writeFileSync(join(logs, 's.jsonl'), entryLine());
  writeFileSync(join(logs, 'a.csv'), '');
  expect((await turnmill(['build', logs, '--out', out])).status).toBe(0);
  const same = await turnmill(['build', logs, '--out', out, '--update']);
  expect(same.stderr).toContain('nothing changed');
  writeFileSync(join(logs, 'b.csv'), '');
  const other = await turnmill(['build', logs, '--out', out, '--update']);
  expect(other.stderr).not.toContain('nothing changed');
  await turnmill(['build', logs, '--out', again]);
  expect(hashesOf(out)).toEqual(hashesOf(again));
});

test('files that options leave out have reasons of their own, which verify, an update and merge count again', async () => {
  const names = Array.from(
    { length: 1100 },
    (_, i) => `${String(i).padStart(4, '0')}.${i % 2 ? 'csv' : 'log'}`,
  );
  const files = Object.fromEntries([...names, 's.jsonl', 't.jsonl'].map((name) => [name, entryLine()]));
  const options = ['--include', '*.jsonl', '--include', '*.csv', '--exclude', 't*'];
  const { out, sums } = await buildLogs({ files }, options);
  expect(sums.skipped).toEqual({ excluded: 550, 'not-included': 550, 'excluded-by-option': 1 });
  expect((await turnmill(['verify', out])).stdout.toString()).toContain(' from 1 source: no problems');
  const file = join(out, 'manifest.json');
  const text = readFileSync(file, 'utf8');
  writeFileSync(file, text.replace('"not-included": 550', '"not-included": 551'));
  expect((await turnmill(['verify', out])).status).toBe(65);
  writeFileSync(file, text);
  const again = await turnmill([
    'build',
    join(out, '../logs'),
    '--update',
    out,
    '--group-by',
    'none',
    ...options,
  ]);
  expect(again.stderr).toContain('nothing changed');
});
