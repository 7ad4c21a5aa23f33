/** How one finds something in the viewer: addresses, keys, the overview, the search, orders and filters. */
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { DatasetProfile } from '../../src/dataset/schema/reports.ts';
import { turnmill } from '../support/command.ts';
import {
  axeViolations,
  examples,
  goTo,
  hasNoBrowser,
  headingIs,
  until,
  useBrowser,
  type Viewer,
} from './browser.ts';

const { folder, open, openRecords, view, viewDemo } = useBrowser();
let demo: Viewer;

beforeAll(async () => {
  demo = await viewDemo();
});

describe.skipIf(hasNoBrowser)('the viewer', () => {
  test('keeps everything in its address: reload, back, a new tab', async () => {
    const { page } = await openRecords(demo.url);
    expect(await page.evaluate('location.hash')).not.toContain('key');
    await goTo(page, '#/records/0');
    await until(page, headingIs('Record 1'));
    await page.keyboard.press('j');
    await until(page, headingIs('Record 2'));
    await page.keyboard.press('r');
    expect(await page.evaluate('location.hash')).toBe('#/records/1?view=raw');
    await page.reload();
    await until(page, headingIs('Record 2'));
    expect(await page.textContent('.seg [aria-pressed=true]')).toBe('raw');
    await page.goBack();
    await until(page, headingIs('Record 1'));
    const other = await page.context().newPage();
    await other.goto(`${demo.origin}/#/rejected/5`);
    await other.waitForSelector('.hex mark');
    await page.context().close();
  });

  test('pressing j twenty times fast moves twenty records on', async () => {
    const logs = join(folder, 'many-logs');
    mkdirSync(logs);
    for (let i = 10; i < 35; i++) {
      const messages = [{ role: 'user', content: `question ${i}` }];
      const line = {
        timestamp: 1_768_300_000_000,
        session_id: `s${i}`,
        request: { messages },
        response: null,
      };
      writeFileSync(join(logs, `${i}.jsonl`), `${JSON.stringify(line)}\n`);
    }
    const { page } = await openRecords((await view(logs)).url);
    // all twenty keys arrive before anything that they trigger
    await page.evaluate(() => {
      for (let i = 0; i < 20; i++) dispatchEvent(new KeyboardEvent('keydown', { key: 'j', bubbles: true }));
    });
    expect(await page.evaluate('location.hash')).toBe('#/records/20');
    await until(page, headingIs('Record 21'));
    for (let i = 0; i < 20; i++) await page.goBack();
    await until(page, headingIs('Record 1'));
    await Promise.all(Array.from({ length: 20 }, () => page.keyboard.press('j')));
    await until(page, headingIs('Record 21'));
    await page.context().close();
  });

  test('begins with the numbers of the report, each of which leads to its rows', async () => {
    const { page } = await open(demo.url);
    await page.waitForSelector('#problems');
    const { profile } = JSON.parse(readFileSync(join(folder, 'demo/reports/summary.json'), 'utf8')) as {
      profile: DatasetProfile;
    };
    expect(await page.textContent('.overview h1')).toBe(
      '66\u00a0lines of 13\u00a0logs became 11\u00a0records; 6\u00a0lines were rejected.',
    );
    const bins =
      "svg[aria-labelledby='messages-title'] a, svg[aria-labelledby='sizes-title'] a, svg[aria-labelledby='calls-title'] a";
    const counted = await page.$$eval(bins, (all) =>
      all.map((one) => [
        one.getAttribute('href'),
        /: ([\d,]+)$/.exec(one.querySelector('title')?.textContent ?? '')?.[1],
      ]),
    );
    const rows = await page.$$eval('#problems tr', (all) =>
      all.map((one) => [
        one.querySelector('a')?.getAttribute('href'),
        one.querySelector('.num')?.textContent,
      ]),
    );
    const { records, findings, rejections, sources } = profile;
    expect(counted.map(([, count]) => Number(count))).toEqual(
      [records.by_messages, records.by_bytes, records.by_calls].flatMap((bins) => Object.values(bins)),
    );
    const counts = (all: readonly { readonly count: number }[]) => all.map(({ count }) => String(count));
    expect(rows.map(([, count]) => count)).toEqual([
      ...counts(findings.filter(({ severity }) => severity === 'ERROR')),
      ...counts(findings.filter(({ severity }) => severity === 'WARNING')),
      ...counts(rejections),
      ...sources.flatMap(({ fates: { rejected } }) => (rejected === undefined ? [] : String(rejected))),
    ]);
    const rejected = rows.filter(([href]) => href?.startsWith('#/rejected'));
    for (const [href, count] of [...counted, ...rejected]) {
      await goTo(page, href as string);
      await until(page, `document.querySelector('.find [role=status]').textContent === '${count}'`);
    }
    for (const [href] of rows.filter(([href]) => !rejected.some(([other]) => other === href))) {
      await goTo(page, href as string);
      await until(page, "/^[1-9]\\d*$/.test(document.querySelector('.find [role=status]').textContent)");
    }
    await page.context().close();
  });

  test('a finding opens its message: the call is unfolded, marked and in sight', async () => {
    const { page } = await open(demo.url);
    await goTo(page, '#/records/5');
    await page.click('.finds a >> nth=1');
    expect(await page.evaluate('location.hash')).toBe('#/records/5?m=7');
    await page.waitForSelector('.call.marked[open]');
    expect(await page.textContent('.call.marked .tag.bad')).toBe('error');
    expect(await page.textContent('.call.marked')).toContain('"Timeout": true');
    await until(
      page,
      `(() => { const { top, bottom } = document.querySelector('.marked').getBoundingClientRect();
        return document.querySelectorAll('.marked').length === 1 && top > 46 && bottom < innerHeight; })()`,
    );
    await page.keyboard.press('j');
    expect(await page.evaluate('location.hash')).toBe('#/records/6');
    await goTo(page, '#/sessions/8');
    await until(page, headingIs('Session 9'));
    expect(await page.$$eval('.finds a', (all) => all.map((one) => one.getAttribute('href')))).toEqual([
      ...['#/records/7?m=4', '#/records/7?m=3'],
    ]);
    await page.context().close();
  });

  test('a finding about a logged entry opens the line of the log, with the message marked', async () => {
    const { page } = await open(demo.url);
    await goTo(page, '#/sessions?q=finding%3Arole-sequence');
    await page.click('.rows .row');
    await page.click('.finds a >> nth=1');
    expect(await page.evaluate('location.hash')).toBe('#/sessions/4?q=finding%3Arole-sequence&line=1&m=1');
    await page.waitForSelector('.logged.marked');
    expect(await page.textContent('section[aria-label="Line 1 of the log"]')).toMatch(
      /^Line 1 of the logrepeated later; \d+\smessages as logged/,
    );
    expect(await page.textContent('.logged.marked')).toMatch(/^messages\[1\].*"role": "user"/s);
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('j');
    expect(await page.evaluate('location.hash')).not.toContain('line=');
    await page.context().close();
  });

  test('a session without a record says what to do, and a filter for an unknown finding that there is none', async () => {
    const { page } = await open(demo.url);
    await goTo(page, '#/sessions?q=fate%3Aempty');
    await page.click('.rows .row');
    await page.waitForSelector('.about .why');
    expect(await page.textContent('.about .why')).toContain(
      'Keep what a cleanup rule dropped with --no-cleanup.',
    );
    await goTo(page, '#/records?q=finding%3Ano-such-rule');
    await until(
      page,
      "document.querySelector('.list .note')?.textContent === 'No such finding: no-such-rule among the records.'",
    );
    await page.context().close();
  });

  test('searches for words, phrases and fields, sorts and filters; one request for a pause of typing', async () => {
    const { page, requests } = await openRecords(demo.url);
    await goTo(page, '#/records/0');
    const searches = () => requests.filter((url) => url.includes('/api/search'));
    await page.focus('#q');
    await page.evaluate(() => {
      const field = document.querySelector('#q') as HTMLInputElement;
      for (let end = 1; end <= 'boarding'.length; end++) {
        field.value = 'boarding'.slice(0, end);
        field.dispatchEvent(new InputEvent('input', { bubbles: true })); // all keys arrive before the pause
      }
    });
    await until(page, "document.querySelector('.find [role=status]').textContent === '1'");
    expect(searches().map((url) => new URL(url).searchParams.get('q'))).toEqual(['boarding']);
    await page.keyboard.press('Escape');
    await page.keyboard.press('j');
    // the first hit is in a folded result, which is unfolded
    await until(page, "document.querySelector('.call[open]')?.textContent.includes('boarding') === true");
    const marks = (await page.evaluate(
      "[...CSS.highlights.get('found')].map((range) => [String(range), range.startContainer.parentElement.closest('.msg') !== null])",
    )) as readonly (readonly [string, boolean])[];
    expect([...new Set(marks.map(([text]) => text))]).toEqual(['boarding']);
    expect(marks.length).toBeGreaterThan(2);
    expect(await page.evaluate('document.querySelectorAll("mark").length')).toBe(0); // the texts are as they were
    const found = async (text: string): Promise<number> => {
      await page.fill('#q', text);
      await until(page, "/^\\d+$/.test(document.querySelector('.find [role=status]').textContent)");
      return Number(await page.textContent('.find [role=status]'));
    };
    expect(await found('EVENING market brief')).toBe(0);
    expect(await found('evening market brief')).toBe(1);
    expect(await found('brief evening')).toBe(1);
    expect(await found('"brief evening"')).toBe(0);
    expect(await found('tool:finance__get_quote')).toBe(1);
    expect(await found('finding:tool-result-error')).toBe(2);
    expect(await found('role:system "no such words"')).toBe(0);
    await goTo(page, '#/sessions');
    expect(await found('fate:rejected')).toBe(1);
    await goTo(page, '#/records');
    await page.selectOption('.find select', 'errors');
    await page.click('text=filter');
    await page.click('.facets .chip >> text=call or question left open');
    await until(page, "document.querySelector('.find [role=status]').textContent === '1'");
    expect(await page.evaluate('location.hash')).toBe('#/records?sort=errors&q=finding%3Aprotocol-open');
    expect(await page.textContent('.row .tag')).toBe('1\u00a0error');
    expect(await axeViolations(page)).toEqual([]);
    await page.click('.find .line .chip'); // takes the filter away
    await until(page, "document.querySelector('.find [role=status]').textContent === '11'");
    for (const key of ['j', 'j']) await page.keyboard.press(key);
    expect(await page.evaluate('location.hash')).toBe('#/records/4?sort=errors'); // the second with an error
    await page.context().close();
  });

  test('saves the selected sessions as a list for build --only', async () => {
    const { page } = await openRecords(demo.url);
    for (const key of ['j', 'x', 'j', 'x']) await page.keyboard.press(key);
    const [download] = await Promise.all([page.waitForEvent('download'), page.click('text=save list')]);
    const path = await download.path();
    const ids = readFileSync(path, 'utf8').trimEnd().split('\n');
    expect(ids).toHaveLength(2);
    const out = join(folder, 'selected');
    const { status } = await turnmill(['build', join(examples, 'logs'), '--out', out, '--only', path]);
    expect(status).toBe(3);
    const { totals } = JSON.parse(readFileSync(join(out, 'manifest.json'), 'utf8'));
    expect(totals.records).toBe(2);
    rmSync(out, { recursive: true });
    await page.context().close();
  });
});
