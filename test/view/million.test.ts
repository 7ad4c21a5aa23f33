/** The viewer on a million records. */
import { createHash } from 'node:crypto';
import { closeSync, mkdirSync, openSync, statSync, writeFileSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { LONG } from '../support/long.ts';
import { goTo, hasNoBrowser, until, useBrowser } from './browser.ts';

const { folder, openRecords, view } = useBrowser();
const RECORDS = 1_000_000;
const MAX_RSS_BYTES = 128 * 1024 * 1024;
const AT_ONCE = 20_000;
const out = join(folder, 'million');

/** Writes a dataset of a million small records as `build` would. */
function writeMillion(): void {
  for (const name of ['data', 'ledger', 'quarantine', 'reports'])
    mkdirSync(join(out, name), { recursive: true });
  const write = (file: string, make: (i: number) => string): void => {
    const fd = openSync(join(out, file), 'w');
    for (let from = 0; from < RECORDS; from += AT_ONCE)
      writeSync(fd, Array.from({ length: AT_ONCE }, (_, k) => `${make(from + k)}\n`).join(''));
    closeSync(fd);
  };
  const shard = 'data/2026-01-13-00000.jsonl';
  write(shard, (i) => {
    const call = { id: 'c', type: 'function', function: { name: 'add', arguments: `{"a":${i}}` } };
    const question = `Question ${i}: how much is ${i} plus one, and is it even? ${'x'.repeat(i % 97)}`;
    return JSON.stringify({
      messages: [
        { role: 'user', content: question },
        { role: 'assistant', content: '', tool_calls: [call] },
        { role: 'tool', tool_call_id: 'c', content: `${i + 1}` },
        { role: 'assistant', content: `It is ${i + 1}.` },
      ],
    });
  });
  const place = { entries: 1, superseded: 0, truncated: 0, changes: {}, tools: null };
  write('ledger/sessions.jsonl', (i) =>
    JSON.stringify({ id: `s${i}`, source: `${i}.jsonl`, fate: 'written', shard, line: i + 1, ...place }),
  );
  for (const file of ['ledger/sources.jsonl', 'quarantine/rejected.jsonl', 'reports/integrity.jsonl'])
    writeFileSync(join(out, file), '');
  const sha256 = createHash('sha256').digest('hex');
  const shards = [
    { path: shard, group: '2026-01-13', records: RECORDS, bytes: statSync(join(out, shard)).size, sha256 },
  ];
  const totals = { records: RECORDS, lines: RECORDS, sessions: RECORDS };
  const tool = { name: 'turnmill', version: '0.1.0' };
  const manifest = {
    schema: 1,
    tool,
    settings: { format: ['chat'] },
    settings_sha256: sha256,
    shards,
    files: [],
    totals,
    ledger: {},
  };
  writeFileSync(join(out, 'manifest.json'), JSON.stringify(manifest));
}

// writing and indexing them takes half a minute
describe.skipIf(hasNoBrowser || !LONG)('a million records', () => {
  beforeAll(writeMillion);

  test('are listed, opened and searched in little memory, with few rows in the page (long)', async () => {
    const viewer = await view(out);
    const ask = async (path: string): Promise<string> =>
      (
        await fetch(`${viewer.origin}/api/${path}`, { headers: { authorization: `Bearer ${viewer.key}` } })
      ).text();
    const { page } = await openRecords(viewer.url);
    expect(await page.textContent('.find [role=status]')).toBe('1,000,000');
    await goTo(page, '#/records/199999');
    await until(
      page,
      "[...document.querySelectorAll('.row.on .ttl')].some((e) => e.textContent.startsWith('Question 199999'))",
    );
    await goTo(page, '#/records/999999?block=4');
    await until(page, "document.querySelector('.bar h1')?.textContent === 'Record 1,000,000'");
    expect(await page.evaluate("document.querySelectorAll('.slot').length")).toBeLessThan(60);
    const last = JSON.parse(await ask('records?from=999950&count=50')) as { i: number }[];
    expect([last.length, last.at(-1)?.i]).toEqual([50, 999_999]);
    const largest = JSON.parse(await ask('records?from=0&count=2&sort=size')) as { i: number }[];
    expect(largest.map(({ i }) => i)).toEqual([100_006, 100_103]); // the first of six digits with 96 times x
    await page.fill('#q', 'Question 987654:');
    await until(page, "document.querySelectorAll('.row .ttl').length === 1");
    await until(page, "document.querySelector('.find [role=status]').textContent === '1'");
    const { rss } = JSON.parse(await ask('summary')) as { rss: number };
    expect(rss).toBeLessThanOrEqual(MAX_RSS_BYTES);
    await page.context().close();
  });

  test('stream search results, and end a search when its client disconnects (long)', async () => {
    const viewer = await view(out);
    const control = new AbortController();
    const headers = { authorization: `Bearer ${viewer.key}` };
    const answer = await fetch(`${viewer.origin}/api/search?q=${encodeURIComponent('"Question 7:"')}`, {
      headers,
      signal: control.signal,
    });
    const reader = (answer.body as ReadableStream<Uint8Array>).getReader();
    let text = '';
    while (!text.includes('"read"')) text += Buffer.from((await reader.read()).value ?? []).toString();
    const [beforeProgress] = text.split('"read"');
    expect(beforeProgress).toContain('Question 7:');
    expect(text).not.toContain('"done"');
    control.abort();
  });
});
