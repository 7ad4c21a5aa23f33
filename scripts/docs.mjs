// Builds the site of the documentation: node scripts/docs.mjs [FOLDER], by default dist/docs. Its pages are README.md, the pages of docs/,
// and every page that one of them links; files that they link are copied. Nothing of the site is loaded from elsewhere, and it can be opened
// without a server.
import { cpSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import MiniSearch from 'minisearch';
import { addressOf, escaped, Page, START, toPage } from './docs/page.mjs';

const root = dirname(dirname(fileURLToPath(import.meta.url)));
const SEARCHED = { fields: ['title', 'text'], storeFields: ['title', 'page', 'url'] };

/** Reads README.md, docs/ and what they link; returns the pages by path and the other files. */
function readAll() {
  const pages = new Map();
  const files = new Set();
  const own = readdirSync(join(root, 'docs'), { recursive: true }).filter((path) => path.endsWith('.md'));
  const waiting = [START, ...own.sort().map((path) => `docs/${path}`)];
  for (let path = waiting.shift(); path !== undefined; path = waiting.shift()) {
    if (!path.endsWith('.md')) files.add(path);
    else if (!pages.has(path)) {
      const page = new Page(root, path);
      pages.set(path, page);
      waiting.push(...page.linked);
    }
  }
  return { pages, files };
}

/** The lists of pages beside each page: the shelf in the order of README.md, then what one looks up, then what contributors need. */
function groupsOf(pages) {
  const shelf = /^A page for each task: (.*?)\. /m.exec(pages.get(START).markdown)?.[1] ?? '';
  const tasks = [...shelf.matchAll(/\]\(([^()]+)\)/g)].map(([, path]) => path);
  const below = (folder) => [...pages.keys()].filter((path) => path.startsWith(folder));
  const groups = {
    Tasks: [START, ...tasks],
    'To look up': [...below('docs/reference/'), 'CHANGELOG.md'],
    Contributing: ['CONTRIBUTING.md', ...below('docs/contributing/')],
  };
  return Object.entries(groups).map(([name, paths]) => ({
    name,
    pages: paths.map((path) => pages.get(path)),
  }));
}

function navigation(page, groups) {
  const item = (other) => {
    const title = escaped(other.title);
    if (other !== page) return `<li><a href="${toPage(page.path, other.path)}">${title}</a></li>`;
    const inner = page.sections.filter(({ depth }) => depth === 2);
    const links = inner.map(({ anchor, heading }) => `<li><a href="#${anchor}">${escaped(heading)}</a></li>`);
    return `<li aria-current="page">${title}<ul>${links.join('')}</ul></li>`;
  };
  return groups.map(({ name, pages }) => `<h2>${name}</h2><ul>${pages.map(item).join('')}</ul>`).join('\n');
}

/** @returns the HTML of a page with its frame */
function framed(page, groups) {
  const top = '../'.repeat(page.path.split('/').length - 1);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width,initial-scale=1">
<title>${escaped(page.title)}</title><link rel="stylesheet" href="${top}site/style.css">
<script defer src="${top}site/minisearch.js"></script><script defer src="${top}site/search.js" data-top="${top}"></script></head>
<body><header><a href="${top}index.html">turnmill</a><input id="search" type="search" placeholder="Search" aria-label="Search the documentation"><a class="phone" href="#pages">Pages</a></header>
<ol id="found" hidden></ol>
<main>
${page.html}</main>
<nav id="pages" aria-label="Pages">${navigation(page, groups)}</nav>
</body></html>
`;
}

function searchIndex(pages) {
  const index = new MiniSearch(SEARCHED);
  for (const page of pages.values())
    for (const { heading, text, anchor } of page.sections)
      index.add({
        id: `${page.path}#${anchor}`,
        title: heading,
        text,
        page: page.title,
        url: `${addressOf(page.path)}#${anchor}`,
      });
  return `foundIn(${JSON.stringify(SEARCHED)}, ${JSON.stringify(JSON.stringify(index))});\n`;
}

function buildSite(out) {
  const { pages, files } = readAll();
  const groups = groupsOf(pages);
  const write = (path, text) => {
    mkdirSync(dirname(join(out, path)), { recursive: true });
    writeFileSync(join(out, path), text);
  };
  for (const page of pages.values()) write(addressOf(page.path), framed(page, groups));
  for (const file of files) cpSync(join(root, file), join(out, file));
  write('site/index.js', searchIndex(pages));
  for (const name of ['style.css', 'search.js'])
    cpSync(join(root, 'scripts/docs', name), join(out, 'site', name));
  const library = createRequire(import.meta.url)
    .resolve('minisearch')
    .replace(/cjs\/index\.cjs$/, 'umd/index.js');
  cpSync(library, join(out, 'site/minisearch.js'));
  return { pages: pages.size, files: files.size };
}

const SITE = join(root, 'dist/docs');
const out = resolve(process.argv[2] ?? SITE);
if (out === SITE) rmSync(SITE, { recursive: true, force: true }); // pages that are gone
const { pages, files } = buildSite(out);
console.log(`${pages} pages and ${files} files: open ${join(out, 'index.html')}`);
