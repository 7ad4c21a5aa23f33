/** The viewer as a user has it: the built command, its server, and a real browser. */
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { get as httpGet, request } from 'node:http';
import { delimiter, join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { turnmill } from '../support/command.ts';
import {
  axeViolations,
  built,
  examples,
  goTo,
  hasNoBrowser,
  PAYLOADS,
  until,
  useBrowser,
  type Viewer,
  writeHostileLogs,
} from './browser.ts';

const { folder, open, view, viewIn } = useBrowser();
let demo: Viewer;
let hostile: Viewer;

beforeAll(async () => {
  const out = await built(join(examples, 'logs'), join(folder, 'demo'));
  demo = await view(out, '--logs', join(examples, 'logs'));
  const logs = writeHostileLogs(join(folder, 'hostile-logs'));
  hostile = await view(await built(logs, join(folder, 'hostile')), '--logs', logs);
});

const headingIs = (text: string) =>
  `document.querySelector('.bar h1')?.textContent === ${JSON.stringify(text)}`;

describe.skipIf(hasNoBrowser)('in the browser', () => {
  test('V1: a hostile dataset runs nothing, asks for nothing and makes no element of its own', async () => {
    const { page, asked, said } = await open(hostile.url);
    await page.waitForSelector('.row .ttl');
    for (const tab of ['records', 'sessions', 'rejected']) {
      for (let i = 0; i < PAYLOADS.length; i++) {
        for (const query of ['?open=1', '?view=raw']) {
          await goTo(page, `#/${tab}/${i}${query}`);
          await page.waitForSelector('.bar h1');
          await until(page, "!document.querySelector('.pane.empty')");
        }
      }
    }
    await goTo(page, '#/records/0?open=1');
    await page.waitForSelector('.diff');
    await page.fill('#q', '<script>');
    await until(page, "document.querySelectorAll('.row .ttl').length > 0");
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    expect(asked.filter((url) => !url.startsWith(hostile.origin))).toEqual([]);
    expect(said.filter((text) => /error|refused|violat/i.test(text))).toEqual([]);
    const foreign = 'script:not([src="app.js"]),iframe,object,embed,[onload],[onerror],[style*=url]';
    expect(await page.evaluate(`document.querySelectorAll('${foreign}').length`)).toBe(0);
    await page.context().close();
  });

  test.each(['light', 'dark'] as const)('V3: axe finds nothing, %s', async (colorScheme) => {
    const { page } = await open(demo.url, { colorScheme });
    for (const [hash, ready] of [
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

  test('V3: every control can be reached by Tab, and only controls take clicks', async () => {
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
    await page.keyboard.press('x'); // brings the button that saves the selection
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

  test('V3: it fits a phone', async () => {
    const { page } = await open(demo.url, { viewport: { width: 390, height: 844 } });
    for (const hash of ['#/records/3', '#/sessions/3', '#/rejected/5']) {
      await goTo(page, hash);
      await page.waitForSelector('.bar h1');
      expect(await page.evaluate('document.documentElement.scrollWidth'), hash).toBeLessThanOrEqual(390);
    }
    await page.context().close();
  });

  test('V3: it prints: the whole conversation, and nothing to click', async () => {
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

  test('V6: numbers and bytes are shown as they were logged, as a chat, raw and beside the record', async () => {
    const { page } = await open(demo.url);
    await goTo(page, '#/records/3?open=1');
    await page.waitForSelector('.diff');
    const shown = async (): Promise<string> => (await page.textContent('#app')) ?? '';
    expect(await shown()).toContain('account_id=12345678901234567890');
    expect(await shown()).toContain('"account_id": 12345678901234567890');
    expect(await shown()).toContain('1.0');
    expect(await shown()).not.toContain('12345678901234567000');
    await goTo(page, '#/records/3?view=raw');
    await until(page, "document.querySelector('.seg [aria-pressed=true]')?.textContent === 'raw'");
    expect(await shown()).not.toContain('12345678901234567000');
    await page.context().close();
  });

  test('session traces, records of several lines, are shown as the conversations that they are', async () => {
    const out = await built(join(examples, 'logs'), join(folder, 'traces'), '--format', 'sts');
    const conversations = async (url: string): Promise<readonly unknown[]> => {
      const { page } = await open(url);
      await page.waitForSelector('.row .ttl');
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

  test('what was changed is told with its rule, message by message', async () => {
    const { page } = await open(demo.url);
    await goTo(page, '#/records/3');
    await page.waitForSelector('.diff section');
    expect(await page.textContent('.diff > p')).toBe('10 of 15 messages byte for byte as logged');
    expect(await page.$$eval('.diff header', (all) => all.map((one) => one.textContent))).toEqual([
      'changedgoose-bootstraplogged 0 → 0',
      'changednull-fieldslogged 2 → 2',
      'changednull-fieldslogged 6 → 6',
      'droppedgoose-infologged 13',
      'changednull-fieldslogged 14 → 13',
    ]);
    await page.context().close();
  });

  test('a rejected line is shown around its error', async () => {
    const { page } = await open(demo.url);
    await goTo(page, '#/rejected/5');
    await page.waitForSelector('.hex mark');
    expect(await page.textContent('.hex mark')).toBe('"');
    expect(await page.textContent('.hex')).toContain('{"timestamp": "2026-14-01T12:44:15');
    await goTo(page, '#/rejected/0');
    await until(page, "document.querySelector('.hex mark')?.textContent === '⏎ the line ends here'");
    await page.context().close();
  });

  test('V8: the address holds everything: reload, back, a new tab', async () => {
    const { page } = await open(demo.url);
    await page.waitForSelector('.row .ttl');
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

  test('V8: twenty fast j are twenty steps', async () => {
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
    const { page } = await open((await view(logs)).url);
    await page.waitForSelector('.row .ttl');
    // the keys of one burst come before anything that they set off
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

  test('the search finds words, phrases and fields, in any case', async () => {
    const { page } = await open(demo.url);
    await page.waitForSelector('.row .ttl');
    const found = async (text: string): Promise<number> => {
      await page.fill('#q', text);
      await until(page, "/^\\d+$/.test(document.querySelector('.find [role=status]').textContent)");
      return Number(await page.textContent('.find [role=status]'));
    };
    expect(await found('EVENING market brief')).toBe(0); // capitals: as they stand
    expect(await found('evening market brief')).toBe(1);
    expect(await found('tool:finance__get_quote')).toBe(1);
    expect(await found('finding:tool-result-error')).toBe(2);
    expect(await found('role:system "no such words"')).toBe(0);
    await goTo(page, '#/sessions');
    expect(await found('fate:rejected')).toBe(1);
    await page.context().close();
  });

  test('selected sessions are saved as a list that build takes', async () => {
    const { page } = await open(demo.url);
    await page.waitForSelector('.row .ttl');
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

  test('U3, U4: state lines are labels and no text; U5: reasoning is folded and what is outside of it shown', async () => {
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

  describe('V9: chats of the agent whose protocol is text', () => {
    const call = (name: string, args: object): object => ({ name, arguments: args });
    /** Every line of the table, by the call that has it. */
    const ACTIVITIES: readonly (readonly [object, string])[] = [
      [call('active_file', {}), 'reading: [current file]'],
      [call('list', { prefix: 'docs/' }), 'listing: docs/'],
      [call('list', {}), 'listing: [all files]'],
      [call('read', { path: 'a.md' }), 'reading: a.md'],
      [call('read', {}), 'reading: [file]'],
      [call('write', { path: 'b.md' }), 'editing: b.md'],
      [call('append', { path: 'c.md' }), 'editing: c.md'],
      [call('line_edit', { path: 'd.md' }), 'editing: d.md'],
      [call('line_edit', {}), 'editing: [file]'],
      [call('search', { path: 'e.md' }), 'tool: search'],
    ];
    const chat = (messages: readonly object[]): string =>
      JSON.stringify({
        ...{ meta: { id: 'c', createdAt: '2026-01-14T09:00:00Z' }, settings: { model: 'm' }, state: 'idle' },
        messages: [{ role: 'user', content: 'begin' }, ...messages, { role: 'assistant', content: 'end' }],
      });
    const asNew = chat(
      ACTIVITIES.flatMap(([one], i) => [
        { role: 'assistant', content: `words ${i}`, think: `thought ${i}`, tool_calls: [one] },
        { role: 'tool', content: `result ${i}`, tool_call_id: `${i}-x` },
      ]),
    );
    const asOld = chat(
      ACTIVITIES.flatMap(([one], i) => [
        {
          ...{ role: 'assistant', text: `words ${i}`, think: `thought ${i}`, header: 'STATE: acting' },
          rawText: `STATE: acting\n<think>thought ${i}</think>words ${i}\n<tool_call>${JSON.stringify(one)}</tool_call>`,
          ...{ activityLine: 'reading: something else', headerExpanded: true, thinkExpanded: true },
          toolCalls: [one],
        },
        { role: 'tool', toolResult: `result ${i}`, toolCallId: `${i}-x` },
      ]),
    );

    test.each([
      ['new', asNew],
      ['old', asOld],
    ])('U1, U3, U4, U5, U6, U7: the %s form', async (name, text) => {
      const path = join(folder, `${name}-form.json`);
      writeFileSync(path, text);
      const { page } = await open((await view(path)).url);
      await page.waitForSelector('.activity');
      const texts = (css: string): Promise<readonly string[]> =>
        page.$$eval(css, (all) => all.map((one) => one.textContent ?? ''));
      expect(await texts('.activity')).toEqual(ACTIVITIES.map(([, line]) => line)); // U1
      const words = await texts('.msg.r-assistant > .body > .text');
      expect(words).toEqual([...ACTIVITIES.map((_, i) => `words ${i}`), 'end']); // U3, U5, U7
      expect(await texts('.think .text')).toEqual(ACTIVITIES.map((_, i) => `thought ${i}`));
      expect(await page.$$eval('.think[open]', (all) => all.length)).toBe(0);
      expect((await texts('.io')).map((one) => /result \d/.exec(one)?.[0])).toEqual(
        ACTIVITIES.map((_, i) => `result ${i}`),
      );
      expect((await texts('button')).filter((one) => /header/i.test(one))).toEqual([]); // U4
      await goTo(page, '#/records/0?view=raw');
      await until(page, "document.querySelector('.seg [aria-pressed=true]')?.textContent === 'raw'");
      const raw = (await texts('.msg')).join('\n');
      expect(raw).not.toMatch(
        /"(?:text|rawText|activityLine|header|headerExpanded|thinkExpanded|toolCalls|toolResult|toolCallId)"/, // U6
      );
      expect(raw).not.toContain('STATE:');
      await page.context().close();
    });

    test('U7: the chat of the examples, with all generations of keys', async () => {
      const { page } = await open((await view(join(examples, 'dialects/astracodex.json'))).url);
      await page.waitForSelector('.activity');
      const lines = await page.$$eval('.activity', (all) => all.map((one) => one.textContent));
      expect(lines).toEqual(['reading: soup.md', 'editing: plan.md']);
      await page.context().close();
    });
  });

  test('a folder of logs is built and shown; --open hands its address to the system, and a conversation is seen at once', async () => {
    const [bin, opened] = [join(folder, 'bin'), join(folder, 'opened.txt')];
    mkdirSync(bin);
    for (const name of ['xdg-open', 'open'])
      writeFileSync(join(bin, name), `#!/bin/sh\nprintf %s "$1" > '${opened}'\n`, { mode: 0o755 });
    const env = { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH}` };
    const viewer = await viewIn(env, join(examples, 'logs'), '--open');
    const read = (): string => (existsSync(opened) ? readFileSync(opened, 'utf8') : '');
    await expect.poll(read).toBe(viewer.url);
    const { page } = await open(read());
    await page.waitForSelector('.msg.r-user');
    await page.waitForSelector('.diff');
    expect(await page.evaluate('location.hash')).toBe('#/records/0');
    await page.context().close();
  });
});

describe('V5: who may ask', () => {
  const status = (
    path: string,
    headers: Record<string, string>,
    method = 'GET',
  ): Promise<number | undefined> =>
    new Promise((done, failed) => {
      const asked = request(
        { host: '127.0.0.1', port: demo.port, path, headers, method, setHost: false },
        (answer) => {
          answer.resume();
          done(answer.statusCode);
        },
      );
      asked.on('error', failed);
      asked.end();
    });
  const good = (): Record<string, string> => ({
    host: `127.0.0.1:${demo.port}`,
    authorization: `Bearer ${demo.key}`,
  });

  test('the page, with the key', async () => {
    expect(await status('/api/summary', good())).toBe(200);
    expect(await status('/api/summary', { ...good(), host: `localhost:${demo.port}` })).toBe(200);
    expect(
      await status('/api/summary', { ...good(), origin: demo.origin, 'sec-fetch-site': 'same-origin' }),
    ).toBe(200);
    expect(await status('/', { host: good().host as string })).toBe(200);
  });

  test.each([
    ['another name', { host: 'evil.example' }, 421],
    ['another name with the port', { host: 'evil.example:PORT' }, 421],
    ['no port', { host: '127.0.0.1' }, 421],
    ['another origin', { origin: 'http://evil.example' }, 403],
    ['the origin of a file', { origin: 'null' }, 403],
    ['another port of this machine', { origin: 'http://127.0.0.1:1' }, 403],
    ['another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['another port, by the browser', { 'sec-fetch-site': 'same-site' }, 403],
    ['no key', { authorization: '' }, 401],
    ['a wrong key', { authorization: 'Bearer wrong' }, 401],
    ['a bare key', { authorization: 'KEY' }, 401],
    ['another scheme', { authorization: 'Basic KEY' }, 401],
  ] as const)('is refused: %s', async (_name, headers, expected) => {
    const filled = Object.entries(headers).map(([name, value]) => [
      name,
      value.replace('PORT', String(demo.port)).replace('KEY', demo.key),
    ]);
    expect(await status('/api/summary', { ...good(), ...Object.fromEntries(filled) })).toBe(expected);
  });

  test.each(['POST', 'PUT', 'DELETE', 'OPTIONS', 'HEAD'])('%s is refused', async (method) => {
    expect(await status('/api/summary', good(), method)).toBe(405);
  });

  test.each([
    ...[
      '/../package.json',
      '/api/../../etc/passwd',
      '/%2e%2e/etc/passwd',
      '/app.js/..%2f..%2fetc',
      '/api/constructor',
    ],
    ...[
      '/api/__proto__',
      '/etc/passwd',
      '/api/',
      '/api/record?i=-1',
      '/api/record?i=99999',
      '/api/record?i=1e9',
    ],
  ])('nothing is at %s', async (path) => {
    expect(await status(path, good())).toBe(404);
  });

  test('every answer has the headers that fence the page in', async () => {
    const headers = await new Promise<NodeJS.Dict<string | string[]>>((done) => {
      httpGet(
        { host: '127.0.0.1', port: demo.port, path: '/', headers: { host: good().host as string } },
        (answer) => {
          answer.resume();
          done(answer.headers);
        },
      );
    });
    expect(headers['content-security-policy']).toContain("default-src 'none'; script-src 'self'");
    expect(headers['content-security-policy']).toContain("frame-ancestors 'none'");
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['cache-control']).toBe('no-store');
    expect(headers['access-control-allow-origin']).toBeUndefined();
    expect(headers['set-cookie']).toBeUndefined();
  });

  test('--origin lets one more page in', async () => {
    const viewer = await view(join(folder, 'demo'), '--origin', 'http://localhost:18080');
    const asked = await fetch(`${viewer.origin}/api/summary`, {
      headers: { authorization: `Bearer ${viewer.key}`, origin: 'http://localhost:18080' },
    });
    expect(asked.status).toBe(200);
    const { status: refused } = await turnmill(['view', join(folder, 'demo'), '--origin', 'evil']);
    expect(refused).toBe(64);
  });
});

test('it ends with 130 after Ctrl-C, and leaves nothing behind', async () => {
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
