/**
 * Every golden log with one value replaced: by NaN or Infinity, as Python writes them, or by a name that every object inherits. No value ends the run, is
 * an internal error, or finds what an object inherits. `TURNMILL_LONG=1` tries every value, otherwise some of each log.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { check, formats } from '../../src/index.ts';
import type { Result } from '../../src/ledger/result.ts';
import { temporaryFolder } from '../support/folder.ts';
import { LONG } from '../support/long.ts';

const goldens = resolve(import.meta.dirname, '../goldens');
const SAMPLES = 2;
/** A string, with the colon after it if it is a key; a number or a word. */
const TOKEN = /"(?:[^"\\]|\\.)*"(\s*:)?|-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?|true|false|null/g;

interface Value {
  readonly start: number;
  readonly end: number;
}

/** The places of all values in a log of JSON, without those of strings that hold JSON. */
function valuesIn(text: string): readonly Value[] {
  return [...text.matchAll(TOKEN)].flatMap(({ 0: token, 1: colon, index }) =>
    colon === undefined ? [{ start: index, end: index + token.length }] : [],
  );
}

const logs = readdirSync(goldens).flatMap((name) => {
  const folder = join(goldens, name, 'logs');
  const { settings = {} } = JSON.parse(readFileSync(join(goldens, name, 'expected.json'), 'utf8')) as {
    settings?: object;
  };
  return readdirSync(folder)
    .map((file) => join(folder, file))
    .filter((path) => statSync(path).isFile() && /\.(?:jsonl?|har|traj|log)$/.test(path))
    .map((path) => ({ name: `${name}/${basename(path)}`, path, settings }));
});

/** Names the problems in the results of a log. */
async function problemsOf(path: string, settings: object): Promise<readonly string[]> {
  const problems: string[] = [];
  const onResult = (result: Result): void => {
    if (result.kind === 'source' && result.rejection?.reason === 'internal-error')
      problems.push(result.rejection.detail);
    if (result.kind === 'record' && /native code|\[object /.test(Buffer.from(result.bytes).toString()))
      problems.push(`${result.format}: a record has what an object inherits`);
  };
  const format = formats.map(({ name }) => name);
  try {
    await check({ inputs: [path], workers: 1, format, ...settings, allowEmpty: true }, { onResult });
  } catch (error) {
    problems.push(String(error));
  }
  return problems;
}

describe.each([['NaN', '-Infinity', 'Infinity'], ['"constructor"'], ['"__proto__"']])(
  '%s in place of a value',
  (...odd) => {
    it.each(logs)('$name', async ({ path, settings }) => {
      const text = readFileSync(path, 'utf8');
      const values = valuesIn(text);
      const step = LONG ? 1 : Math.max(1, Math.floor(values.length / SAMPLES));
      const changed = join(temporaryFolder(), basename(path));
      const found = new Set<string>();
      for (let i = path.length % step; i < values.length; i += step) {
        const { start, end } = values[i] as Value;
        writeFileSync(changed, text.slice(0, start) + odd[i % odd.length] + text.slice(end));
        for (const problem of await problemsOf(changed, settings)) found.add(`value ${i}: ${problem}`);
      }
      expect([...found]).toEqual([]);
    });
  },
);
