/** `view --export`: the same page from files, without a server. */
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, test } from 'vitest';
import { turnmill } from '../support/command.ts';
import {
  built,
  examples,
  goTo,
  hasNoBrowser,
  PAYLOADS,
  until,
  useBrowser,
  writeHostileLogs,
} from './browser.ts';

const { folder, open, openRecords } = useBrowser();

describe.skipIf(hasNoBrowser)('an exported page', () => {
  test('works from files alone: records, changes, sessions, rejected lines, search', async () => {
    const out = await built(join(examples, 'logs'), join(folder, 'demo'));
    const to = join(folder, 'pages');
    const { status, stdout } = await turnmill([
      'view',
      out,
      '--logs',
      join(examples, 'logs'),
      '--export',
      to,
    ]);
    expect([status, stdout.toString()]).toEqual([0, `11 of 11 records in ${to}/index.html\n`]);
    const { page, requests } = await openRecords(pathToFileURL(join(to, 'index.html')).href);
    await goTo(page, '#/records/3');
    await page.waitForSelector('.diff section');
    expect(await page.textContent('#app')).toContain('account_id=12345678901234567890');
    await goTo(page, '#/sessions/2');
    await page.waitForSelector('.about');
    await goTo(page, '#/rejected/4');
    await page.waitForSelector('.hex mark');
    await goTo(page, '#/records');
    await page.fill('#q', 'evening');
    await until(page, "document.querySelectorAll('.row .ttl').length === 1");
    await page.fill('#q', '');
    await page.selectOption('.find select', 'size');
    const sizes = readdirSync(join(out, 'data'))
      .sort()
      .flatMap((shard) =>
        readFileSync(join(out, 'data', shard), 'utf8')
          .trimEnd()
          .split('\n'),
      )
      .map((record) => Buffer.byteLength(record));
    const largest = sizes.map((_, i) => i).sort((a, b) => (sizes[b] ?? 0) - (sizes[a] ?? 0));
    await until(page, `document.querySelector('.row .no')?.textContent === '${(largest[0] ?? 0) + 1}'`);
    const shown = await page.$$eval('.row .no', (all) => all.map((one) => Number(one.textContent) - 1));
    expect(shown).toEqual(largest.slice(0, shown.length));
    // records 5, 7 and 10 of the 11 call this tool
    await goTo(page, '#/records');
    await page.click('.find button[aria-expanded="false"]');
    await page.click('.facets .chip[title="tool:developer__shell"]');
    const numbers = "[...document.querySelectorAll('.row .no')].map((one) => one.textContent).join()";
    await until(page, `${numbers} === '5,7,10'`);
    await page.click('.find .line .chip');
    await until(page, "document.querySelectorAll('.row .ttl').length === 11");
    await goTo(page, '#/overview');
    await page.click('.overview a[href*="tool%3Adeveloper__shell"]', { timeout: 10_000 });
    await until(page, `${numbers} === '5,7,10'`);
    await goTo(page, '#/sessions?sort=errors');
    await until(page, "/\\d\\serrors?$/.test(document.querySelector('.row .tag.bad')?.textContent)");
    expect(requests.filter((url) => !url.startsWith('file:'))).toEqual([]);
    const again = await turnmill(['view', out, '--export', to]);
    expect([again.status, again.stderr]).toEqual([
      73,
      expect.stringContaining(`${to} already exists: name a folder that does not`),
    ]);
    await page.context().close();
  });

  test('is bounded by --limit and --only, and hostile data in its scripts stays text', async () => {
    const logs = writeHostileLogs(join(folder, 'hostile-logs'));
    const out = await built(logs, join(folder, 'hostile'));
    const to = join(folder, 'few');
    const { stdout } = await turnmill(['view', out, '--export', to, '--limit', '6']);
    expect(stdout.toString()).toContain(`6 of ${PAYLOADS.length} records`);
    for (const file of readdirSync(join(to, 'data')))
      expect(readFileSync(join(to, 'data', file), 'utf8')).not.toContain('<');
    expect(statSync(join(to, 'data/record-0.js')).size).toBeGreaterThan(1000);
    const { page } = await open(pathToFileURL(join(to, 'index.html')).href);
    for (let i = 0; i < 6; i++) {
      await goTo(page, `#/records/${i}?open=1`);
      await until(page, `document.querySelector('.bar h1')?.textContent === 'Record ${i + 1}'`);
    }
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    await page.context().close();
  });
});

test('an export names the ids of --only that no record has, and ends with 66 if that is all of them', async () => {
  const out = await built(join(examples, 'logs'), join(folder, 'listed'));
  const [only, to] = [join(folder, 'only.txt'), join(folder, 'listed-pages')];
  writeFileSync(only, 'no-such-session\n');
  const none = await turnmill(['view', out, '--export', to, '--only', only]);
  expect([none.status, none.stderr]).toEqual([
    66,
    expect.stringContaining('is in no record: no-such-session'),
  ]);
  expect(existsSync(to)).toBe(false);
  writeFileSync(only, 'no-such-session\nmarket-brief-1768342443120394000\n');
  const { status, stdout, stderr } = await turnmill(['view', out, '--export', to, '--only', only]);
  expect([status, stderr]).toEqual([
    0,
    'turnmill: 1 of the 2 ids in --only is in no record: no-such-session\n',
  ]);
  expect(stdout.toString()).toContain('1 of 11 records');
});

test('an exported page is as private as its dataset', async () => {
  const out = join(folder, 'private');
  const built = await turnmill(['build', join(examples, 'logs'), '--out', out, '--mode', '600']);
  expect(built.status).toBe(3);
  const to = join(folder, 'private-pages');
  await turnmill(['view', out, '--export', to]);
  for (const name of readdirSync(to, { recursive: true, encoding: 'utf8' })) {
    const stats = statSync(join(to, name));
    expect([name, stats.mode & 0o777]).toEqual([name, stats.isDirectory() ? 0o700 : 0o600]);
  }
});
