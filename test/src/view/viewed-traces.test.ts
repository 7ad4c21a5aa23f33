/** Datasets whose records have several lines, as the viewer sends them to its page. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { ROUTES } from '../../../src/view/routes.ts';
import { ViewedDataset } from '../../../src/view/viewed-dataset.ts';
import { turnmillHere as turnmill } from '../../support/command-here.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { entry, writeLog } from '../cli/small-logs.ts';

const call = { id: 'c1', type: 'function', function: { name: 'read', arguments: '{"path":"a.md"}' } };
const conversation = (forged: string): readonly object[] => [
  { role: 'user', content: forged },
  { role: 'assistant', content: null, reasoning_content: 'hm', tool_calls: [call] },
  { role: 'tool', tool_call_id: 'c1', content: 'text' },
];
/** Texts that do not begin a record when they are inside a message. */
const FORGED = ['a\n{"type":"session","harness":"x","id":"y"}\nb', 'a\n[[samples]]\nb'];

async function viewed(...args: readonly string[]) {
  const folder = temporaryFolder();
  const [input, out] = [join(folder, 'logs'), join(folder, 'out')];
  for (const [i, forged] of FORGED.entries())
    writeLog(input, `2026-01-13/${i}.jsonl`, [entry({ id: `s${i}`, messages: conversation(forged) })]);
  expect((await turnmill(['build', input, '--out', out, ...args])).status).toBe(0);
  const dataset = await ViewedDataset.open(out);
  onTestFinished(() => dataset.close());
  const ask = async (path: string) => {
    const [route = '', query = ''] = path.split('?');
    return JSON.parse(String(await ROUTES.get(route)?.({ name: 'x', dataset }, new URLSearchParams(query))));
  };
  const search = async (text: string): Promise<readonly unknown[]> => {
    const found: unknown[] = [];
    const answer = await ROUTES.get('search')?.(
      { name: 'x', dataset },
      new URLSearchParams({ in: 'records', q: text }),
    );
    if (typeof answer !== 'object' || !('run' in answer)) throw new Error('no stream');
    await answer.run((line) => found.push((line as { i?: number }).i), new AbortController().signal);
    return found.filter((i) => i !== undefined);
  };
  return { out, dataset, ask, search };
}

test.each(['none', 'gzip'])('traces are counted and shown by record, compress %s', async (compress) => {
  const { out, dataset, ask, search } = await viewed('--format', 'sts', '--compress', compress);
  expect([dataset.records, (await ask('summary')).records]).toEqual([2, 2]);
  expect(await ask('records?from=0&count=50')).toMatchObject(
    FORGED.map((text, i) => ({
      ...{ i, title: text.replaceAll('\n', ' '), messages: 4, calls: 1, tools: ['read'] },
      roles: { user: 1, assistant: 2, tool: 1 },
    })),
  );
  const answer = await ask('record?i=1');
  expect(answer).toMatchObject({ i: 1, line: 2, spansLines: true, session: { id: 's1' }, sessionNumber: 1 });
  expect(answer.shown).toEqual([{}, { calls: ['reading: a.md'] }, {}, {}]);
  if (compress === 'none') {
    const lines = readFileSync(join(out, 'data/2026-01-13-00000.sts.jsonl'), 'utf8').trimEnd().split('\n');
    expect(answer.record).toEqual(lines.slice(5).map((line) => JSON.parse(line)));
    expect(answer.bytes).toBe(lines.slice(5).join('\n').length);
  }
  expect((await ask('session?i=1')).record).toBe(1);
  expect(await search('tool:read samples')).toEqual([1]);
  expect(await search('role:tool')).toEqual([0, 1]);
  expect(await search('tool:write')).toEqual([]);
});

test('samples of a deck are counted and shown as their text', async () => {
  const { out, dataset, ask } = await viewed('--format', 'samples', '--as', 'toml');
  expect(dataset.records).toBe(2);
  const deck = readFileSync(join(out, 'data/2026-01-13-00000.toml'), 'utf8');
  const records = [await ask('record?i=0'), await ask('record?i=1')];
  expect(records.map(({ record }) => `${record}\n`).join('')).toBe(deck);
  expect(records.map(({ record }) => record.startsWith('[[samples]]\nmessages = ['))).toEqual([true, true]);
  expect(records.map(({ session }) => session.id)).toEqual(['s0', 's1']);
});

test('one-line records are not marked as having several lines', async () => {
  const { ask } = await viewed();
  expect(Object.keys(await ask('record?i=1'))).not.toContain('spansLines');
  expect((await ask('record?i=1')).record.messages).toHaveLength(4);
});
