import { describe, expect, test } from 'vitest';
import { deckPieces } from '../../../../src/input/framing/deck-pieces.ts';

const embedsOf = (markdown: string) => [...deckPieces(markdown)].filter((piece) => typeof piece !== 'string');
const textOf = (markdown: string): string =>
  [...deckPieces(markdown)].filter((piece) => typeof piece === 'string').join('');

describe('the embeds of a deck', () => {
  test.each([
    ['![a](b.toml)', { path: 'b.toml', id: undefined, kind: 'data', line: 1 }],
    ['![](../x/b.TOML)', { path: '../x/b.TOML', id: undefined, kind: 'data', line: 1 }],
    ['a\n\n- see ![a b](./c.md) here', { path: './c.md', id: undefined, kind: 'text', line: 3 }],
    ['![a](b.toml#first)', { path: 'b.toml', id: 'first', kind: 'data', line: 1 }],
    ['![a](<two words.jsonl> "a title")', { path: 'two words.jsonl', id: undefined, kind: 'data', line: 1 }],
    ['![a](b.json "title")', { path: 'b.json', id: undefined, kind: 'data', line: 1 }],
    ['+++\nx = 1\n+++\n![a](b.toml)\r\n', { path: 'b.toml', id: undefined, kind: 'data', line: 4 }],
  ])('%j', (markdown, embed) => {
    expect(embedsOf(markdown)).toEqual([embed]);
  });

  test.each([
    '[a](b.toml)',
    '![a](logo.png)',
    '![a](https://example.org/b.toml)',
    'write `![a](b.toml)`',
    '```md\n![a](b.toml)\n```',
    '~~~~\n~~~\n![a](b.toml)\n~~~~',
    '+++\n![a](b.toml)\n+++\n',
    '![a]\n(b.toml)',
    '![a][b]',
    '\\![a](b.toml)',
    '<!-- ![a](b.toml) -->',
    'x <!-- a\n![a](b.toml)\n-->',
  ])('are not in %j', (markdown) => {
    expect(embedsOf(markdown)).toEqual([]);
  });

  test('follow each other on a line, and continue after a fence', () => {
    expect(
      embedsOf('![a](a.toml)![b](b.md)\n```\n![c](c.md)\n```\n![d](d.toml)').map(({ path }) => path),
    ).toEqual(['a.toml', 'b.md', 'd.toml']);
  });

  test('are found before, between and after comments, and in lists', () => {
    const markdown =
      '![a](a.toml)<!-- ![x](x.toml) -->![b](b.md)<!--\n![x](x.md) -->\n- c\n\n    ![d](d.toml)';
    expect(embedsOf(markdown).map(({ path }) => path)).toEqual(['a.toml', 'b.md', 'd.toml']);
    expect(textOf('a <!-- ![x](x.toml) --> b')).toBe('a <!-- ![x](x.toml) --> b');
  });

  test('leave the rest of the text as it is, without the front matter', () => {
    expect(textOf('+++\na = 1\n+++\n# T\r\n\nx ![a](a.toml) y\n```\n![c](c.md)\n```\n')).toBe(
      '# T\r\n\nx  y\n```\n![c](c.md)\n```\n',
    );
    expect(textOf('---\nopen ![a](a.png)')).toBe('---\nopen ![a](a.png)');
  });

  test('a megabyte of openers embeds nothing', () => {
    for (const opener of ['![', '![](', '`![](', '![[](', '<!--![]('])
      expect(embedsOf(opener.repeat(1_000_000 / opener.length))).toEqual([]);
  });
});
