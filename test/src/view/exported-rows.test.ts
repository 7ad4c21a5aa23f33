/** An exported page filters its rows as the server does. */
import { cpSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { facetsIn, rowMatcher } from '../../../src/view/app/exported-rows.ts';
import { filterText } from '../../../src/view/app/query.ts';
import type { Row } from '../../../src/view/app/types.ts';
import { facetsOf } from '../../../src/view/facets.ts';
import { type Searched, search } from '../../../src/view/search.ts';
import { ViewedDataset } from '../../../src/view/viewed-dataset.ts';
import { turnmill } from '../../support/command.ts';

const examples = resolve(import.meta.dirname, '../../../examples');
const folder = mkdtempSync(join(tmpdir(), 'turnmill-exported-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const out = join(folder, 'out');

async function rowsIn(name: string, ...flags: readonly string[]): Promise<Record<Searched, string[]>> {
  const pages = join(folder, name);
  expect((await turnmill(['view', out, '--export', pages, ...flags])).status).toBe(0);
  const read = (list: string): string[] => {
    const text = readFileSync(join(pages, `data/${list}-0.js`), 'utf8');
    return JSON.parse(JSON.parse(text.slice(text.indexOf(', ') + 2, text.lastIndexOf(')'))));
  };
  return { records: read('records'), sessions: read('sessions'), rejected: read('rejected') };
}

beforeAll(async () => {
  const logs = ['logs', 'claude-code', 'dialects'].map((name) => join(examples, name));
  const flags = ['--split', 'train=0.6,test=0.4', '--out', out];
  expect((await turnmill(['build', ...logs, ...flags])).status).toBe(3);
});

async function opened(): Promise<ViewedDataset> {
  const dataset = await ViewedDataset.open(out);
  onTestFinished(() => dataset.close());
  return dataset;
}

async function foundBy(dataset: ViewedDataset, within: Searched, text: string): Promise<readonly number[]> {
  const found: number[] = [];
  const request = { isStopped: () => false, onProgress: () => undefined, sort: undefined };
  await search(dataset, { ...request, within, text, from: 0, onHit: (number) => found.push(number) });
  return found;
}

const matching = (rows: readonly string[], text: string): readonly number[] =>
  rows.map((row) => JSON.parse(row) as Row).flatMap((row) => (rowMatcher(text)(row) ? [row.i] : []));

describe('a filter of an exported page finds what the server finds', () => {
  test('in the records: every name, and ranges', async () => {
    const dataset = await opened();
    const { records } = await rowsIn('all');
    expect(records).toHaveLength(dataset.records);
    const facets = await facetsOf(dataset, 'records');
    const fields = facets.map(({ field }) => field);
    expect(fields).toEqual(['split', 'finding', 'tool', 'dialect', 'model']);
    const names = facets.flatMap(({ field, names }) => names.map(({ name }) => filterText(field, name)));
    const group = filterText('group', dataset.manifest.shards[0]?.group ?? '');
    const others = ['messages:5..', 'calls:0', 'bytes:4096..8191', 'role:tool', 'fate:written', 'fate:empty'];
    const several = [
      'finding:no-tools finding:no-system',
      'dialect:codex dialect:pi',
      'model:none calls:1..',
    ];
    for (const text of [...names, group, ...others, ...several])
      expect([text, matching(records, text)]).toEqual([text, await foundBy(dataset, 'records', text)]);
    expect(matching(records, 'finding:no-tools finding:no-system').length).toBeGreaterThan(1);
    expect(matching(records, 'dialect:codex dialect:pi')).toHaveLength(2);
  });

  test('in the sessions with records, and in the rejected lines', async () => {
    const dataset = await opened();
    const { sessions, rejected } = await rowsIn('lists');
    const ids = (numbers: readonly number[]): readonly (string | null | undefined)[] =>
      numbers.map((number) => dataset.sessionPage(number, 1)[0]?.id);
    const shown = new Set(sessions.map((row) => JSON.parse(row).id));
    for (const text of ['finding:no-tools', 'finding:damaged-tail', 'dialect:exchange', 'fate:written']) {
      const found = matching(sessions, text).map((i) => JSON.parse(sessions[i] ?? '').id);
      const wanted = ids(await foundBy(dataset, 'sessions', text)).filter((id) => shown.has(id));
      expect([text, new Set(found)]).toEqual([text, new Set(wanted)]);
      expect(found.length).toBeGreaterThan(0);
    }
    const late = 'reason:timestamp-not-increasing';
    expect(matching(rejected, late)).toEqual(await foundBy(dataset, 'rejected', late));
    expect(matching(rejected, late)).toHaveLength(4);
  });
});

test('the counts of filters are those of the exported rows', async () => {
  const only = join(folder, 'only.txt');
  const dataset = await opened();
  const ids = dataset.sessionPage(0, 3).map(({ id }) => id);
  writeFileSync(only, `${ids.join('\n')}\n`);
  const { records } = await rowsIn('few', '--only', only);
  expect(records).toHaveLength(3);
  for (const { field, names } of facetsIn(records))
    for (const { name, count } of names)
      expect([field, name, matching(records, filterText(field, name)).length]).toEqual([field, name, count]);
  expect(facetsIn(records).map(({ field }) => field)).toContain('tool');
  expect(facetsIn(records).map(({ field }) => field)).not.toContain('fate');
});

test('words are looked for in what a row shows', async () => {
  const { records } = await rowsIn('words');
  const [title] = records.map((row) => (JSON.parse(row) as { title: string }).title).filter(Boolean);
  const word = title?.split(' ').slice(0, 2).join(' ') ?? '';
  expect(matching(records, word)).toContain(0);
  expect(matching(records, 'terms')).toEqual([]);
  expect(matching(records, 'no such words')).toEqual([]);
});

test.each(['reports/integrity.jsonl', 'quarantine/rejected.jsonl', 'ledger/sessions.jsonl'])(
  'a damaged line of %s is named, and no page is left',
  async (file) => {
    const copy = join(folder, 'damaged');
    onTestFinished(() => rmSync(copy, { recursive: true }));
    cpSync(out, copy, { recursive: true });
    writeFileSync(join(copy, file), `{}\n${readFileSync(join(copy, file), 'utf8')}`);
    const { status, stderr } = await turnmill(['view', copy, '--export', join(folder, 'none')]);
    expect([status, stderr]).toEqual([65, expect.stringContaining(`${file} has a line that is not one of`)]);
    expect(readdirSync(folder).filter((name) => name.includes('none'))).toEqual([]);
  },
);
