/** Chats of the agent whose protocol is text, in a real browser: calls as activities, state lines as labels, reasoning folded. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { examples, goTo, hasNoBrowser, until, useBrowser } from './browser.ts';

const { folder, open, view } = useBrowser();

describe.skipIf(hasNoBrowser)('chats of the agent with a text protocol', () => {
  const call = (name: string, args: object): object => ({ name, arguments: args });
  /** Each call and the activity line that it shows. */
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
  ])('look the same in the %s form', async (name, text) => {
    const path = join(folder, `${name}-form.json`);
    writeFileSync(path, text);
    const { page } = await open((await view(path)).url);
    await page.waitForSelector('.activity');
    const texts = (css: string): Promise<readonly string[]> =>
      page.$$eval(css, (all) => all.map((one) => one.textContent ?? ''));
    expect(await texts('.activity')).toEqual(ACTIVITIES.map(([, line]) => line));
    const words = await texts('.msg.r-assistant > .body > .text');
    expect(words).toEqual([...ACTIVITIES.map((_, i) => `words ${i}`), 'end']);
    expect(await texts('.think .text')).toEqual(ACTIVITIES.map((_, i) => `thought ${i}`));
    expect(await page.$$eval('.think[open]', (all) => all.length)).toBe(0);
    expect((await texts('.io')).map((one) => /result \d/.exec(one)?.[0])).toEqual(
      ACTIVITIES.map((_, i) => `result ${i}`),
    );
    expect((await texts('button')).filter((one) => /header/i.test(one))).toEqual([]);
    await goTo(page, '#/records/0?view=raw');
    await until(page, "document.querySelector('.seg [aria-pressed=true]')?.textContent === 'raw'");
    const raw = (await texts('.msg')).join('\n');
    expect(raw).not.toMatch(
      /"(?:text|rawText|activityLine|header|headerExpanded|thinkExpanded|toolCalls|toolResult|toolCallId)"/,
    );
    expect(raw).not.toContain('STATE:');
    await page.context().close();
  });

  test('show the activities of the example, which has all generations of keys', async () => {
    const { page } = await open((await view(join(examples, 'dialects/astracodex.json'))).url);
    await page.waitForSelector('.activity');
    const lines = await page.$$eval('.activity', (all) => all.map((one) => one.textContent));
    expect(lines).toEqual(['reading: soup.md', 'editing: plan.md']);
    await page.context().close();
  });
});
