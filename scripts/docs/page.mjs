// A page of the documentation as HTML, with its sections and what it links.
import { readFileSync, statSync } from 'node:fs';
import { join, posix } from 'node:path';
import { Marked } from 'marked';

export const START = 'README.md';

export const escaped = (text) =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');

/** The path of a page or a file in the site. */
export const addressOf = (path) => (path === START ? 'index.html' : path.replace(/\.md$/, '.html'));

/** The address of a page or a file, as a page links it. */
export const toPage = (from, path) => posix.relative(posix.dirname(addressOf(from)), addressOf(path));

export class Page {
  /** Its headings of all levels, each with its anchor and the Markdown below it. */
  sections = [];
  /** Paths of the pages and files that it links. */
  linked = new Set();
  #root;

  constructor(root, path) {
    this.#root = root;
    this.path = path;
    this.markdown = readFileSync(join(root, path), 'utf8');
    const marked = new Marked({ gfm: true, renderer: this.#renderer() });
    const tokens = marked.lexer(this.markdown);
    this.#divide(tokens);
    this.title = this.sections[0]?.heading ?? path;
    this.html = marked.parser(tokens);
  }

  /** Finds the sections, and gives each heading the anchor that GitHub gives it. */
  #divide(tokens) {
    const times = new Map();
    for (const token of tokens) {
      if (token.type !== 'heading') {
        if (this.sections.length > 0) this.sections.at(-1).text += `${token.raw}\n`;
        continue;
      }
      const heading = plain(token.tokens);
      const slug = heading
        .toLowerCase()
        .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
        .trim()
        .replaceAll(' ', '-');
      const before = times.get(slug) ?? 0;
      times.set(slug, before + 1);
      token.anchor = before === 0 ? slug : `${slug}-${before}`;
      this.sections.push({ heading, anchor: token.anchor, depth: token.depth, text: '' });
    }
  }

  #renderer() {
    const target = (href) => this.#target(href);
    return {
      heading({ tokens, depth, anchor }) {
        return `<h${depth} id="${anchor}">${this.parser.parseInline(tokens)}</h${depth}>\n`;
      },
      link({ href, tokens }) {
        const text = this.parser.parseInline(tokens);
        const to = target(href);
        return to === undefined ? text : `<a href="${escaped(to)}">${text}</a>`;
      },
      image: ({ href, text }) => `<img src="${escaped(target(href))}" alt="${escaped(text)}" loading="lazy">`,
      html({ text }) {
        for (const [, src] of text.matchAll(/<img src="([^"]+)"/g)) target(src);
        return text;
      },
    };
  }

  /** The address of a link in the site; undefined for a folder, which has no page. */
  #target(href) {
    if (/^(?:https?|mailto):|^#/.test(href)) return href;
    const [file, anchor] = href.split('#');
    const path = posix.join(posix.dirname(this.path), file);
    if (!statSync(join(this.#root, path)).isFile()) return undefined;
    this.linked.add(path);
    return toPage(this.path, path) + (anchor === undefined ? '' : `#${anchor}`);
  }
}

/** Text of inline tokens without marks. */
function plain(tokens) {
  return tokens.map((token) => (token.tokens ? plain(token.tokens) : (token.text ?? ''))).join('');
}
