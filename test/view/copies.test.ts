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
let marked: Viewer;

beforeAll(async () => {
  if (hasNoBrowser) return;
  const logs = join(folder, 'logs');
  writeCopiedLogs(logs, 3, 12);
  out = await built(logs, join(folder, 'dataset'), '--copies', 'drop');
  viewer = await view(out);
  marked = await view(await built(logs, join(folder, 'marked'), '--copies', 'mark', '--format', 'trl'));
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
  '---Session 14 inside another record all 6 messages are in Record 17',
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

describe.skipIf(hasNoBrowser)('context', () => {
  test.each(['light', 'dark'] as const)(
    'is grey up to its last message, and passes axe: %s',
    async (colorScheme) => {
      const { page } = await open(marked.url, { colorScheme });
      await goTo(page, '#/records/11?open=1');
      await page.waitForSelector('.context');
      const numbers = (css: string) =>
        page.evaluate(`[...document.querySelectorAll('${css} .at')].map((item) => Number(item.textContent))`);
      expect(await numbers('.context')).toEqual([0, 1, 3, 4, 5, 7]); // 2 and 6 are results
      expect(await numbers('.pane > .msg')).toEqual([8, 9, 11]);
      const colour = (css: string) =>
        page.evaluate(`getComputedStyle(document.querySelector('${css} pre')).color`);
      expect(await colour('.context .r-user')).not.toBe(await colour('.pane > .r-user'));
      expect((await page.textContent('.side dl'))?.replace(/\s/g, ' ')).toContain(
        'contextthe first 8 messages',
      );
      expect((await page.textContent('.tree .tree'))?.replace(/\s/g, ' ')).toContain(
        'first 8 of 12 messages as in Record 11 (context)',
      );
      expect(await axeViolations(page)).toEqual([]);
      await goTo(page, '#/records/10');
      await until(page, "document.querySelector('.bar h1')?.textContent === 'Record 11'");
      expect(await page.isVisible('.context')).toBe(false);
      await page.context().close();
    },
  );
});
