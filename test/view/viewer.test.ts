/** The viewer as a user runs it: the built command, its server and a real browser. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { delimiter, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Page } from 'playwright-core';
import { beforeAll, describe, expect, test } from 'vitest';
import {
  axeViolations,
  built,
  examples,
  goTo,
  hasNoBrowser,
  headingIs,
  PAYLOADS,
  until,
  useBrowser,
  type Viewer,
  writeHostileLogs,
} from './browser.ts';

const { folder, open, openRecords, view, viewDemo, viewIn } = useBrowser();
let demo: Viewer;
let hostile: Viewer;

beforeAll(async () => {
  demo = await viewDemo();
  const logs = writeHostileLogs(join(folder, 'hostile-logs'));
  hostile = await view(await built(logs, join(folder, 'hostile')), '--logs', logs);
});

/** Labels that a box cuts: of charts, tabs and buttons. */
const clippedLabels = (page: Page): Promise<unknown> =>
  page.evaluate(`[...document.querySelectorAll('.card svg text.t3, .bar button, .bar h1, .quiet')].filter((one) => {
    const { left, right } = one.getBoundingClientRect();
    const box = (one.ownerSVGElement ?? document.documentElement).getBoundingClientRect();
    return right > left && one.closest('.head') === null && (left < box.left - 1 || right > box.right + 1);
  }).map((one) => one.textContent)`);
