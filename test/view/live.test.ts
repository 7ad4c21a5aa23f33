/** Following a log in a real browser: the page scrolls along only while its reader is at the end. */
import { appendFileSync, readdirSync, readFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { LONG } from '../support/long.ts';
import { axeViolations, examples, hasNoBrowser, until, useBrowser } from './browser.ts';

const { folder, open, view } = useBrowser();

/** A log to which entries are added, each with all messages so far. */
function growing(name: string) {
  const path = join(folder, name);
  let messages: object[] = [{ role: 'user', content: 'start' }];
  writeFileSync(path, '');
  const line = (): string => {
    const time = 1_768_300_000_000 + messages.length;
    return `${JSON.stringify({ timestamp: time, session_id: 's', request: { messages }, response: null })}\n`;
  };
  return {
    path,
    add(times = 1): void {
      for (let i = 0; i < times; i++) {
        const id = `c${messages.length}`;
        const call = { id, type: 'function', function: { name: 'read', arguments: '{"path":"file.md"}' } };
        messages = [
          ...messages,
          { role: 'assistant', content: `step ${messages.length}`, tool_calls: [call] },
          { role: 'tool', tool_call_id: id, content: 'text\n'.repeat(5) },
        ];
        appendFileSync(path, line());
      }
    },
    restart(): void {
      messages = [{ role: 'user', content: 'a new beginning' }];
    },
  };
}

const place = (page: Page): Promise<{ top: number; rest: number }> =>
  page.evaluate(() => {
    const box = document.querySelector('.live') as HTMLElement;
    return { top: box.scrollTop, rest: box.scrollHeight - box.clientHeight - box.scrollTop };
  });
const entries = (page: Page, count: number) =>
  until(page, `document.querySelectorAll('.entry').length === ${count}`);
const isAtEnd = (page: Page) =>
  until(
    page,
    "(() => { const { scrollHeight, clientHeight, scrollTop } = document.querySelector('.live'); return scrollHeight - clientHeight - scrollTop < 50; })()",
  );
/** Waits until the position has not changed for ten frames, because scrolling by keys is animated. */
const settled = (page: Page) =>
  page.evaluate(
    () =>
      new Promise<void>((done) => {
        const box = document.querySelector('.live') as HTMLElement;
        let still = 0;
        let top = -1;
        const look = (): void => {
          still = box.scrollTop === top ? still + 1 : 0;
          top = box.scrollTop;
          if (still === 10) done();
          else requestAnimationFrame(look);
        };
        look();
      }),
  );

describe.skipIf(hasNoBrowser)('a page that follows a log', () => {
  async function following(name: string) {
    const log = growing(name);
    log.add(12);
    const { page } = await open((await view(log.path)).url);
    await entries(page, 12);
    await isAtEnd(page);
    return { log, page };
  }

  test('scrolls along while its reader is at the end', async () => {
    const { log, page } = await following('end.jsonl');
    log.add();
    await entries(page, 13);
    await isAtEnd(page);
    expect(await page.$('.pill')).toBeNull();
    expect(await page.textContent('.activity')).toBe('reading: file.md');
    expect(await axeViolations(page)).toEqual([]);
    await page.context().close();
  });

  const lettingGo: readonly (readonly [string, (page: Page) => Promise<void>])[] = [
    [
      '40 px of the wheel',
      async (page) => {
        await page.mouse.move(700, 500);
        await page.mouse.wheel(0, -40);
      },
    ],
    [
      'PageUp',
      async (page) => {
        await page.focus('.live');
        await page.keyboard.press('PageUp');
      },
    ],
    [
      'a touch',
      (page) =>
        page.evaluate(() => {
          const box = document.querySelector('.live') as HTMLElement;
          box.dispatchEvent(new Event('touchmove', { bubbles: true }));
          box.scrollTop -= 30;
        }),
    ],
    [
      'the scroll bar',
      (page) =>
        page.evaluate(() => {
          const box = document.querySelector('.live') as HTMLElement;
          const event = new PointerEvent('pointerdown', { bubbles: true });
          Object.defineProperty(event, 'offsetX', { value: box.clientWidth + 4 });
          box.dispatchEvent(event);
          box.scrollTop -= 30;
        }),
    ],
  ];

  test.each(lettingGo)('stays in place after %s upward and counts new entries', async (name, up) => {
    const { log, page } = await following(`${name.replaceAll(' ', '-')}.jsonl`);
    const before = await place(page);
    await up(page);
    await until(page, `document.querySelector('.live').scrollTop < ${before.top}`);
    await settled(page);
    const here = await place(page);
    log.add(2);
    await entries(page, 14);
    await settled(page);
    expect((await place(page)).top).toBe(here.top);
    expect((await page.textContent('.pill'))?.trim()).toBe('2 new ↓');
    expect(await page.textContent('.live [role=status]')).toBe('2\u00a0new entries below');
    await page.click('.pill');
    await isAtEnd(page);
    log.add();
    await entries(page, 15);
    await isAtEnd(page);
    expect(await page.$('.pill')).toBeNull();
    await page.context().close();
  });

  test('follows again after scrolling down to the end', async () => {
    const { log, page } = await following('again.jsonl');
    await page.mouse.move(700, 500);
    await page.mouse.wheel(0, -300);
    await until(
      page,
      "document.querySelector('.live').scrollHeight - document.querySelector('.live').clientHeight - document.querySelector('.live').scrollTop > 100",
    );
    await page.mouse.wheel(0, 2000);
    await isAtEnd(page);
    await settled(page);
    log.add();
    await entries(page, 13);
    await isAtEnd(page);
    await page.context().close();
  });

  test('waits for the end of an unfinished line', async () => {
    const { log, page } = await following('half.jsonl');
    appendFileSync(log.path, '{"timestamp":1,"half');
    log.restart();
    const other = await page.context().newPage(); // makes the server read the unfinished line
    await other.goto(page.url());
    await until(other, "document.querySelectorAll('.entry').length >= 12");
    expect(await other.$$eval('.entry', (all) => all.length)).toBe(12);
    appendFileSync(log.path, ' of it"\n'); // the finished line is not JSON
    await entries(page, 13);
    expect(await page.textContent('.entry:last-of-type .note')).toContain('invalid-json');
    await page.context().close();
  });

  test('shows only the new messages of an entry, and all of them when there are fewer than before', async () => {
    const { log, page } = await following('shared.jsonl');
    expect(await page.textContent('.entry:last-of-type h2')).toContain(
      '25\u00a0messages, the first 23 as before',
    );
    log.restart();
    log.add();
    await entries(page, 13);
    expect(await page.textContent('.entry:last-of-type h2')).toContain('line 13 3\u00a0messages ·');
    await page.context().close();
  });

  test('starts over, with a note, when the log is truncated or replaced', async () => {
    const { log, page } = await following('cut.jsonl');
    truncateSync(log.path, 0);
    log.restart();
    log.add(2);
    await page.waitForSelector('text=this is its new beginning');
    await entries(page, 2);
    const other = growing('other.jsonl');
    other.add(3);
    renameSync(other.path, log.path);
    await entries(page, 3);
    await page.context().close();
  });

  test('opens a long log near its end and loads the rest on request', async () => {
    const log = growing('long.jsonl');
    log.add(230);
    const { page } = await open((await view(log.path)).url);
    await entries(page, 200);
    await page.focus('.live');
    await page.keyboard.press('Home'); // while the page follows the end, it scrolls away from the element to click
    await settled(page);
    await page.click('text=earlier entries');
    await entries(page, 230);
    expect(await page.$('text=earlier entries')).toBeNull();
    await page.context().close();
  });
});

describe.skipIf(hasNoBrowser)('an event log', () => {
  const logged = readFileSync(join(examples, 'dialects/claude-code.jsonl'), 'utf8').trimEnd().split('\n');
  const text = (lines: readonly string[]): string => lines.map((line) => `${line}\n`).join('');

  test('shows its folded messages, which grow in place', async () => {
    const path = join(folder, 'claude-code.jsonl');
    writeFileSync(path, text(logged.slice(0, 4)));
    const { page } = await open((await view(path)).url);
    await until(page, "document.querySelectorAll('.msg').length === 2");
    expect(await page.textContent('.live .bar .dim')).toBe('2\u00a0messages');
    expect(await page.$('.call')).toBeNull();
    appendFileSync(path, text(logged.slice(4, 5)));
    await page.waitForSelector('.call');
    expect(await page.$$eval('.msg', (all) => all.length)).toBe(2);
    expect(await page.textContent('.call .tag')).toBe('no result');
    appendFileSync(path, text(logged.slice(5)));
    await until(page, "document.querySelector('.live .bar .dim').textContent.startsWith('4')");
    expect(await page.$('.call .tag')).toBeNull();
    expect(await page.$$eval('.msg .at', (all) => all.map((one) => one.textContent))).toEqual([
      '0',
      '1',
      '3',
    ]);
    expect(await page.$$eval('.entry h2', (all) => all.length)).toBe(1);
    expect(await axeViolations(page)).toEqual([]);
    await page.keyboard.press('o');
    await page.waitForSelector('.call[open]');
    await page.keyboard.press('r');
    await until(page, "document.querySelectorAll('.msg').length === 4");
    await page.context().close();
  });

  test('counts new messages while its reader is elsewhere, and loads earlier ones', async () => {
    const path = join(folder, 'long-rollout.jsonl');
    const event = (payload: object): string =>
      JSON.stringify({ timestamp: '2026-02-03T10:00:01.000Z', type: 'response_item', payload });
    const message = (n: number): string =>
      event({
        type: 'message',
        role: n % 2 === 0 ? 'user' : 'assistant',
        content: [{ type: 'input_text', text: `message ${n}` }],
      });
    const meta = { id: 'long', timestamp: '2026-02-03T10:00:00Z', cwd: '/home/ada' };
    const first = JSON.stringify({
      timestamp: '2026-02-03T10:00:00.000Z',
      type: 'session_meta',
      payload: meta,
    });
    writeFileSync(path, text([first, ...Array.from({ length: 230 }, (_, n) => message(n))]));
    const { page } = await open((await view(path)).url);
    await until(page, "document.querySelectorAll('.msg').length === 200");
    await isAtEnd(page);
    await page.focus('.live');
    await page.keyboard.press('PageUp');
    await settled(page);
    appendFileSync(path, text([message(230), message(231)]));
    await page.waitForSelector('.pill');
    await until(page, "document.querySelector('.pill').textContent.trim() === '2 new ↓'");
    await page.click('text=earlier messages');
    await until(page, "document.querySelectorAll('.msg').length === 232");
    expect((await page.textContent('.pill'))?.trim()).toBe('2 new ↓');
    expect(await page.$$eval('.msg .at', (all) => all.map((one) => one.textContent))).toEqual(
      Array.from({ length: 232 }, (_, n) => String(n)),
    );
    await page.context().close();
  });
});

test.skipIf(hasNoBrowser)(
  'a call that the next entry repeats shows the result that follows it there',
  async () => {
    const path = join(folder, 'again.jsonl');
    const call = { id: 'c', type: 'function', function: { name: 'read', arguments: '{}' } };
    const [ask, info] = ['one', 'two'].map((content) => ({ role: 'user', content }));
    const reply = { role: 'assistant', content: null, tool_calls: [call] };
    const line = (messages: readonly unknown[], response: unknown): string =>
      `${JSON.stringify({ timestamp: messages.length, session_id: 's', request: { messages }, response })}\n`;
    const choices = (message: object): object => ({ choices: [{ message }] });
    const result = { role: 'tool', tool_call_id: 'c', content: 'text' };
    writeFileSync(
      path,
      line([ask, info], choices(reply)) +
        line([ask, reply, result, info], choices({ role: 'assistant', content: 'end' })),
    );
    const { page } = await open((await view(path)).url);
    await entries(page, 2);
    expect(await page.$$eval('.call', (all) => all.length)).toBe(2);
    expect(await page.$('.call .tag')).toBeNull();
    await page.context().close();
  },
);

/** Logs without user messages. */
const WITHOUT_USERS: ReadonlySet<string> = new Set(['streams.sse']);

// every third without TURNMILL_LONG=1: each starts a viewer
test.skipIf(hasNoBrowser)('a log of each dialect opens and shows a conversation', async () => {
  const names = readdirSync(join(examples, 'dialects'));
  for (const name of names.filter((_, i) => LONG || i % 3 === 0)) {
    const { page } = await open((await view(join(examples, 'dialects', name))).url);
    await page.waitForSelector('.overview h1, .row .ttl, .entry .msg');
    if ((await page.$('.overview h1')) !== null) await page.keyboard.press('j');
    if (!WITHOUT_USERS.has(name)) await page.waitForSelector('.msg.r-user, .whole');
    await page.waitForSelector('.msg.r-assistant, .whole');
    expect(await page.$('.note:has-text("invalid")'), name).toBeNull();
    await page.context().close();
  }
});
