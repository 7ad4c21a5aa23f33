/** F133: no code uses the locale or local time of the machine, even where it does not affect the bytes of the dataset. */
import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, it } from 'vitest';
import { tokensOf } from '../support/code-tokens.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const LOCAL =
  /\b(?:localeCompare|toLocale\w+|Intl|getTimezoneOffset|(?:get|set)(?:FullYear|Month|Date|Day|Hours|Minutes|Seconds|Milliseconds)|to(?:Date|Time)String)\b/g;

const localIn = (code: string): string[] => tokensOf(code).bare.match(LOCAL) ?? [];

it('F133 no code uses the locale or the local time', () => {
  const files = ['src', 'transforms'].flatMap((folder) =>
    readdirSync(join(ROOT, folder), { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts'))
      .map((file) => join(ROOT, folder, file)),
  );
  expect(files.length).toBeGreaterThan(150);
  const found = files.flatMap((file) => localIn(readFileSync(file, 'utf8')).map((word) => [file, word]));
  expect(found).toEqual([]);
});

it('detects a use of the locale', () => {
  expect(localIn("a.sort((b, c) => b.localeCompare(c)); new Intl.Collator('tr')")).toEqual([
    'localeCompare',
    'Intl',
  ]);
  expect(localIn('x.toLocaleLowerCase(); new Date().getHours(); at.getUTCHours()')).toEqual([
    'toLocaleLowerCase',
    'getHours',
  ]);
});
