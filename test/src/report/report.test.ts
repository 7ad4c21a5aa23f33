import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { DatasetProfile, LedgerSums } from '../../../src/dataset/schema/reports.ts';
import { build } from '../../../src/job/build.ts';
import { report } from '../../../src/job/report.ts';
import { driftOf } from '../../../src/report/drift.ts';
import { renderReport } from '../../../src/report/render.ts';
import type { ReportData } from '../../../src/report/report-data.ts';
import { entryLine } from '../../support/build-logs.ts';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { writeCopiedLogs } from '../../support/copied-logs.ts';
import { temporaryFolder } from '../../support/folder.ts';

const root = resolve(import.meta.dirname, '../../..');
const examples = join(root, 'examples/logs');
const LIMIT_BYTES = 512 * 1024;

/** A report whose lists and names are as long as the counter allows, and longer. */
function monster(): ReportData {
  const long = 'é<&"\u202e'.repeat(2000);
  const many = <T>(n: number, make: (i: number) => T): T[] => Array.from({ length: n }, (_, i) => make(i));
  const counts = (name: string, n: number): Record<string, number> =>
    Object.fromEntries(many(n, (i) => [`${name}${i}${long}`.slice(0, 120), i + 1]));
  const example = {
    source: long.slice(0, 120),
    line: 1,
    byte_start: 0,
    byte_end: 9,
    message: long.slice(0, 240),
  };
  const profile: DatasetProfile = {
    rejections: many(24, (i) => ({ reason: `r${i}${long}`, count: 900, examples: many(5, () => example) })),
    findings: many(24, (i) => ({
      ...{ rule: `f${i}${long}`, severity: 'ERROR' as const, count: 900 },
      examples: many(5, () => example),
    })),
    records: {
      ...{ messages: 9, calls: 9, bytes: 4000, characters: 3600, longest: 900, tool_count: 10_000 },
      by_messages: Object.fromEntries(many(100, (i) => [String(2 ** (i / 2)), 5])),
      by_bytes: {},
      by_calls: {},
      roles: counts('role', 32),
      tools: counts('tool', 20),
    },
    groups: many(60, (i) => ({ group: `${i}${long}`.slice(0, 120), written: 1, empty: 1, rejected: 1 })),
    group_count: 10_000,
    dialects: { exchange: 3, codex: 12 },
    sources: many(25, (i) => ({
      source: `${i}${long}`.slice(0, 120),
      lines: 9,
      size: 9,
      fates: { rejected: 1 },
    })),
  };
  const ledger = {
    ...{
      lines: 9,
      records: 9,
      errors: 9,
      warnings: 9,
      formats: {},
      skipped: {},
      extensions: {},
      sessions: {},
    },
    sources: { read: 50_000 },
    fates: counts('rejected:', 300),
    ...{ repairs: counts('repair', 300), rewrites: counts('rewrite', 300), tools: counts('t', 9) },
    ...{ findings: {}, bytes: {} },
  } as LedgerSums;
  const shard = (i: number) => ({
    path: `data/${i}.jsonl`,
    group: 'x',
    records: 1,
    bytes: 1,
    sha256: 'a'.repeat(64),
  });
  const manifest = {
    tool: { name: 'turnmill', version: '0' },
    settings: { format: ['chat'] },
    settings_sha256: 'b'.repeat(64),
    totals: { records: 9, lines: 9, sessions: 9 },
    ledger,
    shards: many(3000, shard),
  };
  const was = { ...profile, records: { ...profile.records, tools: counts('other', 20) } };
  return { manifest, profile, drift: driftOf({ manifest, profile: was }, { manifest, profile }) };
}

async function built(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = temporaryFolder();
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, 'logs', name)), { recursive: true });
    writeFileSync(join(folder, 'logs', name), text);
  }
  const out = join(folder, 'dataset-folder');
  await build({ inputs: [join(folder, 'logs')], out });
  return out;
}