describe.skipIf(hasNoBrowser)('the viewer', () => {
  test('runs nothing, fetches nothing and adds no element from a hostile dataset', async () => {
    const { page, requests, messages } = await openRecords(hostile.url);
    for (const tab of ['records', 'sessions', 'rejected']) {
      for (let i = 0; i < PAYLOADS.length; i++) {
        for (const query of ['?open=1', '?view=raw']) {
          await goTo(page, `#/${tab}/${i}${query}`);
          await page.waitForSelector('.bar h1');
          await until(page, "!document.querySelector('.pane.empty')");
        }
      }
    }
    await goTo(page, '#/overview');
    await page.waitForSelector('#problems');
    await goTo(page, '#/records/0?open=1');
    await page.waitForSelector('.diff');
    await page.fill('#q', '<script>');
    await until(page, "document.querySelectorAll('.row .ttl').length > 0");
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    expect(requests.filter((url) => !url.startsWith(hostile.origin))).toEqual([]);
    expect(messages.filter((text) => /error|refused|violat/i.test(text))).toEqual([]);
    const foreign = 'script:not([src="app.js"]),iframe,object,embed,[onload],[onerror],[style*=url]';
    expect(await page.evaluate(`document.querySelectorAll('${foreign}').length`)).toBe(0);
    await page.context().close();
  });

  test.each(['light', 'dark'] as const)('passes axe in %s mode', async (colorScheme) => {
    const { page } = await open(demo.url, { colorScheme });
    for (const [hash, ready] of [
      ['#/overview', '#problems'],
      ['#/records', '.row .ttl'],
      ['#/records/3', '.diff'],
      ['#/records/0?open=1', '.call[open]'],
      ['#/sessions', '.row .tag'],
      ['#/sessions/6', '.about'],
      ['#/rejected/5', '.hex'],
    ] as const) {
      await goTo(page, hash);
      await page.waitForSelector(ready);
      expect(await axeViolations(page), hash).toEqual([]);
    }
    await page.keyboard.press('?');
    await page.waitForSelector('.help');
    expect(await axeViolations(page), 'help').toEqual([]);
    await page.context().close();
  });

  test('every control can be reached by Tab, and only controls take clicks', async () => {
    const { page } = await open('about:blank');
    await page.addInitScript(() => {
      const clicked = new Set<EventTarget>();
      Object.assign(globalThis, { clicked });
      const add = EventTarget.prototype.addEventListener;
      EventTarget.prototype.addEventListener = function (this: EventTarget, type: string, ...rest: never[]) {
        if (type === 'click') clicked.add(this);
        Reflect.apply(add, this, [type, ...rest]);
      } as typeof add;
    });
    await page.goto(demo.url);
    await goTo(page, '#/records/3');
    await page.waitForSelector('.diff');
    await page.keyboard.press('x'); // selects the session, which shows the button that saves the list
    await page.waitForSelector('text=save list');
    const control = 'a[href],button,input,summary';
    expect(
      await page.evaluate(
        `[...clicked].filter((e) => e instanceof Element && !e.matches('${control}')).map((e) => e.outerHTML)`,
      ),
    ).toEqual([]);
    expect(await page.evaluate('clicked.size')).toBeGreaterThan(5);
    const controls = (await page.evaluate(
      `[...document.querySelectorAll('${control}')].filter((e) => e.offsetParent !== null && !e.disabled).length`,
    )) as number;
    const reached = new Set<string>();
    for (let i = 0; i < controls + 40; i++) {
      await page.keyboard.press('Tab');
      const at = (await page.evaluate(
        `[...document.querySelectorAll('${control}')].indexOf(document.activeElement)`,
      )) as number;
      if (at >= 0) reached.add(String(at));
    }
    expect(reached.size).toBeGreaterThanOrEqual(controls);
    await page.context().close();
  });

  test('fits a phone, where the list folds away when a row is chosen', async () => {
    const { page } = await open(demo.url, { viewport: { width: 390, height: 844 }, colorScheme: 'dark' });
    for (const hash of ['#/overview', '#/records/3', '#/sessions/3', '#/rejected/5']) {
      await goTo(page, hash);
      await page.waitForSelector('.bar h1, .overview h1');
      expect(await page.evaluate('document.documentElement.scrollWidth'), hash).toBeLessThanOrEqual(390);
      expect(await clippedLabels(page), hash).toEqual([]);
      expect(await axeViolations(page), hash).toEqual([]);
    }
    const seen = () => Promise.all(['.list', '.pane:not(.empty)', '.side'].map((css) => page.isVisible(css)));
    expect(await seen()).toEqual([false, true, false]);
    await page.click('.bar >> text=list');
    await page.waitForSelector('.row');
    expect(await seen()).toEqual([true, false, false]);
    await goTo(page, '#/records/5');
    await page.click('.bar >> text=about');
    await page.waitForSelector('.diff');
    expect(await seen()).toEqual([false, true, true]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    await page.click('.side .finds a'); // a finding leads back to the conversation
    await page.waitForSelector('.marked');
    expect(await seen()).toEqual([false, true, false]);
    await page.context().close();
  });

  test('prints the whole conversation and no controls', async () => {
    const { page } = await open(demo.url);
    await goTo(page, '#/records/3');
    await page.waitForSelector('.diff');
    await page.emulateMedia({ media: 'print' });
    for (const css of ['.head', '.list', '.side', '.bar button'])
      expect(await page.isVisible(css), css).toBe(false);
    const [all, shown] = (await page.evaluate(() => {
      const pane = document.querySelector('.pane') as HTMLElement;
      const last = [...document.querySelectorAll('.msg')].at(-1) as HTMLElement;
      return [
        document.documentElement.scrollHeight - last.getBoundingClientRect().bottom,
        pane.scrollHeight - pane.clientHeight,
      ];
    })) as readonly [number, number];
    expect(all).toBeGreaterThanOrEqual(0); // the page is as long as the conversation
    expect(shown).toBeLessThanOrEqual(0); // and no box cuts it
    await page.context().close();
  });

  test('shows numbers and bytes as they were logged: as a chat, raw and beside the record', async () => {
    const { page } = await open(demo.url);
    await goTo(page, '#/records/3?open=1');
    await page.waitForSelector('.diff');
    const shown = async (): Promise<string> => (await page.textContent('#app')) ?? '';
    expect(await shown()).toContain('account_id=12345678901234567890');
    expect(await shown()).toContain('"account_id": 12345678901234567890');
    expect(await shown()).toContain('1.0');
    expect(await shown()).not.toContain('12345678901234567000');
    // Markdown is shown as such, and a selection of it is the text as it was logged
    const [line = ''] = readFileSync(join(folder, 'demo/data/2026-01-13-00000.jsonl'), 'utf8')
      .split('\n')
      .slice(3);
    const brief = (JSON.parse(line) as { messages: { content: string }[] }).messages[9]?.content;
    expect(brief).toMatch(/^\*\*Tuesday evening\*\* .*\n\n\| \| last/);
    const pre = '.msg[aria-label="message 9, assistant"] .text pre';
    const [text, selection, bold] = (await page.$eval(pre, (element) => {
      getSelection()?.selectAllChildren(element);
      const strong = [...element.querySelectorAll<HTMLElement>('.md-strong')];
      return [element.textContent, String(getSelection()), strong.map((one) => one.textContent)];
    })) as readonly [string, string, readonly string[]];
    expect([text, selection]).toEqual([brief, brief]);
    expect(bold[0]).toContain('Tuesday evening');
    await goTo(page, '#/records/3?view=raw');
    await until(page, "document.querySelector('.seg [aria-pressed=true]')?.textContent === 'raw'");
    expect(await shown()).not.toContain('12345678901234567000');
    await page.context().close();
  });

  test('shows session traces, whose records have several lines, as conversations', async () => {
    const out = await built(join(examples, 'logs'), join(folder, 'traces'), '--format', 'sts');
    const conversations = async (url: string): Promise<readonly unknown[]> => {
      const { page } = await openRecords(url);
      const found: unknown[] = [await page.textContent('nav a')];
      for (let i = 0; i < 11; i++) {
        await goTo(page, `#/records/${i}`);
        await until(page, headingIs(`Record ${i + 1}`));
        found.push(
          await page.evaluate(() =>
            ['.msg header', '.think', '.call .activity', '.call .hint', '.call .tag'].map((css) =>
              [...document.querySelectorAll(css)].map((one) => one.textContent),
            ),
          ),
        );
      }
      const place = await page.textContent('.side dd:last-of-type');
      await page.context().close();
      return [...found, place];
    };
    const [chats, traces] = [await conversations(demo.url), await conversations((await view(out)).url)];
    expect(traces.slice(0, -1)).toEqual(chats.slice(0, -1));
    expect(chats.at(-1)).toContain('data/2026-01-14-00000.jsonl, line 5');
    expect(traces.at(-1)).toContain('data/2026-01-14-00000.sts.jsonl, record 5');
  });

  test('shows each change with its rule, message by message', async () => {
    const { page } = await open(demo.url);
    await goTo(page, '#/records/3');
    await page.waitForSelector('.diff section');
    expect(await page.textContent('.diff > p')).toBe('10 of 15 messages as they were read');
    expect(await page.$$eval('.diff header', (all) => all.map((one) => one.textContent))).toEqual([
      'changedgoose-bootstraplogged 0 → 0',
      'changednull-fieldslogged 2 → 2',
      'changednull-fieldslogged 6 → 6',
      'droppedgoose-infologged 13',
      'changednull-fieldslogged 14 → 13',
    ]);
    const members = await page.$$eval('.members', (all) =>
      all.map((one) =>
        [...one.querySelectorAll('dt,del,ins')].map((part) =>
          `${part.localName} ${part.textContent}`.slice(0, 40),
        ),
      ),
    );
    expect(members.slice(1)).toEqual([
      ['dt content', 'del null'],
      ['dt content', 'del null'],
      ['dt refusal', 'del null'],
    ]);
    expect(members[0]?.[0]).toBe('dt content');
    expect(members[0]?.[1]).toMatch(/^del {1,2}called goose, created by/);
    await page.context().close();
  });

  test('shows the part of a rejected line around its error', async () => {
    const { page } = await open(demo.url);
    await goTo(page, '#/rejected/5');
    await page.waitForSelector('.hex mark');
    expect(await page.textContent('.hex mark')).toBe('"');
    expect(await page.textContent('.hex')).toContain('{"timestamp": "2026-14-01T12:44:15');
    await goTo(page, '#/rejected/0');
    await until(page, "document.querySelector('.hex mark')?.textContent === '⏎ the line ends here'");
    await page.context().close();
  });

  test('shows state lines as labels, folds reasoning and shows the text outside of it', async () => {
    const { page } = await open(hostile.url);
    await goTo(page, '#/records/4');
    await page.waitForSelector('.states');
    const words = await page.$$eval('.r-assistant .body > .text', (all) =>
      all.map((one) => one.textContent).join('\n'),
    );
    expect(words).not.toMatch(/STATE:|NEEDS_CONFIRMATION|FINAL:/);
    expect(words).toContain(PAYLOADS[4]);
    expect(await page.$$eval('.states span', (all) => all.map((one) => one.textContent))).toEqual([
      ...['STATE: acting', 'NEEDS_CONFIRMATION: true', 'FINAL:'],
    ]);
    expect(await page.$$eval('.think', (all) => all.length)).toBeGreaterThan(0);
    expect(await page.$$eval('.think[open]', (all) => all.length)).toBe(0);
    expect(
      await page.$$eval('button', (all) => all.filter((one) => /header/i.test(one.textContent ?? '')).length),
    ).toBe(0);
    await page.context().close();
  });

  test('builds and shows a folder of logs; --open opens the overview in the system browser', async () => {
    const [bin, opened] = [join(folder, 'bin'), join(folder, 'opened.txt')];
    mkdirSync(bin);
    for (const name of ['xdg-open', 'open'])
      writeFileSync(join(bin, name), `#!/bin/sh\nprintf %s "$1" > '${opened}'\n`, { mode: 0o755 });
    const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
    const viewer = await viewIn(env, join(examples, 'logs'), '--open');
    const read = (): string => (existsSync(opened) ? readFileSync(opened, 'utf8') : '');
    await expect.poll(read).toMatch(/open\.html$/); // the arguments of a program must not have the key
    expect(readFileSync(read(), 'utf8')).toContain(viewer.url);
    const { page } = await open(pathToFileURL(read()).href);
    await page.waitForSelector('.overview h1');
    expect(await page.evaluate('location.hash')).toBe('#/overview');
    await page.context().close();
  });
});

test('Ctrl-C ends the viewer with 130 and removes its temporary folder', async () => {
  const { readdirSync } = await import('node:fs');
  const { tmpdir } = await import('node:os');
  const viewer = await view(join(examples, 'logs'));
  const left = (): number => readdirSync(tmpdir()).filter((name) => name.startsWith('turnmill-view-')).length;
  const before = left();
  const ended = new Promise<number | null>((done) => viewer.process.on('close', done));
  viewer.process.kill('SIGINT');
  expect(await ended).toBe(130);
  expect(left()).toBe(before - 1);
});
