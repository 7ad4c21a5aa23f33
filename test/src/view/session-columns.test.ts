import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { LineIndex } from '../../../src/view/line-index.ts';
import { SessionColumns } from '../../../src/view/session-columns.ts';
import { temporaryFolder } from '../../support/folder.ts';

interface Row {
  readonly source: string;
  readonly input?: number;
}

/** Members that the lines of the three files also have. */
const OTHERS = [
  { fate: 'written', entries: 1, superseded: 0, truncated: 0, changes: {} },
  { message: '' },
  { status: 'read', lines: 1, fates: {} },
];

async function columnsOf(
  sessions: readonly (Row & { readonly id: string })[],
  findings: readonly (Row & { readonly session: string; readonly rule: string; readonly severity: string })[],
  sources: readonly (Row & { readonly dialect?: string })[] = [],
): Promise<SessionColumns> {
  const folder = temporaryFolder();
  const [ledger, report, read] = [sessions, findings, sources].map((rows, i) => {
    const path = join(folder, `${i}.jsonl`);
    writeFileSync(path, rows.map((row) => `${JSON.stringify({ ...row, ...OTHERS[i] })}\n`).join(''));
    const index = new LineIndex(path);
    onTestFinished(() => index.close());
    return index;
  }) as [LineIndex, LineIndex, LineIndex];
  return SessionColumns.read(ledger, report, read);
}

const [warning, error] = ['WARNING', 'ERROR'];

it('finds the findings of sessions that are interleaved, by source and input', async () => {
  const sessions = [
    ...['a', 'b', 'c'].map((id) => ({ source: '1.jsonl', id })),
    { source: '2.jsonl', id: 'a' },
    { source: '1.jsonl', input: 1, id: 'b' },
  ];
  const columns = await columnsOf(sessions, [
    { source: '1.jsonl', session: 'a', rule: 'x', severity: warning },
    { source: '1.jsonl', session: 'b', rule: 'x', severity: warning },
    { source: '1.jsonl', session: 'a', rule: 'y', severity: error },
    { source: '1.jsonl', session: 'b', rule: 'x', severity: warning },
    { source: '1.jsonl', input: 1, session: 'b', rule: 'z', severity: error },
  ]);
  expect(sessions.map((_, i) => [...columns.of(i)])).toEqual([[0, 2], [1, 3], [], [], [4]]);
  expect(sessions.map((_, i) => columns.severityOf(i))).toEqual([
    ...['error', 'warning', undefined, undefined, 'error'],
  ]);
  expect(['x', 'y', 'z', 'none'].map((rule) => sessions.map((_, i) => columns.has(i, rule)))).toEqual([
    [true, true, false, false, false],
    [true, false, false, false, false],
    [false, false, false, false, true],
    [false, false, false, false, false],
  ]);
});

it('finds the dialect of each source', async () => {
  const sources = [
    { source: '0.jsonl' },
    ...Array.from({ length: 2500 }, (_, i) => ({
      source: `1-${i}.jsonl`,
      dialect: i === 7 ? 'codex' : 'exchange',
    })),
    { source: '2.jsonl', input: 1, dialect: 'codex' },
    { source: '3.jsonl', input: 1 },
  ];
  const rows = [1, 8, 8, 2500, 2501, 2502].map((i) => ({ ...(sources[i] as Row), id: 'x' }));
  const columns = await columnsOf(rows, [], sources);
  expect(
    rows.map((_, i) => ['exchange', 'codex', 'other'].filter((name) => columns.dialects.isOf(i, name))),
  ).toEqual([...[['exchange'], ['codex'], ['codex'], ['exchange'], ['codex'], []]]);
  expect([...columns.dialects.count(5, (row) => row + 1)]).toEqual([
    ['exchange', 1],
    ['codex', 3],
  ]);
});

it('finds each of many sessions of one source', async () => {
  const ids = Array.from({ length: 150_000 }, (_, i) => `s${i}`);
  const columns = await columnsOf(
    ids.map((id) => ({ source: 'a.jsonl', id })),
    ids.map((session) => ({ source: 'a.jsonl', session, rule: 'x', severity: warning })),
  );
  expect([...columns.of(0), ...columns.of(149_999)]).toEqual([0, 149_999]);
});
