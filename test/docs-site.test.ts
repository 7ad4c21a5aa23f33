/** The site that `npm run docs` writes: every link leads somewhere, code is as in the Markdown, and nothing is loaded from elsewhere. */
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, posix, resolve } from 'node:path';
import vm from 'node:vm';
import { afterAll, describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '..');
const site = mkdtempSync(join(tmpdir(), 'turnmill-site-'));
afterAll(() => rmSync(site, { recursive: true }));
execFileSync(process.execPath, [join(root, 'scripts/docs.mjs'), site]);

const read = (path: string): string => readFileSync(join(site, path), 'utf8');
const files = readdirSync(site, { recursive: true, encoding: 'utf8' });
const pages = files.filter((file) => file.endsWith('.html'));
const decoded = (html: string): string =>
  html
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&');

const ids = new Map<string, ReadonlySet<string>>();
function idsOf(page: string): ReadonlySet<string> {
  const known =
    ids.get(page) ?? new Set([...read(page).matchAll(/ id="([^"]+)"/g)].map(([, id]) => id as string));
  ids.set(page, known);
  return known;
}

/** @returns the problem of an address in a page, or undefined */
function faultOf(page: string, address: string): string | undefined {
  const [path = '', anchor] = address.split('#');
  const file = path === '' ? page : posix.join(posix.dirname(page), path);
  if (file.startsWith('..') || statSync(join(site, file), { throwIfNoEntry: false })?.isFile() !== true)
    return `${address}: not in the site`;
  return anchor === undefined || idsOf(file).has(anchor) ? undefined : `${address}: no such place`;
}

describe('the site', () => {
  it('has every page of docs/', () => {
    const markdown = readdirSync(join(root, 'docs'), { recursive: true, encoding: 'utf8' });
    const expected = markdown
      .filter((file) => file.endsWith('.md'))
      .map((file) => `docs/${file.slice(0, -3)}.html`);
    expect(expected.length).toBeGreaterThan(40);
    expect(pages).toEqual(expect.arrayContaining(['index.html', ...expected]));
  });

  it.each(pages)('%s links only what is there', (page) => {
    const html = read(page);
    const links = [...html.matchAll(/<a [^>]*href="([^"]+)"/g)].map(([, href]) => decoded(href as string));
    expect(links.length).toBeGreaterThan(12);
    const inner = links.filter((href) => !/^(?:https?|mailto):/.test(href));
    expect(inner.map((href) => faultOf(page, href)).filter((fault) => fault !== undefined)).toEqual([]);
    const loaded = [...html.matchAll(/<(?:script|link|img)\b[^>]*? (?:src|href)="([^"]+)"/g)];
    expect(loaded.length).toBeGreaterThan(2);
    expect(
      loaded.map(([, src]) => faultOf(page, src as string)).filter((fault) => fault !== undefined),
    ).toEqual([]);
  });

  it('reports links that lead nowhere', () => {
    expect(faultOf('index.html', 'docs/nowhere.html')).toBe('docs/nowhere.html: not in the site');
    expect(faultOf('index.html', 'docs/nightly.html#nowhere')).toBe(
      'docs/nightly.html#nowhere: no such place',
    );
    expect(faultOf('index.html', 'https://example.com/x.js')).toBe(
      'https://example.com/x.js: not in the site',
    );
  });

  it.each(pages)('%s shows code as it is in its Markdown', (page) => {
    const markdown = readFileSync(
      join(root, page === 'index.html' ? 'README.md' : page.replace(/html$/, 'md')),
      'utf8',
    );
    const code = [...markdown.matchAll(/^(`{3,})\w*\n([\s\S]*?)^\1$/gm)].map(([, , text]) => text as string);
    const shown = [...read(page).matchAll(/<pre><code[^>]*>([\s\S]*?)<\/code><\/pre>/g)].map(([, html]) =>
      decoded(html as string),
    );
    for (const text of code) expect(shown).toContain(text);
  });
});

describe('the search', () => {
  /** Runs the scripts of the site as a page does, with a field that has a query. */
  function found(query: string): readonly string[] {
    const list = {
      hidden: false,
      rows: [] as readonly { href: string }[],
      replaceChildren(...rows: readonly { href: string }[]) {
        list.rows = rows;
      },
      addEventListener() {},
    };
    const field = { value: query, addEventListener() {} };
    const created = (): object => ({
      append(this: { href: string }, { href }: { href: string }) {
        this.href = href;
      },
    });
    const context = vm.createContext({
      document: {
        currentScript: { dataset: { top: '' } },
        getElementById: (id: string) => (id === 'search' ? field : list),
        createElement: created,
      },
    });
    for (const name of ['minisearch', 'search', 'index']) vm.runInContext(read(`site/${name}.js`), context);
    return list.rows.map(({ href }) => href);
  }

  it.each([
    ['duplicates', 'docs/copies.html'],
    ['cron', 'docs/nightly.html#in-cron'],
    ['redact key', 'docs/publish.html#redaction'],
    ['slurm', 'docs/many-machines.html#slurm'],
  ])('finds %s on %s', (query, page) => {
    const addresses = found(query);
    expect(addresses.length).toBeGreaterThan(0);
    expect(
      addresses.map((address) => faultOf('index.html', address)).filter((fault) => fault !== undefined),
    ).toEqual([]);
    expect(addresses.slice(0, 5).some((address) => address.startsWith(page))).toBe(true);
  });

  it('finds nothing for a word that is on no page', () => {
    expect(found('xyzzyplugh')).toEqual([]);
  });
});
