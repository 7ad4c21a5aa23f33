// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the strings are code
import { expect, it } from 'vitest';
import { tokensOf } from './code-tokens.ts';

const found = (code: string): string[] =>
  tokensOf(code).regexes.map(({ source, flags, line }) => `${line}:${source}:${flags}`);

it.each([
  ['a = /x/g', ['1:x:g']],
  ['a / b / c', []],
  ['(a) / b / c; x[0] / 2 / 3', []],
  ['return /x/', ['1:x:']],
  ['a.return / b / c', []],
  ['f(/[/]\\/"/u, 1)', ['1:[/]\\/":u']],
  ['// a = /x/\n/* = /y/ */\nb = /z/', ['3:z:']],
  ["'a = /x/'; \"= /y/\"; '\\'= /z/'", []],
  ['`= /x/ ${a.replace(/y/, `${/z/}`)} = /w/` / 2 / 3', ['1:y:', '1:z:']],
  ['`${{ a: { b: 1 } }} = /x/`', []],
  ['`a\nb`\n.match(/x/)', ['3:x:']],
  ['#!/usr/bin/env node\n[/x/]', ['2:x:']],
  ["!/a'b/.test(c)", ["1:a'b:"]],
])('%j', (code, expected) => {
  expect(found(code)).toEqual(expected);
});

it('removes comments, strings and expressions from the code', () => {
  expect(tokensOf("a.b('Intl') // Intl\n+ c /* Intl */ + /Intl/.d + `Intl ${e}`").bare).toBe(
    'a.b( )  \n+ c   +  .d +  e ',
  );
});

it('an unterminated expression is an error', () => {
  expect(() => tokensOf('\na = /x\n/')).toThrow('line 2');
});
