/** The report in a real browser: nothing runs in it, it is legible in both schemes and on a phone, and it prints. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, describe, expect, test } from 'vitest';
import { FATE_WORDS } from '../../src/charts/words.ts';
import type { Manifest } from '../../src/dataset/schema/manifest.ts';
import type { DatasetProfile } from '../../src/dataset/schema/reports.ts';
import { report } from '../../src/job/report.ts';
import { turnmill } from '../support/command.ts';
import { axeViolations, built, examples, hasNoBrowser, useBrowser, writeHostileLogs } from './browser.ts';

const { folder, open } = useBrowser();
let demo: string;
let hostile: string;
let hostileDrift: string;

beforeAll(async () => {
  const earlier = await built(join(examples, 'logs/2026-01-14'), join(folder, 'earlier'));
  const out = await built(join(examples, 'logs'), join(folder, 'demo'));
  demo = join(folder, 'demo.html');
  writeFileSync(demo, await report({ dataset: out, against: earlier }));
  const logs = writeHostileLogs(join(folder, 'hostile-logs'));
  const strange = await built(logs, join(folder, 'hostile'));
  hostile = join(strange, 'reports/index.html');
  hostileDrift = join(folder, 'drift.html');
  writeFileSync(hostileDrift, await report({ dataset: strange, against: out }));
});

function capitalWords(fate: string): string {
  const words = FATE_WORDS[fate] ?? '';
  return `${words[0]?.toUpperCase()}${words.slice(1)}`;
}

const urlOf = (path: string): string => pathToFileURL(path).href;

describe.skipIf(hasNoBrowser)('the report', () => {
  test.each(['light', 'dark'] as const)(
    'passes axe in %s mode, requests nothing and logs nothing',
    async (colorScheme) => {
      const { page, requests, messages } = await open(urlOf(demo), { colorScheme });
      expect(await axeViolations(page)).toEqual([]);
      expect(requests).toEqual([urlOf(demo)]);
      expect(messages).toEqual([]);
      await page.context().close();
    },
  );

  test('runs nothing, fetches nothing and adds no element from a hostile dataset', async () => {
    const { page, requests } = await open(urlOf(hostile));
    expect(await page.evaluate('window.pwned')).toBeUndefined();
    expect(requests).toEqual([urlOf(hostile)]);
    const foreign = 'script,img,iframe,object,embed,form,[onload],[onerror],[style]';
    expect(await page.evaluate(`document.querySelectorAll('${foreign}').length`)).toBe(0);
    const links = await page.$$eval('a', (all) => all.map((one) => one.getAttribute('href') ?? ''));
    expect(links.filter((href) => !href.startsWith('#'))).toEqual([]);
    expect(/[\u202a-\u202e\u2066-\u2069]/.test(readFileSync(hostile, 'utf8'))).toBe(false);
    await page.context().close();
  });

  test('fits a phone when names of tools in its drift are long', async () => {
    const { page } = await open(urlOf(hostileDrift), { viewport: { width: 390, height: 844 } });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
  });

  test('has records before rejections, and no section without content', async () => {
    const { page } = await open(urlOf(demo));
    const ids = await page.evaluate('[...document.querySelectorAll("main > section")].map(({ id }) => id)');
    expect(ids).toEqual(['records', 'rejected', 'findings', 'changes', 'drift', 'sources', 'reproduce']);
    const clean = await built(join(examples, 'dialects/messages.jsonl'), join(folder, 'clean'));
    const { page: calm } = await open(urlOf(join(clean, 'reports/index.html')));
    const left = await calm.evaluate('[...document.querySelectorAll("main > section")].map(({ id }) => id)');
    expect(left).toEqual(expect.arrayContaining(['records', 'sources', 'reproduce']));
    expect(left).not.toContain('rejected');
    expect(
      await calm.evaluate(
        '[...document.querySelectorAll("nav a")].map((a) => a.getAttribute("href").slice(1))',
      ),
    ).toEqual(left);
  });

  test('clips no label of an axis', async () => {
    for (const path of [demo, hostile]) {
      const { page } = await open(urlOf(path));
      const clipped =
        await page.evaluate(`[...document.querySelectorAll('.card svg text.t3')].filter((text) => {
        const { left, right } = text.getBoundingClientRect();
        const box = text.ownerSVGElement.getBoundingClientRect();
        return left < box.left - 1 || right > box.right + 1;
      }).map((text) => text.textContent)`);
      expect(clipped).toEqual([]);
    }
  });

  test('fits a phone, with tables that scroll by themselves', async () => {
    const { page } = await open(urlOf(demo), { viewport: { width: 390, height: 844 } });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(390);
    expect(await page.isVisible('.narrow')).toBe(true);
    await page.context().close();
  });

  test('prints with everything unfolded', async () => {
    const { page } = await open(urlOf(demo));
    await page.emulateMedia({ media: 'print' });
    const seen = await page.$$eval('details:not([open]) .ex', (all) =>
      all.map((one) => one.checkVisibility()),
    );
    expect(seen.length).toBeGreaterThan(0);
    expect(seen).not.toContain(false);
    expect((await page.pdf({ format: 'A4' })).length).toBeGreaterThan(10_000);
    await page.context().close();
  });

  test('shows the numbers that verify counts in the files', async () => {
    const out = join(folder, 'counted');
    await built(join(examples, 'logs'), out);
    const { status, stderr } = await turnmill(['verify', out]);
    expect([status, stderr.includes('profile')]).toEqual([0, false]);
    const read = (file: string) => JSON.parse(readFileSync(join(out, file), 'utf8'));
    const { profile, ...ledger } = read('reports/summary.json');
    const { records, rejections, findings, groups, sources } = profile as DatasetProfile;
    const { shards, totals } = read('manifest.json') as Manifest;
    const { page } = await open(urlOf(join(out, 'reports/index.html')));
    const numbers = (css: string): Promise<readonly number[]> =>
      page.$$eval(css, (all) => all.map((one) => Number((one.textContent ?? '').replaceAll(/[^\d]/g, ''))));
    const title = async (id: string): Promise<string> => (await page.textContent(`#${id}-title`)) ?? '';
    const table = async (section: string, heading: string): Promise<Record<string, number>> => {
      const rows = await page.$$eval(`${section} .card`, (cards) =>
        cards.map((card) => ({
          heading: card.querySelector('h3')?.textContent ?? '',
          rows: [...card.querySelectorAll('tr')].map((row) => [
            row.querySelector('th')?.textContent ?? '',
            Number(row.querySelector('td.num')?.textContent?.replaceAll(',', '')),
          ]),
        })),
      );
      return Object.fromEntries(rows.find((card) => card.heading.startsWith(heading))?.rows ?? []);
    };
    const fates = Object.entries(ledger.fates as Record<string, number>);
    const of = (fate: string): number =>
      fates.filter(([name]) => name.split(':', 1)[0] === fate).reduce((sum, [, n]) => sum + n, 0);

    expect(await page.textContent('h1')).toBe(
      `${totals.lines}\u00a0lines of 13\u00a0logs became ${totals.records}\u00a0records; ${of('rejected')}\u00a0lines were rejected.`,
    );
    expect(await numbers('.lead .tag.bad, .lead .tag.warn')).toEqual([ledger.errors, ledger.warnings]);
    const names = Object.keys(FATE_WORDS).filter((name) => of(name) > 0);
    expect(await title('flow')).toBe(
      `${totals.lines} lines: ${names.map((name) => `${capitalWords(name)} ${of(name)}`).join(', ')}`,
    );
    expect(await numbers('#rejected summary > .num')).toEqual(rejections.map(({ count }) => count));
    const bySeverity = findings.toSorted((a, b) =>
      a.severity < b.severity ? -1 : a.severity > b.severity ? 1 : 0,
    );
    expect(await numbers('#findings summary > .num')).toEqual(bySeverity.map(({ count }) => count));
    expect(await numbers('#rejected .ex > li:has(.cmd) .cmd')).toHaveLength(
      rejections.reduce((sum, { examples: shown }) => sum + shown.length, 0),
    );
    expect(await page.textContent('#records > p')).toBe(
      `${totals.records}\u00a0records, ${records.messages}\u00a0messages, ${records.calls}\u00a0tool calls.`,
    );
    for (const [id, counts] of [
      ['messages', records.by_messages],
      ['calls', records.by_calls],
    ] as const) {
      const bins = [...(await title(id)).matchAll(/(\d+) to \d+: (\d+)/g)].map(([, from, n]) => [
        from,
        Number(n),
      ]);
      expect(Object.fromEntries(bins)).toEqual(counts);
    }
    const sizes = [...(await title('sizes')).matchAll(/: (\d+)(?:;|$)/g)].map(([, n]) => Number(n));
    expect(sizes).toEqual(Object.values(records.by_bytes));
    expect(await title('groups')).toBe(
      groups
        .map(
          ({ group, written, empty, rejected }) =>
            `${group}: written ${written}, without a record ${empty}, rejected ${rejected}`,
        )
        .join('; '),
    );
    expect(await table('#records', 'Roles')).toEqual(records.roles);
    const tools = await table('#records', 'Tools called');
    expect(Object.keys(tools)).toHaveLength(20);
    expect(records.tools).toMatchObject(tools);
    expect(await table('#changes', 'Rewrites')).toEqual(ledger.rewrites);
    expect(await table('#changes', 'Repairs')).toEqual(ledger.repairs);
    const { seen: _seen, ...definitions } = ledger.tools;
    expect(await table('#changes', 'Tool definitions')).toEqual(definitions);
    expect(await numbers('#sources tbody tr td:nth-child(3)')).toEqual(sources.map(({ lines }) => lines));
    expect(await numbers('#reproduce tbody tr td:nth-child(3)')).toEqual(
      shards.map((shard) => shard.records),
    );
    await page.context().close();
  });
});
