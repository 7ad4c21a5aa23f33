import fc from 'fast-check';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { expect, it } from 'vitest';
import { Markdown } from '../../../../src/view/app/markdown.tsx';

const html = (text: string): string => renderToString(h(Markdown, { text }));
const textIn = (page: string): string =>
  page
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&quot;', '"')
    .replaceAll('&amp;', '&');

const DOT = 'data:image/png;base64,iVBORw0KGgo=';
const PIECES = [
  ...[
    '# ',
    '\n',
    '\n\n',
    '**',
    '*',
    '`',
    '```',
    '```js\n',
    '- ',
    '1. ',
    '> ',
    '    ',
    '\t',
    '---',
    '\n===\n',
    ' ',
    'word',
  ],
  ...[
    '| a | b |\n',
    '|---|:-:|\n',
    '| | 1 |\n',
    '|',
    '[x](',
    ')',
    `![y](${DOT})`,
    '![z](http://a.b/c.png)',
    '[',
    ']',
  ],
  ...[
    '<b onclick="x">',
    '</b>',
    '<!-- ',
    '-->',
    '&amp;',
    '~~',
    '- [ ] ',
    'https://a.b/c',
    '<https://a.b>',
    '\\*',
    '日本',
    '😀',
  ],
  ...['[r]: http://a.b "t"\n', '[r]', '_', '__', '\r\n', '\u2028'],
];

it('keeps every character of any text, in its place', () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...PIECES), { maxLength: 40 }), (pieces) => {
      const text = pieces.join('');
      expect(textIn(html(text))).toBe(text);
    }),
    { numRuns: 500 },
  );
});

it('shows marks by their style, and hides those that say nothing else', () => {
  expect(html('**a** `b`')).toBe(
    '<span class="md-strong"><i class="md-mark">**</i>a<i class="md-mark">**</i></span> ' +
      '<span class="md-code"><i class="md-mark">`</i>b<i class="md-mark">`</i></span>',
  );
  expect(html('```js\n**x**\n```\nafter')).toMatch(/^<span class="md-block">.*\n<\/span>after$/s);
});

it('makes no link and no element of HTML, and images only of data', () => {
  const page = html(
    `see <script>x</script> [a](javascript:x) <http://a.b> ![b](http://a.b/c) ![c](${DOT}) <img src=x>`,
  );
  expect(page.match(/<(?!\/?(?:span|i)\b)[^>]*>/g)).toEqual([
    `<img src="${DOT}" alt="part of the message" loading="lazy"/>`,
  ]);
  const svg = html('![d](data:image/svg+xml,<svg/onload=x>)');
  expect(svg).not.toContain('<img');
  expect(svg).not.toContain('<svg');
});

it('shows deeply nested and long texts as they are, at once', () => {
  for (const text of ['>'.repeat(6000), '- '.repeat(3000), '*a **b '.repeat(900), '[a]('.repeat(100_000)])
    expect(textIn(html(text))).toBe(text);
});