describe('the report of a build', () => {
  test('depends only on the input: it names no time, host, folder or process', async () => {
    const out = await built({ 'a.jsonl': `${entryLine({})}\n` });
    const page = readFileSync(join(out, 'reports/index.html'), 'utf8');
    const run = JSON.parse(readFileSync(join(out, 'run.json'), 'utf8'));
    for (const text of ['dataset-folder', out, run.started.slice(0, 10), run.host, run.node])
      expect(page.includes(text)).toBe(false);
  });

  test('shows the fate of every line and the places of rejections', async () => {
    const out = join(temporaryFolder(), 'out');
    await build({ inputs: [examples], out });
    const page = readFileSync(join(out, 'reports/index.html'), 'utf8').replaceAll('\u00a0', ' ');
    expect(page).toContain(
      '66 lines of 13 logs became <em>11 records</em>; <em class="bad">5 lines</em> were rejected.',
    );
    expect(page.includes('every line accounted for')).toBe(true);
    expect(
      page.includes('turnmill explain 2026-01-14/build-watch-1768401720884000000.jsonl:3 --in DATASET'),
    ).toBe(true);
    expect(/<script|<img|<iframe| style=| on[a-z]+=|href="[^#]/.test(page)).toBe(false);
  });

  test('counts the sources of each dialect', async () => {
    const out = join(temporaryFolder(), 'out');
    const logs = ['claude-code.jsonl', 'codex.jsonl', 'exchange.jsonl'];
    await build({ inputs: logs.map((name) => join(root, 'examples/dialects', name)), out });
    const [first] = readFileSync(join(out, 'ledger/sources.jsonl'), 'utf8').split('\n');
    expect(first).toContain('"status":"read","dialect":"claude-code","size":');
    const page = readFileSync(join(out, 'reports/index.html'), 'utf8').replaceAll('\u00a0', ' ');
    expect(page).toContain('<p>By dialect: claude-code 1, codex 1, exchange 1.</p>');
  });

  test('counts contained sessions and further branches', async () => {
    const folder = temporaryFolder();
    writeCopiedLogs(join(folder, 'logs'), 3, 12);
    const out = join(folder, 'out');
    await build({ inputs: [join(folder, 'logs')], out, copies: 'drop' });
    const page = readFileSync(join(out, 'reports/index.html'), 'utf8').replaceAll('\u00a0', ' ');
    expect(page).toContain(
      '<p>8 sessions left out, because the record of another session contains them.</p>',
    );
    expect(page).toContain('<p>8 sessions are further branches of another one.</p>');
  });

  test.each([
    [
      undefined,
      '<p>No record equals another one. To leave out records that lie inside others, build with <code>--copies drop</code>.</p>',
    ],
    ['drop' as const, '<p>No record repeats another one, or its beginning.</p>'],
  ])('says whether copies were looked for: %s', async (copies, text) => {
    const out = join(temporaryFolder(), 'out');
    await build({ inputs: [join(root, 'examples/dialects/exchange.jsonl')], out, ...(copies && { copies }) });
    expect(readFileSync(join(out, 'reports/index.html'), 'utf8').replaceAll('\u00a0', ' ')).toContain(text);
  });

  test('counts records that equal earlier ones, and those of each model', async () => {
    const response = { model: 'm-1', choices: [{ message: { role: 'assistant', content: 'Yes.' } }] };
    const log = `${entryLine({ response })}\n`;
    const out = await built({ 'a.jsonl': log, 'b.jsonl': log, 'c.jsonl': log });
    const page = readFileSync(join(out, 'reports/index.html'), 'utf8').replaceAll('\u00a0', ' ');
    expect(page).toContain(
      '<p>2 records equal earlier ones byte for byte. To leave out such records, and those that lie inside others, build with <code>--copies drop</code>.</p>',
    );
    expect(page).toContain('<p>By model: m-1 3.</p>');
  });

  test('counts answers that are context', async () => {
    const folder = temporaryFolder();
    writeCopiedLogs(join(folder, 'logs'), 3, 12);
    const out = join(folder, 'out');
    await build({ inputs: [join(folder, 'logs')], out, copies: 'mark' });
    const page = readFileSync(join(out, 'reports/index.html'), 'utf8').replaceAll('\u00a0', ' ');
    expect(page).toContain('<p>23 of 78 answers are context: trained in an earlier record only.</p>');
  });

  test('is left out with --no-report', async () => {
    const out = join(temporaryFolder(), 'out');
    const { status } = await turnmill(['build', examples, '--out', out, '--no-report']);
    expect(status).toBe(3);
    expect(existsSync(join(out, 'reports/index.html'))).toBe(false);
    expect((await turnmill(['verify', out])).status).toBe(0);
  });

  test('is at most 512 KiB, whatever the dataset', () => {
    expect(Buffer.byteLength(renderReport(monster()))).toBeLessThanOrEqual(LIMIT_BYTES);
  });

  test('shows hidden and direction characters as escapes, in every section', () => {
    const page = renderReport(monster());
    expect(page.includes('\\u202e')).toBe(true);
    expect(page.includes('\u202e')).toBe(false);
    expect(page.includes('NaN')).toBe(false);
  });
});

describe('turnmill report', () => {
  test('adds the facts of the run and writes to a file or to standard output', async () => {
    const out = await built({ 'a.jsonl': `${entryLine({})}\n` });
    const file = join(out, '../report.html');
    expect((await turnmill(['report', out, '-o', file])).status).toBe(0);
    const page = readFileSync(file, 'utf8');
    expect(page.includes(JSON.parse(readFileSync(join(out, 'run.json'), 'utf8')).started)).toBe(true);
    const { status, stdout } = await turnmill(['report', out]);
    expect([status, stdout.toString() === page]).toEqual([0, true]);
  });

  test('lists drift with --against and ends with 0', async () => {
    const old = join(temporaryFolder(), 'old');
    await build({ inputs: [join(examples, '2026-01-14')], out: old });
    const out = join(temporaryFolder(), 'new');
    await build({ inputs: [examples], out });
    const { status, stdout } = await turnmill(['report', out, '--against', old]);
    const page = stdout.toString();
    expect(status).toBe(0);
    expect(page.includes('id="drift"')).toBe(true);
    expect(page.includes('tool calendar__create_event')).toBe(true);
    expect(page.includes('<td class="num flag">')).toBe(true);
  });

  test('reads the records of a dataset without counts for the report', async () => {
    const out = await built({ '2026-01-13/a.jsonl': `${entryLine({})}\n{"bad\n` });
    const before = await report({ dataset: out });
    const path = join(out, 'reports/summary.json');
    const { profile: _profile, ...sums } = JSON.parse(readFileSync(path, 'utf8'));
    writeFileSync(path, JSON.stringify(sums));
    expect((await report({ dataset: out })) === before).toBe(true);
  });

  test('refuses a folder that is not a dataset', async () => {
    const { status, stderr } = await turnmill(['report', temporaryFolder()]);
    expect(status).toBe(66);
    expect(stderr).toContain('it has no manifest.json');
  });
});

describe('drift', () => {
  const side = (records: number, fates: Record<string, number>, byMessages: Record<string, number>) => {
    const manifest = {
      totals: { records, lines: 100, sessions: 9 },
      ledger: { fates } as unknown as LedgerSums,
    };
    const { profile } = monster();
    return { manifest, profile: { ...profile, records: { ...profile.records, by_messages: byMessages } } };
  };
  const marked = (was: ReturnType<typeof side>, now: ReturnType<typeof side>) => [
    ...driftOf(was, now).rows.filter(({ isMarked }) => isMarked),
    ...driftOf(was, now).shifts.filter(({ isMarked }) => isMarked),
  ];

  test('compares shares, so that twice the input is not drift', () => {
    expect(
      marked(
        side(500, { snapshot: 10, blank: 5 }, { 2: 500 }),
        side(1000, { snapshot: 20, blank: 10 }, { 2: 1000 }),
      ),
    ).toEqual([]);
  });

  test('marks a change of more than one point and more than a quarter', () => {
    const at = (blank: number) => side(9, { snapshot: 1000 - blank, blank }, {});
    expect(marked(at(5), at(14))).toEqual([]); // by 0.9 points
    expect(marked(at(100), at(120))).toEqual([]); // by a sixth
    expect(marked(at(100), at(140)).map(({ name }) => name)).toEqual(['blank']);
  });

  test('marks histograms by their stability index from 500 records on', () => {
    expect(marked(side(499, {}, { 2: 499 }), side(499, {}, { 9: 499 }))).toEqual([]);
    expect(marked(side(500, {}, { 2: 500 }), side(500, {}, { 9: 500 })).map(({ name }) => name)).toEqual([
      'messages in a record',
    ]);
  });
});
