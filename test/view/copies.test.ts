/** The viewer on a dataset whose sessions have branches and copies in other files. */
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { turnmill } from '../support/command.ts';
import { writeCopiedLogs } from '../support/copied-logs.ts';
import { axeViolations, built, goTo, hasNoBrowser, until, useBrowser, type Viewer } from './browser.ts';

const { folder, open, view } = useBrowser();
let out: string;
let viewer: Viewer;

beforeAll(async () => {
  if (hasNoBrowser) return;
  const logs = join(folder, 'logs');
  writeCopiedLogs(logs, 3, 12);
  out = await built(logs, join(folder, 'dataset'), '--copies', 'drop');
  viewer = await view(out);
});

/** The tree as it is read, with a dash for each level. */
const shownTree = `[...document.querySelectorAll('.tree li')].map((item) => {
  let depth = 0;
  for (let up = item.parentElement; up; up = up.parentElement) if (up.matches('.tree')) depth += 1;
  const text = [...item.children].filter((child) => !child.matches('.tree')).map((child) => child.textContent);
  return '-'.repeat(depth) + text.join(' ').replace(/\\s/g, ' ');
})`;
const OF_A_FORK = [
  '-Record 11 10 messages',
  '--Record 12 first 8 of 12 messages as in Record 11',
  '--Record 16 first 6 of 10 messages as in Record 11 2026-01-15/69-4.jsonl',
  '---Record 18 first 7 of 14 messages as in Record 16 2026-01-15/69-4.jsonl',
  '--Record 17 first 4 of 8 messages as in Record 11 2026-01-15/69-4.jsonl',
  '---Session 14 contained all 6 messages are in Record 17',
];

describe.skipIf(hasNoBrowser)('the tree of a session', () => {
  test('shows branches, forks in other logs and contained sessions, beside a record and with a session', async () => {
    const { page } = await open(viewer.url);
    await goTo(page, '#/records/10');
    await page.waitForSelector('.side .tree');
    expect(await page.evaluate(shownTree)).toEqual(OF_A_FORK);
    expect(await page.textContent('.tree [aria-current]')).toBe('Record 11');
    await page.click('.tree a:text-is("Session 14")');
    await page.waitForSelector('.about .tree');
    expect(await page.evaluate(shownTree)).toEqual(OF_A_FORK);
    expect(await page.textContent('.tree [aria-current]')).toBe('Session 14');
    expect(await page.textContent('.about dl')).toContain('none; it lies inside Record 17');
    await page.click('.about dl a:text-is("Record 17")');
    await until(page, "document.querySelector('.bar h1')?.textContent === 'Record 17'");
    await goTo(page, '#/records/1'); // a session of its own
    await until(page, "document.querySelector('.bar h1')?.textContent === 'Record 2'");
    await page.context().close();
  });

  test.each(['light', 'dark'] as const)('passes axe and fits a phone: %s', async (colorScheme) => {
    const { page } = await open(viewer.url, { colorScheme });
    for (const hash of ['#/records/10', '#/sessions/13']) {
      await goTo(page, hash);
      await page.waitForSelector('.tree');
      expect(await axeViolations(page), hash).toEqual([]);
    }
    await page.setViewportSize({ width: 390, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await page.context().close();
  });

  test('links in an export only to what is part of it, by its numbers', async () => {
    const to = join(folder, 'pages');
    await turnmill(['view', out, '--export', to, '--limit', '12']);
    const { page } = await open(pathToFileURL(join(to, 'index.html')).href);
    await goTo(page, '#/records/10');
    await page.waitForSelector('.side .tree');
    const hrefs = "[...document.querySelectorAll('.tree a')].map((link) => link.getAttribute('href'))";
    expect(await page.evaluate(hrefs)).toEqual(['#/records/10', '#/records/11']);
    expect((await page.textContent('.tree'))?.includes('session-4#3')).toBe(true);
    await page.context().close();
  });
});
